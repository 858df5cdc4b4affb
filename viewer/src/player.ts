/** The moments that can be shown, in order. */
export interface Moments {
  readonly times: Float64Array; // [s]
  readonly frames: number;
  frameAt(time: number): number;
  fractionAt(time: number): number;
}

/** Which moment of a replay is shown. */
export class Player {
  playing = false;
  loop = true;
  speed = 1; // simulated seconds per second
  time: number;
  onChange = () => {};

  constructor(private readonly source: Moments) {
    this.time = this.start;
  }

  get start(): number {
    return this.source.times[0];
  }
  get end(): number {
    return this.source.times[this.source.frames - 1];
  }
  get frame(): number {
    return this.source.frameAt(this.time);
  }
  /** Way to the next frame, 0 to 1. */
  get fraction(): number {
    return this.source.fractionAt(this.time);
  }

  play(): void {
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.onChange();
  }
  pause(): void {
    this.playing = false;
    this.time = this.source.times[this.frame];
    this.onChange();
  }
  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  seekTime(time: number): void {
    this.time = Math.min(this.end, Math.max(this.start, time));
    if (!this.playing) this.time = this.source.times[this.frame];
    this.onChange();
  }
  seek(frame: number): void {
    this.seekTime(this.source.times[Math.min(this.source.frames - 1, Math.max(0, Math.round(frame)))]);
  }
  step(frames: number): void {
    this.playing = false;
    this.seek(this.frame + frames);
  }

  /** `seconds` of the wall have passed. */
  advance(seconds: number): void {
    if (!this.playing) return;
    this.time += this.speed * seconds;
    if (this.time > this.end) {
      if (this.loop && this.end > this.start) {
        this.time = this.start + ((this.time - this.start) % (this.end - this.start));
      } else {
        this.time = this.end;
        this.playing = false;
      }
    }
    this.onChange();
  }
}
