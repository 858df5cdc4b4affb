import { DirectionalLight, HemisphereLight, PCFShadowMap, PerspectiveCamera, Plane, Raycaster,
         Scene as World, Vector2, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Bodies, type Look } from "./bodies";
import { ContactView, usualOptions } from "./contact_view";
import type { Frame, Scene } from "./data";
import { DragSpring } from "./drag_spring";
import { Ground } from "./ground";
import { measure, type SceneSize } from "./scene_size";
import { Surfaces } from "./surfaces";

export interface ViewOptions {
  plain: boolean; // no shadows, no smoothing: for slow machines and tests
}

const usualFieldOfView = 35; // vertical [degrees]
const manyBodies = 2000; // more of them are drawn coarser and without shadows

/** The picture: canvas, camera, light, ground, bodies, contacts. */
export class View {
  readonly canvas: HTMLCanvasElement;
  readonly camera = new PerspectiveCamera(usualFieldOfView, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly contactOptions = { ...usualOptions };
  bodies!: Bodies;
  contacts!: ContactView;
  size!: SceneSize;
  surfaces!: Surfaces;
  private spring!: DragSpring;
  private grounds: Ground[] = [];
  private world = new World();
  private readonly renderer: WebGLRenderer;
  private readonly sun = new DirectionalLight("#fff", 1.9);
  private scene!: Scene;
  private changed = true;
  private seeThrough = false;
  private bodyLook: Look = "visual";

  constructor(private readonly holder: HTMLElement, private readonly options: ViewOptions) {
    this.renderer = new WebGLRenderer({ antialias: !options.plain, alpha: true });
    this.canvas = this.renderer.domElement;
    this.renderer.setPixelRatio(options.plain ? 1 : Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = !options.plain;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.camera.up.set(0, 0, 1);
    holder.append(this.canvas);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = !options.plain;
    this.controls.addEventListener("change", () => this.invalidate());
    new ResizeObserver(() => this.resize()).observe(holder);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.setColors());
  }

  /** Replaces what is shown. `samples`: poses of later times, for the size of all. */
  setScene(scene: Scene, samples: Float32Array[] = []): void {
    this.bodies?.dispose();
    this.grounds.forEach((ground) => ground.dispose());
    this.scene = scene;
    this.world = new World();
    this.size = measure(scene, samples);
    const many = scene.geoms.length > manyBodies;
    const detail = many ? 12 : scene.geoms.length > 300 ? 20 : 32;
    this.bodies = new Bodies(scene, detail, !this.options.plain && !many);
    const unitForce = this.size.weight;
    this.contacts = new ContactView(this.size.body, unitForce, this.contactOptions);
    this.contacts.setPixelRatio(this.renderer.getPixelRatio());
    this.spring = new DragSpring(this.size.body, unitForce);
    this.surfaces = new Surfaces(scene, this.size.body);
    this.world.add(this.bodies.group, this.contacts.group, this.spring.group, this.surfaces.group,
                   new HemisphereLight("#fff", "#9aa0a8", 1.9));
    this.addSun(!many);
    this.addGrounds();
    this.setColors();
    this.surfaces.draw(this.bodies.matrices);
    this.bodies.setSeeThrough(this.seeThrough);
    this.bodies.setLook(this.bodyLook);
  }

  setLook(look: Look): void {
    this.bodyLook = look;
    this.bodies.setLook(look);
    this.invalidate();
  }

  setSeeThrough(on: boolean): void {
    this.seeThrough = on;
    this.bodies.setSeeThrough(on);
    this.invalidate();
  }

  /** `poses` replaces the frame's own, between two frames. */
  draw(frame: Frame, poses: Float32Array = frame.poses): void {
    this.bodies.setPoses(poses);
    this.surfaces.draw(this.bodies.matrices);
    this.contacts.draw(frame.contacts);
    this.spring.draw(frame.drag);
    this.invalidate();
  }

  invalidate(): void {
    this.changed = true;
  }

  /** Draws if anything has changed. */
  render(): boolean {
    this.controls.update();
    if (!this.changed) return false;
    this.changed = false;
    this.renderer.render(this.world, this.camera);
    return true;
  }

  get drawCalls(): number {
    return this.renderer.info.render.calls;
  }

  /** The camera shows all that moves, and what stands about it. */
  fit(): void {
    const box = this.size.view;
    const center = box.getCenter(new Vector3());
    const back = new Vector3(0.5, -0.76, 0.42).normalize();
    const right = new Vector3(0, 0, 1).cross(back).normalize();
    const up = back.clone().cross(right);
    const tangent = 0.92 * Math.tan((usualFieldOfView * Math.PI) / 360);
    let distance = 0;
    for (let corner = 0; corner < 8; ++corner) {
      const p = new Vector3(...[0, 1, 2].map((k) => (corner & (1 << k) ? box.max : box.min).getComponent(k))).sub(center);
      const across = Math.max(Math.abs(p.dot(up)), Math.abs(p.dot(right)) / this.camera.aspect);
      distance = Math.max(distance, across / tangent + p.dot(back));
    }
    this.look(back.multiplyScalar(distance).add(center).toArray(), center.toArray(), [0, 0, 1]);
  }

  look(position: number[], target: number[], up: number[], fieldOfView = usualFieldOfView): void {
    this.camera.position.fromArray(position);
    this.camera.up.fromArray(up[2] > 0.5 ? [0, 0, 1] : up);
    this.camera.fov = fieldOfView;
    this.controls.target.fromArray(target);
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = 0.01 * Math.min(distance, this.size.radius);
    this.camera.far = 100 * this.size.extent + 2 * distance;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.invalidate();
  }

  /** Looks as another view does. */
  lookLike(other: View): void {
    this.camera.fov = other.camera.fov;
    this.camera.near = other.camera.near;
    this.camera.far = other.camera.far;
    this.camera.up.copy(other.camera.up);
    this.camera.position.copy(other.camera.position);
    this.controls.target.copy(other.controls.target);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.invalidate();
  }

  /** Moves camera and target along. */
  follow(x: number, y: number, z: number): void {
    const shift = new Vector3(x, y, z).sub(this.controls.target);
    this.camera.position.add(shift);
    this.controls.target.add(shift);
  }

  /** What is seen at a place of the canvas [pixels]: a body, or -1 for the world, and where. */
  pick(x: number, y: number): { body: number; point: number[] } | null {
    let pane = null;
    for (const hit of this.rayThrough(x, y).intersectObject(this.bodies.group)) {
      const body = this.bodies.bodyOf(hit.object, hit.instanceId!);
      if (body === null) continue;
      const found = { body, point: hit.point.toArray() };
      if (!this.bodies.isPane(hit.object, body)) return found;
      pane ??= found;
    }
    return pane; // if there is nothing behind it
  }

  /** The point under a place of the canvas that is as far away as `anchor`. */
  pointAcross(x: number, y: number, anchor: number[]): number[] {
    const facing = this.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(facing, new Vector3(...anchor));
    return (this.rayThrough(x, y).ray.intersectPlane(plane, new Vector3()) ?? new Vector3(...anchor)).toArray();
  }

  /** Where a point of the world is on the canvas [pixels]. */
  project(point: number[]): [number, number] {
    const p = new Vector3(...point).project(this.camera);
    return [(0.5 + 0.5 * p.x) * this.canvas.clientWidth, (0.5 - 0.5 * p.y) * this.canvas.clientHeight];
  }

  private rayThrough(x: number, y: number): Raycaster {
    const place = new Vector2((2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight);
    const ray = new Raycaster();
    this.camera.updateMatrixWorld();
    ray.setFromCamera(place, this.camera);
    return ray;
  }

  private addSun(shadows: boolean): void {
    const { center, radius } = this.size;
    const half = 1.6 * radius;
    this.sun.position.copy(center).add(new Vector3(0.35, -0.5, 1.2).multiplyScalar(2 * half));
    this.sun.target.position.copy(center);
    this.sun.castShadow = shadows && !this.options.plain;
    this.sun.shadow.mapSize.set(2048, 2048);
    const box = this.sun.shadow.camera;
    box.left = box.bottom = -half;
    box.right = box.top = half;
    box.near = 0.1 * half;
    box.far = 6 * half;
    box.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.002 * radius;
    this.sun.shadow.radius = 3;
    this.world.add(this.sun, this.sun.target);
  }

  private addGrounds(): void {
    const planes = this.scene.geoms.filter((g) => g.shape === "plane").slice(0, 16);
    const { center, extent, lowest } = this.size;
    const level = { body: -1, pose: [center.x, center.y, lowest, 1, 0, 0, 0] };
    this.grounds = (planes.length ? planes : [level]).map(({ body, pose }) => {
      const ground = new Ground(extent, center, planes.length === 0);
      ground.place(this.size.inWorld(body, pose), 1e-4 * extent);
      this.world.add(ground.mesh);
      return ground;
    });
  }

  private setColors(): void {
    const css = getComputedStyle(document.documentElement);
    const surface = css.getPropertyValue("--ground").trim(), lines = css.getPropertyValue("--grid").trim();
    for (const ground of this.grounds) ground.setColors(surface, lines);
    this.invalidate();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.holder;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }
}
