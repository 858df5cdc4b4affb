import { Box3, Vector3 } from "three";
import type { Geom, Scene } from "./data";
import { multiply, poseToMatrix } from "./pose";
import { boundingRadius } from "./shapes";

/** How large things are, for the camera, the light and the arrows. */
export interface SceneSize {
  view: Box3; // of what moves and of what stands about it
  center: Vector3; // of what moves
  radius: number;
  extent: number; // of the ground to be shown
  lowest: number; // z
  body: number; // bounding radius of a usual body
  weight: number; // of a usual body [N]
  inWorld(body: number, pose: number[]): Float32Array; // 3x4
}

/** `samples`: poses of the moving bodies at some later times. */
export function measure(scene: Scene, samples: Float32Array[] = []): SceneSize {
  const isMoving = scene.bodies.map(() => false);
  for (const body of scene.moving) isMoving[body] = true;
  const inWorld = (body: number, pose: number[]) => {
    const local = new Float32Array(12), outer = new Float32Array(12), product = new Float32Array(16);
    poseToMatrix(pose, 0, local, 0);
    poseToMatrix(body < 0 ? [0, 0, 0, 1, 0, 0, 0] : scene.bodies[body].pose, 0, outer, 0);
    multiply(outer, 0, local, 0, product, 0);
    return Float32Array.from({ length: 12 }, (_, i) => product[4 * Math.floor(i / 3) + (i % 3)]);
  };

  const moving = new Box3();
  const fixed: Box3[] = [];
  const all = new Box3();
  const radii: number[] = [];
  for (const geom of scene.geoms) {
    const bounding = boundingRadius(geom, scene.meshes);
    if (bounding === 0) continue;
    const box = boundsOf(geom, bounding, inWorld(geom.body, geom.pose));
    all.union(box);
    if (geom.body < 0 || !isMoving[geom.body]) {
      fixed.push(box);
      continue;
    }
    moving.union(box);
    radii.push(bounding);
  }
  // bodies without shape are seen by their contacts and joints at least
  for (const body of scene.moving) moving.expandByPoint(new Vector3().fromArray(scene.bodies[body].pose));
  const box = moving.isEmpty() ? all : moving;
  if (box.isEmpty()) box.set(new Vector3(-1, -1, 0), new Vector3(1, 1, 1));
  extendByWay(box, samples);
  const middle = (values: number[], otherwise: number) =>
    values.sort((a, b) => a - b)[values.length >> 1] ?? otherwise;
  const radius = Math.max(1e-3, 0.5 * box.getSize(new Vector3()).length());
  const view = box.clone();
  const near = box.clone().expandByScalar(0.3 * radius);
  for (const b of fixed) {
    if (b.intersectsBox(near) && b.getSize(new Vector3()).length() < 2 * radius) view.union(b);
  }
  const masses = scene.moving.map((b) => scene.bodies[b].mass).filter((m) => m > 0);
  return {
    view,
    center: box.getCenter(new Vector3()),
    radius,
    extent: 2 * radius,
    lowest: Math.min(box.min.z, all.isEmpty() ? 0 : Math.max(all.min.z, box.min.z - radius)),
    body: Math.min(middle(radii, radius), radius),
    weight: middle(masses, 1) * Math.max(1, Math.hypot(...scene.gravity)),
    inWorld,
  };
}

/** Of a geom at a 3x4 pose: of a box its own, of others that of the sphere about them. */
function boundsOf(geom: Geom, bounding: number, m: Float32Array): Box3 {
  const middle = new Vector3().fromArray(m, 9);
  const half = [0, 1, 2].map((row) => geom.shape !== "box" ? bounding
    : [0, 1, 2].reduce((sum, k) => sum + Math.abs(m[3 * k + row]) * geom.size[k], 0));
  const corner = new Vector3(...half);
  return new Box3(middle.clone().sub(corner), middle.clone().add(corner));
}

/** By where bodies go, but not by those that get lost. */
function extendByWay(box: Box3, samples: Float32Array[]): void {
  const near = box.clone().expandByScalar(2 * box.getSize(new Vector3()).length());
  const place = new Vector3();
  for (const poses of samples) {
    for (let i = 0; i < poses.length; i += 7) {
      if (near.containsPoint(place.fromArray(poses, i))) box.expandByPoint(place);
    }
  }
}
