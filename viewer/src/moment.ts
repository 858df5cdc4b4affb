import type { Frame } from "./data";
import { mixPoses } from "./pose";
import type { ReplaySource } from "./replay_source";

/** What of a recording is shown at a time: a frame, those beside it, and the poses on the way to the next. */
export class Moment {
  frame: Frame;
  before: Frame; // or the second frame, at the first
  poses: Float32Array | undefined; // between two frames
  step = 0;
  private index = -1;
  private next: Frame;
  private readonly between: Float32Array;

  constructor(private readonly source: ReplaySource) {
    this.frame = this.before = this.next = source.frame(0);
    this.between = new Float32Array(this.frame.poses.length);
  }

  /** `smooth`: between frames too, else the last frame that is not later. */
  set(time: number, smooth: boolean): void {
    const { source } = this;
    const index = source.frameAt(time);
    if (index !== this.index) {
      this.index = index;
      this.frame = source.frame(index);
      this.before = source.frame(index > 0 ? index - 1 : Math.min(1, source.frames - 1));
      this.next = source.frame(Math.min(index + 1, source.frames - 1));
    }
    const fraction = smooth ? source.fractionAt(time) : 0;
    if (fraction > 0) mixPoses(this.frame.poses, this.next.poses, fraction, this.between);
    this.poses = fraction > 0 ? this.between : undefined;
    this.step = this.frame.step + Math.floor(fraction * (this.next.step - this.frame.step) + 1e-6);
  }
}

/** Poses of later times, for the size of all. */
export function samplePoses(source: ReplaySource): Float32Array[] {
  return [0.1, 0.25, 0.5, 0.75, 1].map((part) => source.frame(Math.round(part * (source.frames - 1))).poses);
}

/** Whether it plays by itself once it is loaded. */
export function playsByItself(test: boolean): boolean {
  return !test && !matchMedia("(prefers-reduced-motion: reduce)").matches;
}
