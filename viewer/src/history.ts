import type { Series } from "./data";
import type { LiveFrame } from "./live_source";

const longest = 4000; // samples

/** The last numbers of a running simulation, for the plots. */
export class History {
  private time: number[] = [];
  private status: number[] = [];
  private values: number[][] = [];

  add(frame: LiveFrame): void {
    const last = this.time[this.time.length - 1] ?? -Infinity;
    if (frame.time < last) this.clear(); // it was reset
    if (frame.time === last) return;
    if (this.values.length !== frame.series.length) this.values = [...frame.series].map(() => []);
    this.time.push(frame.time);
    this.status.push(frame.status);
    frame.series.forEach((value, s) => this.values[s].push(value));
    if (this.time.length < longest) return;
    for (const column of [this.time, this.status, ...this.values]) column.splice(0, longest / 4);
  }

  clear(): void {
    this.time = [];
    this.status = [];
    this.values = [];
  }

  get series(): Series {
    return {
      time: Float64Array.from(this.time),
      status: Uint8Array.from(this.status),
      values: this.values.map((column) => Float32Array.from(column)),
    };
  }
}
