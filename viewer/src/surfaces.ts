import { Arrows } from "./arrows";
import type { Geom, Scene } from "./data";
import { surfaceColor } from "./palette";
import { poseToMatrix } from "./pose";

/** An arrow that lies on a body, in its frame. */
interface Spot {
  body: number; // the world is the one after all bodies
  point: number[];
  along: number[];
  length: number;
}

/** Arrows on surfaces that move over their shapes, such as belts: on the side that is up at the start. */
export class Surfaces {
  private readonly arrows = new Arrows();
  readonly group = this.arrows.group;
  private readonly spots: Spot[] = [];

  /** `unit`: half the size of what is drawn of a plane [m]. */
  constructor(scene: Scene, private readonly unit: number) {
    for (const geom of scene.geoms) {
      if (geom.surface) this.addSpots(scene, geom, geom.surface);
    }
  }

  get count(): number {
    return this.spots.length;
  }

  /** With the 3x4 matrix of each body, as in Bodies. */
  draw(matrices: Float32Array): void {
    this.arrows.clear();
    for (const { body, point, along, length } of this.spots) {
      const m = matrices.subarray(12 * body, 12 * body + 12);
      const [x, y, z] = turn(m, point).map((p, k) => p + m[9 + k]);
      const [dx, dy, dz] = turn(m, along);
      this.arrows.add(x, y, z, dx, dy, dz, length, 0.05 * length, surfaceColor);
    }
    this.arrows.finish();
  }

  private addSpots(scene: Scene, geom: Geom, { velocity, angular_velocity: w }: NonNullable<Geom["surface"]>): void {
    const inBody = new Float32Array(12), outer = new Float32Array(12);
    poseToMatrix(geom.pose, 0, inBody, 0);
    poseToMatrix(geom.body < 0 ? [0, 0, 0, 1, 0, 0, 0] : scene.bodies[geom.body].pose, 0, outer, 0);
    const half = halfExtents(geom, scene, this.unit);
    const up = [0, 1, 2].map((k) => turn(outer, [inBody[3 * k], inBody[3 * k + 1], inBody[3 * k + 2]])[2]);
    const size = up.map(Math.abs);
    const top = geom.shape === "plane" ? 2 : size.indexOf(Math.max(...size));
    const [a, b] = [(top + 1) % 3, (top + 2) % 3];
    const at = [[0, 0], [0.5, 0], [-0.5, 0], [0, 0.5], [0, -0.5]].map(([s, t]) => {
      const r = [0, 0, 0];
      r[top] = 1.02 * half[top] * (up[top] < 0 ? -1 : 1);
      r[a] = s * half[a];
      r[b] = t * half[b];
      const u = [0, 1, 2].map((k) =>
        velocity[k] + w[(k + 1) % 3] * r[(k + 2) % 3] - w[(k + 2) % 3] * r[(k + 1) % 3]);
      u[top] = 0; // what is along the normal no contact sees
      return { r, u, speed: Math.hypot(...u) };
    });
    const fastest = Math.max(...at.map(({ speed }) => speed));
    for (const { r, u, speed } of at) {
      if (!(speed > 1e-3 * fastest)) continue;
      const length = (0.4 * Math.min(half[a], half[b]) * speed) / fastest;
      const along = turn(inBody, u.map((x) => x / speed));
      const point = turn(inBody, r).map((p, k) => p + inBody[9 + k]);
      this.spots.push({ body: geom.body < 0 ? scene.bodies.length : geom.body, point, along, length });
    }
  }
}

/** R v of a 3x4 matrix. */
function turn(m: Float32Array, v: number[]): number[] {
  return [0, 1, 2].map((k) => m[k] * v[0] + m[3 + k] * v[1] + m[6 + k] * v[2]);
}

/** Of the box about a shape. */
function halfExtents(geom: Geom, scene: Scene, unit: number): number[] {
  const [a, b] = geom.size;
  switch (geom.shape) {
    case "plane": return [unit, unit, 0];
    case "sphere": return [a, a, a];
    case "capsule": return [a, a, a + b];
    case "cylinder": return [a, a, b];
    case "box":
    case "ellipsoid": return geom.size;
    case "mesh": {
      const half = [0, 0, 0];
      scene.meshes[geom.mesh].vertices.forEach((x, i) => (half[i % 3] = Math.max(half[i % 3], Math.abs(x))));
      return half;
    }
  }
}
