import { Color, DynamicDrawUsage, Group, InstancedMesh, type Material, MeshLambertMaterial,
         Sphere, Vector3 } from "three";
import type { Geom, Scene } from "./data";
import { bodyColor, fixedColor, selectedColor } from "./palette";
import { multiply, poseToMatrix } from "./pose";
import { type Part, partsOf, unitGeometry } from "./shapes";

/** Instances of one unit geometry: one draw call. */
interface Batch {
  mesh: InstancedMesh;
  body: Int32Array; // of each instance
  geom: Int32Array;
  local: Float32Array; // 3x4 from the unit geometry to the body's frame
  moves: boolean;
  shown: Shown;
}

/** Bodies that have visuals are drawn by them, or by what they collide with. */
export type Look = "visual" | "collision";
type Shown = Look | "always";

/** The shapes of all bodies. Bodies are numbered as in the scene, and the world is the one after. */
export class Bodies {
  readonly group = new Group();
  readonly matrices: Float32Array; // 3x4 of each body
  private readonly batches: Batch[] = [];
  private readonly moving: boolean[];
  private selected = -1;

  constructor(private readonly scene: Scene, detail: number, private readonly shadows: boolean) {
    const count = scene.bodies.length;
    this.matrices = new Float32Array(12 * (count + 1));
    scene.bodies.forEach((body, i) => poseToMatrix(body.pose, 0, this.matrices, 12 * i));
    poseToMatrix([0, 0, 0, 1, 0, 0, 0], 0, this.matrices, 12 * count);
    this.moving = scene.bodies.map(() => false);
    for (const body of scene.moving) this.moving[body] = true;
    this.makeBatches(detail);
    this.place(true);
  }

  /** `poses` has 7 numbers for each moving body. */
  setPoses(poses: Float32Array): void {
    this.scene.moving.forEach((body, i) => poseToMatrix(poses, 7 * i, this.matrices, 12 * body));
    this.place(false);
  }

  /** Which body an instance belongs to; null if the object is none of these. -1 is the world. */
  bodyOf(object: unknown, instance: number): number | null {
    const batch = this.batches.find((b) => b.mesh === object);
    return batch?.mesh.visible ? batch.body[instance] : null;
  }

  /** Whether it is a thing that stays and that one looks through, such as a wall of glass. */
  isPane(object: unknown, body: number): boolean {
    const batch = this.batches.find((b) => b.mesh === object);
    return batch !== undefined && !this.isMoving(body) && (batch.mesh.material as MeshLambertMaterial).userData.opacity < 1;
  }

  select(body: number): void {
    if (body === this.selected) return;
    this.selected = body;
    this.paint();
  }

  setSeeThrough(on: boolean): void {
    for (const { mesh } of this.batches) {
      const material = mesh.material as MeshLambertMaterial;
      const own = material.userData.opacity as number;
      material.opacity = on ? Math.min(own, 0.3) : own;
      material.transparent = material.opacity < 1;
      material.depthWrite = !material.transparent;
      material.needsUpdate = true;
      mesh.castShadow = this.shadows && !material.transparent;
    }
  }

  setLook(look: Look): void {
    for (const { mesh, shown } of this.batches) mesh.visible = shown === "always" || shown === look;
  }

  /** Whether the two looks differ. */
  get hasVisuals(): boolean {
    return this.batches.some((b) => b.shown === "visual");
  }
  get instances(): number {
    return this.batches.reduce((sum, b) => sum + b.mesh.count, 0);
  }

  dispose(): void {
    for (const { mesh } of this.batches) {
      mesh.geometry.dispose();
      (mesh.material as Material).dispose();
      mesh.dispose();
    }
  }

  private makeBatches(detail: number): void {
    const members = new Map<string, { geom: number; part: Part }[]>();
    const haveVisuals = new Set(this.scene.geoms.filter((g) => g.visual).map((g) => g.body));
    const shown = (geom: Geom): Shown =>
      geom.visual ? "visual" : haveVisuals.has(geom.body) ? "collision" : "always";
    this.scene.geoms.forEach((geom, g) => {
      for (const part of partsOf(geom)) {
        const key = [part.kind, geom.mesh, opacityOf(geom), this.isMoving(geom.body), shown(geom)].join();
        if (!members.has(key)) members.set(key, []);
        members.get(key)!.push({ geom: g, part });
      }
    });
    for (const list of members.values()) {
      this.makeBatch(list, detail, shown(this.scene.geoms[list[0].geom]));
    }
    this.setLook("visual");
    this.paint();
  }

  private makeBatch(list: { geom: number; part: Part }[], detail: number, shown: Shown): void {
    const { geoms, meshes } = this.scene;
    const first = geoms[list[0].geom];
    const opacity = opacityOf(first);
    const kind = list[0].part.kind;
    const material = new MeshLambertMaterial({
      vertexColors: kind === "sphere" || kind === "cylinder",
      transparent: opacity < 1,
      opacity,
      depthWrite: opacity === 1,
    });
    material.userData.opacity = opacity;
    const mesh = new InstancedMesh(unitGeometry(kind, detail, meshes[first.mesh]), material, list.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.boundingSphere = new Sphere(new Vector3(), 1e12); // instances move: rays look at each
    mesh.castShadow = this.shadows && opacity === 1;
    mesh.receiveShadow = this.shadows;
    const local = new Float32Array(12 * list.length);
    list.forEach(({ geom, part }, i) => {
      const at = 12 * i;
      poseToMatrix(geoms[geom].pose, 0, local, at);
      for (let r = 0; r < 3; ++r) {
        local[at + 9 + r] += part.z * local[at + 6 + r];
        for (let c = 0; c < 3; ++c) local[at + 3 * c + r] *= part.scale[c];
      }
    });
    this.batches.push({
      mesh,
      body: Int32Array.from(list, ({ geom }) => geoms[geom].body),
      geom: Int32Array.from(list, ({ geom }) => geom),
      local,
      moves: this.isMoving(first.body),
      shown,
    });
    this.group.add(mesh);
  }

  private isMoving(body: number): boolean {
    return body >= 0 && this.moving[body];
  }

  private place(all: boolean): void {
    const world = 12 * this.scene.bodies.length;
    for (const { mesh, body, local, moves } of this.batches) {
      if (!moves && !all) continue;
      const to = mesh.instanceMatrix.array as Float32Array;
      for (let i = 0; i < body.length; ++i) {
        multiply(this.matrices, body[i] < 0 ? world : 12 * body[i], local, 12 * i, to, 16 * i);
      }
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  private paint(): void {
    const color = new Color();
    for (const { mesh, body, geom } of this.batches) {
      for (let i = 0; i < body.length; ++i) {
        const own = this.scene.geoms[geom[i]].color;
        if (own) color.setRGB(own[0], own[1], own[2], "srgb");
        else color.set(this.isMoving(body[i]) ? bodyColor(body[i]) : fixedColor);
        if (body[i] >= 0 && body[i] === this.selected) color.set(selectedColor);
        mesh.setColorAt(i, color);
      }
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }
}

/** In eighths: each is a draw call of its own. */
function opacityOf(geom: Geom): number {
  return Math.max(1, Math.round(8 * (geom.color?.[3] ?? 1))) / 8;
}
