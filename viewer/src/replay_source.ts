import { type Column, decodeColumns, inflate } from "./columns";
import type { Contacts, Frame, Scene, Series } from "./data";

/** All frames of a recording, from the scripts of a replay's file. */
export class ReplaySource {
  readonly times: Float64Array; // of the frames [s]
  readonly series: Series;
  private readonly firstContact: Uint32Array; // of each frame, and the end
  private readonly poses: Float32Array; // 7 for each frame and moving body
  private readonly contacts: Contacts; // of all frames

  /** `suffix`: of the scripts' ids, where there are several recordings. */
  static async load(suffix = ""): Promise<ReplaySource> {
    const text = (id: string) => document.getElementById(id + suffix)!.textContent!;
    const columns = decodeColumns(JSON.parse(text("abut-heads")), await inflate(text("abut-columns")));
    return new ReplaySource(JSON.parse(text("abut-scene")), columns);
  }

  static present(): boolean {
    return document.getElementById("abut-scene") !== null;
  }

  constructor(readonly scene: Scene, private readonly columns: Map<string, Column>) {
    this.times = this.take("frame.time") as Float64Array;
    this.poses = interleave(["x", "y", "z", "qw", "qx", "qy", "qz"].map((c) => this.take(`pose.${c}`)));
    const counts = this.take("frame.contacts");
    this.firstContact = new Uint32Array(counts.length + 1);
    counts.forEach((count, i) => (this.firstContact[i + 1] = this.firstContact[i] + count));
    const vector = (name: string) =>
      interleave(["x", "y", "z"].map((c) => this.take(`contact.${name}_${c}`)));
    this.contacts = {
      count: this.firstContact[counts.length],
      a: this.take("contact.a") as Int32Array,
      b: this.take("contact.b") as Int32Array,
      point: vector("point"),
      normal: vector("normal"),
      force: vector("force"),
      friction: this.take("contact.friction") as Float32Array,
      slip: this.take("contact.slip") as Float32Array,
      gap: this.take("contact.gap") as Float32Array,
      mode: this.take("contact.mode") as Uint8Array,
    };
    this.series = {
      time: this.take("step.time") as Float64Array,
      status: this.take("step.status") as Uint8Array,
      values: scene.series.map((s) => this.take(`step.${s.name}`) as Float32Array),
    };
  }

  get frames(): number {
    return this.times.length;
  }

  /** Frame i; its arrays are views that stay valid. */
  frame(i: number): Frame {
    const n = 7 * this.scene.moving.length;
    return {
      step: this.take("frame.step")[i],
      time: this.times[i],
      poses: this.poses.subarray(n * i, n * (i + 1)),
      contacts: slice(this.contacts, this.firstContact[i], this.firstContact[i + 1]),
      allContacts: this.take("frame.all_contacts")[i],
      drag: null,
    };
  }

  /** The frame that is shown at a time: the last one that is not later. */
  frameAt(time: number): number {
    let low = 0;
    let high = this.frames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Way from there to the next frame, 0 to 1. */
  fractionAt(time: number): number {
    const i = this.frameAt(time);
    if (i + 1 >= this.frames) return 0;
    const [from, to] = [this.times[i], this.times[i + 1]];
    return to > from ? Math.max(0, time - from) / (to - from) : 0;
  }

  /** Velocities of the moving bodies' centers of mass along an axis, frame by frame [m/s]. Only a comparison has them. */
  velocity(axis: "x" | "y" | "z"): Column {
    return this.take(`velocity.${axis}`);
  }

  private take(name: string): Column {
    const column = this.columns.get(name);
    if (!column) throw new Error(`the replay has no column ${name}`);
    return column;
  }
}

function interleave(columns: Column[]): Float32Array {
  const n = columns.length;
  const all = new Float32Array(n * columns[0].length);
  columns.forEach((column, c) => {
    for (let i = 0, to = c; i < column.length; ++i, to += n) all[to] = column[i];
  });
  return all;
}

function slice(c: Contacts, begin: number, end: number): Contacts {
  const vectors = (v: Float32Array) => v.subarray(3 * begin, 3 * end);
  return {
    count: end - begin,
    a: c.a.subarray(begin, end),
    b: c.b.subarray(begin, end),
    point: vectors(c.point),
    normal: vectors(c.normal),
    force: vectors(c.force),
    friction: c.friction.subarray(begin, end),
    slip: c.slip.subarray(begin, end),
    gap: c.gap.subarray(begin, end),
    mode: c.mode.subarray(begin, end),
  };
}
