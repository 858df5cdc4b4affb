import { BufferGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide, DynamicDrawUsage, FrontSide,
         Group, InstancedMesh, MeshBasicMaterial } from "three";

/** Arrows from points along vectors: two draw calls, as many arrows as one likes. */
export class Arrows {
  readonly group = new Group();
  private shafts = makeInstances(new CylinderGeometry(1, 1, 1, 8, 1, true), 64);
  private heads = makeInstances(new ConeGeometry(1, 1, 12), 64);
  private readonly color = new Color();

  constructor() {
    this.group.add(this.shafts, this.heads);
  }

  clear(): void {
    this.shafts.count = this.heads.count = 0;
  }

  /** From (x, y, z) along (dx, dy, dz) by `length`, with a shaft of radius `width`. */
  add(x: number, y: number, z: number, dx: number, dy: number, dz: number, length: number,
      width: number, color: string): void {
    const i = this.shafts.count;
    if (i === capacity(this.shafts)) this.grow();
    const head = Math.min(7 * width, 0.6 * length);
    const shaft = length - head;
    const thin = Math.min(width, 0.3 * head);
    setAxis(this.shafts, i, x, y, z, dx, dy, dz, shaft, thin);
    setAxis(this.heads, i, x + shaft * dx, y + shaft * dy, z + shaft * dz, dx, dy, dz, head, 2.6 * thin);
    this.color.set(color);
    this.shafts.setColorAt(i, this.color);
    this.heads.setColorAt(i, this.color);
    this.shafts.count = this.heads.count = i + 1;
  }

  finish(): void {
    markChanged(this.shafts);
    markChanged(this.heads);
  }

  get count(): number {
    return this.shafts.count;
  }

  private grow(): void {
    this.group.remove(this.shafts, this.heads);
    this.shafts = grown(this.shafts);
    this.heads = grown(this.heads);
    this.group.add(this.shafts, this.heads);
  }
}

/** `geometry` stands along y around its center; here it goes from z = 0 to 1. */
export function makeInstances(geometry: BufferGeometry, size: number, opacity = 1): InstancedMesh {
  geometry.rotateX(Math.PI / 2).translate(0, 0, 0.5);
  return instancesOf(geometry, new MeshBasicMaterial({
    transparent: opacity < 1, opacity, depthWrite: opacity === 1,
    side: opacity < 1 ? DoubleSide : FrontSide,
  }), size);
}

function instancesOf(geometry: BufferGeometry, material: MeshBasicMaterial, size: number): InstancedMesh {
  const mesh = new InstancedMesh(geometry, material, size);
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  mesh.setColorAt(0, new Color());
  mesh.frustumCulled = false;
  mesh.count = 0;
  return mesh;
}

export function capacity(mesh: InstancedMesh): number {
  return mesh.instanceMatrix.count;
}

/** The same with twice the room. */
export function grown(mesh: InstancedMesh): InstancedMesh {
  const larger = instancesOf(mesh.geometry, mesh.material as MeshBasicMaterial, 2 * capacity(mesh));
  larger.instanceMatrix.array.set(mesh.instanceMatrix.array);
  larger.instanceColor!.array.set(mesh.instanceColor!.array);
  larger.count = mesh.count;
  larger.visible = mesh.visible;
  larger.renderOrder = mesh.renderOrder;
  mesh.dispose();
  return larger;
}

export function markChanged(mesh: InstancedMesh): void {
  for (const attribute of [mesh.instanceMatrix, mesh.instanceColor!]) {
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, mesh.count * attribute.itemSize);
    attribute.needsUpdate = true;
  }
}

/** Instance i with its z axis along the unit vector (dx, dy, dz). */
export function setAxis(mesh: InstancedMesh, i: number, x: number, y: number, z: number, dx: number,
                        dy: number, dz: number, length: number, width: number): void {
  const m = mesh.instanceMatrix.array as Float32Array;
  const o = 16 * i;
  // two vectors across: of the coordinate axes the one least along it
  let ux = 0, uy = -dz, uz = dy; // d x (1, 0, 0)
  if (Math.abs(dx) > 0.7) [ux, uy, uz] = [dz, 0, -dx]; // d x (0, 1, 0), turned round
  const norm = width / Math.hypot(ux, uy, uz);
  ux *= norm; uy *= norm; uz *= norm;
  m[o] = ux; m[o + 1] = uy; m[o + 2] = uz; m[o + 3] = 0;
  m[o + 4] = dy * uz - dz * uy;
  m[o + 5] = dz * ux - dx * uz;
  m[o + 6] = dx * uy - dy * ux;
  m[o + 7] = 0;
  m[o + 8] = dx * length; m[o + 9] = dy * length; m[o + 10] = dz * length; m[o + 11] = 0;
  m[o + 12] = x; m[o + 13] = y; m[o + 14] = z; m[o + 15] = 1;
}
