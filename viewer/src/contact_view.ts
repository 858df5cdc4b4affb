import { BufferAttribute, BufferGeometry, CanvasTexture, Color, ConeGeometry, DynamicDrawUsage, Group,
         LineBasicMaterial, LineSegments, Points, PointsMaterial } from "three";
import { Arrows, capacity, grown, makeInstances, markChanged, setAxis } from "./arrows";
import { type Contacts, Mode } from "./data";
import { modeColors } from "./palette";

export type ForceArrows = "none" | "total" | "parts";

export interface ContactOptions {
  points: boolean;
  normals: boolean;
  forces: ForceArrows; // in one arrow, or normal and friction apart
  cones: boolean;
  logarithmic: boolean;
  scale: number; // of the arrows' length
}

export const usualOptions: ContactOptions = {
  points: true, normals: false, forces: "total", cones: false, logarithmic: true, scale: 2,
};

const limit = 5000; // contacts drawn

/** Contact points, their normals, forces and friction cones. `size` is that of a body [m]. */
export class ContactView {
  readonly group = new Group();
  drawn = 0;
  private readonly points: Points;
  private readonly normals: LineSegments;
  private readonly arrows = new Arrows();
  private cones = makeInstances(coneFromApex(), 64, 0.22);
  private readonly colors = Object.fromEntries(
    Object.entries(modeColors).map(([mode, c]) => [mode, new Color(c)])) as Record<Mode, Color>;

  /** An arrow of `size` means `unitForce` [N]. */
  constructor(private readonly size: number, private readonly unitForce: number,
              private readonly options: ContactOptions) {
    const material = new PointsMaterial({
      size: 8, sizeAttenuation: false, vertexColors: true, map: disc(), alphaTest: 0.5,
    });
    // drawn nearer to the eye, or else half of each would be inside of what it touches
    material.onBeforeCompile = (shader) => {
      shader.vertexShader = shader.vertexShader.replace("#include <project_vertex>",
        `#include <project_vertex>
         gl_Position = projectionMatrix * vec4(mvPosition.xyz * (1.0 + ${(0.3 * size).toFixed(9)} / mvPosition.z), 1.0);`);
    };
    material.customProgramCacheKey = () => `points${size}`;
    this.points = new Points(new BufferGeometry(), material);
    this.normals = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true }));
    for (const object of [this.points, this.normals]) object.frustumCulled = false;
    this.cones.renderOrder = 2;
    this.group.add(this.points, this.normals, this.arrows.group, this.cones);
  }

  setPixelRatio(ratio: number): void {
    (this.points.material as PointsMaterial).size = 8 * ratio;
  }

  get arrowCount(): number {
    return this.options.forces === "none" ? 0 : this.arrows.count;
  }

  /** Every so many contacts are drawn where there are too many. */
  draw(c: Contacts): void {
    const every = Math.max(1, Math.ceil(c.count / limit));
    this.drawn = Math.ceil(c.count / every);
    this.points.visible = this.options.points;
    this.normals.visible = this.options.normals;
    this.arrows.group.visible = this.options.forces !== "none";
    if (this.options.points) this.drawPoints(c, every);
    if (this.options.normals) this.drawNormals(c, every);
    this.arrows.clear();
    if (this.options.forces !== "none") {
      for (let i = 0; i < c.count; i += every) this.addForce(c, i);
    }
    this.arrows.finish();
    this.cones.count = 0;
    if (this.options.cones) {
      for (let i = 0; i < c.count; i += every) this.addCone(c, i);
    }
    this.cones.visible = this.cones.count > 0;
    markChanged(this.cones);
  }

  private drawPoints(c: Contacts, every: number): void {
    const [position, color] = room(this.points.geometry, this.drawn);
    for (let i = 0, k = 0; i < c.count; i += every, ++k) {
      for (let r = 0; r < 3; ++r) position[3 * k + r] = c.point[3 * i + r];
      this.colors[c.mode[i] as Mode].toArray(color, 3 * k);
    }
    this.points.geometry.setDrawRange(0, this.drawn);
  }

  private drawNormals(c: Contacts, every: number): void {
    const [position, color] = room(this.normals.geometry, 2 * this.drawn);
    for (let i = 0, k = 0; i < c.count; i += every, k += 2) {
      for (let r = 0; r < 3; ++r) {
        const p = c.point[3 * i + r];
        position[3 * k + r] = p;
        position[3 * k + 3 + r] = p + 0.5 * this.size * c.normal[3 * i + r];
      }
      for (const end of [k, k + 1]) this.colors[c.mode[i] as Mode].toArray(color, 3 * end);
    }
    this.normals.geometry.setDrawRange(0, 2 * this.drawn);
  }

  private addForce(c: Contacts, i: number): void {
    const [x, y, z] = c.force.subarray(3 * i, 3 * i + 3);
    if (this.options.forces === "total") return this.addArrow(c, i, x, y, z);
    const [nx, ny, nz] = c.normal.subarray(3 * i, 3 * i + 3);
    const fn = x * nx + y * ny + z * nz;
    this.addArrow(c, i, fn * nx, fn * ny, fn * nz);
    this.addArrow(c, i, x - fn * nx, y - fn * ny, z - fn * nz);
  }

  private addArrow(c: Contacts, i: number, x: number, y: number, z: number): void {
    const force = Math.hypot(x, y, z);
    const length = this.lengthOf(force);
    if (!(length > 0.01 * this.size)) return;
    this.arrows.add(c.point[3 * i], c.point[3 * i + 1], c.point[3 * i + 2], x / force, y / force,
                    z / force, length, 0.035 * this.size, modeColors[c.mode[i] as Mode]);
  }

  private lengthOf(force: number): number {
    const ratio = force / this.unitForce;
    const { logarithmic, scale } = this.options;
    return this.size * scale * (logarithmic ? Math.log1p(9 * ratio) / Math.log(10) : ratio);
  }

  /** The forces that friction allows: those along lines inside. */
  private addCone(c: Contacts, i: number): void {
    if (c.mode[i] === Mode.near || !(c.friction[i] > 0)) return;
    const k = this.cones.count;
    if (k === capacity(this.cones)) {
      this.group.remove(this.cones);
      this.cones = grown(this.cones);
      this.group.add(this.cones);
    }
    // a cone of large friction is short rather than wide
    const height = this.size / Math.max(1, c.friction[i]);
    setAxis(this.cones, k, c.point[3 * i], c.point[3 * i + 1], c.point[3 * i + 2], c.normal[3 * i],
            c.normal[3 * i + 1], c.normal[3 * i + 2], height, height * c.friction[i]);
    this.cones.setColorAt(k, this.colors[c.mode[i] as Mode]);
    this.cones.count = k + 1;
  }
}

/** Apex at the origin, opening along z when `makeInstances` has turned it. */
function coneFromApex(): ConeGeometry {
  return new ConeGeometry(1, 1, 24, 1, true).rotateX(Math.PI) as ConeGeometry;
}

/** The position and color arrays of a geometry, at least `count` long, to be sent anew. */
function room(geometry: BufferGeometry, count: number): [Float32Array, Float32Array] {
  const has = (geometry.getAttribute("position") as BufferAttribute | undefined)?.count ?? 0;
  if (has < count) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(64, count)));
    for (const name of ["position", "color"]) {
      const attribute = new BufferAttribute(new Float32Array(3 * size), 3);
      geometry.setAttribute(name, attribute.setUsage(DynamicDrawUsage));
    }
  }
  return ["position", "color"].map((name) => {
    const attribute = geometry.getAttribute(name) as BufferAttribute | undefined;
    if (!attribute) return new Float32Array();
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, 3 * count);
    attribute.needsUpdate = true;
    return attribute.array as Float32Array;
  }) as [Float32Array, Float32Array];
}

/** A white disc with a dark rim. */
function disc(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 32;
  const draw = canvas.getContext("2d")!;
  draw.beginPath();
  draw.arc(16, 16, 14, 0, 2 * Math.PI);
  draw.fillStyle = "#fff";
  draw.fill();
  return new CanvasTexture(canvas);
}
