// What the page is given: docs/formats/page.md. Lengths in metres, forces in newtons, quaternions
// w, x, y, z; a pose is 7 numbers, position and quaternion.

export type ShapeName =
  | "plane" | "sphere" | "capsule" | "cylinder" | "box" | "ellipsoid" | "mesh";

export interface Body {
  name: string;
  kind: "fixed" | "free" | "linked";
  mass: number;
  pose: number[];
}

export interface Geom {
  name: string;
  body: number; // -1: the world
  shape: ShapeName;
  size: number[];
  pose: number[]; // in the body's frame
  mesh: number;
  visual: boolean; // it does not collide
  surface: { velocity: number[]; angular_velocity: number[] } | null; // moves over it, in its frame [m/s], [rad/s]
  color: number[] | null; // r, g, b, a in 0..1
}

export interface MeshData {
  vertices: number[];
  triangles: number[];
}

export interface SceneCamera {
  name: string;
  position: number[];
  target: number[];
  up: number[];
  field_of_view: number; // vertical [degrees]
}

export interface SeriesInfo {
  name: string;
  label: string;
  unit: string;
  plot: string; // series with one `plot` share a diagram
  log: boolean;
}

export interface Scene {
  title: string;
  abut: string;
  time_step: number;
  gravity: number[];
  settings: { model: string; law: string | null; solver: string; tolerance: number };
  bodies: Body[];
  moving: number[]; // bodies whose poses a frame has, in its order
  geoms: Geom[];
  meshes: MeshData[];
  cameras: SceneCamera[];
  warnings: string[]; // of a replay
  series: SeriesInfo[];
}

export enum Mode {
  near,
  stick,
  slip,
}

/** Contacts as arrays; vectors have 3 numbers each. `force` acts on body b, `normal` points into b. */
export interface Contacts {
  count: number;
  a: Int32Array;
  b: Int32Array;
  point: Float32Array;
  normal: Float32Array;
  force: Float32Array;
  friction: Float32Array;
  slip: Float32Array;
  gap: Float32Array;
  mode: Uint8Array;
}

/** A spring that pulls a body at a point. */
export interface Drag {
  body: number;
  point: number[]; // in the world
  target: number[];
  force: number[];
}

export interface Frame {
  step: number;
  time: number;
  poses: Float32Array; // 7 for each moving body
  contacts: Contacts;
  allContacts: number; // of the step: `contacts` may hold the strongest of them only
  drag: Drag | null;
}

/** The numbers of each step, for the plots. `values` has an array for each of the scene's series. */
export interface Series {
  time: Float64Array;
  status: Uint8Array; // 0: converged
  values: Float32Array[];
}

export const statusNames = ["converged", "iteration limit", "stalled", "numerical failure"];

/** What a live page is told of the simulation. */
export interface LiveState {
  playing: boolean;
  speed: number; // asked: simulated seconds per second
  real_time: number; // reached
  step_time: number; // median wall time of a step [s]
  settings: Record<string, string | number | number[] | null>; // null: the scene's
  choices: Record<string, string[]>;
  implied: { label: string; value: number; unit: string }[];
  warnings: string[];
  recording: boolean;
  recorded: number; // bytes to download
}
