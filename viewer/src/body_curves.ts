import type { Frame } from "./data";
import type { ReplaySource } from "./replay_source";

/** A body's motion and what contacts do to it, a number for each frame. */
export interface BodyCurves {
  height: Float32Array; // of its frame's origin [m]
  moved: Float32Array; // along a direction, since the start [m]
  across: Float32Array; // the same to the left of that direction [m]
  speed: Float32Array; // of its center of mass, horizontal [m/s]
  normal: Float32Array; // sum of its contacts' normal forces [N]
  friction: Float32Array; // size of the sum of their friction forces [N]
}

export interface Direction {
  vector: [number, number]; // horizontal, of length 1
  name: string;
}

/** The horizontal direction of the longest way from the start that the body goes in any of the recordings. */
export function mainDirection(sources: ReplaySource[], body: number): Direction {
  let way = [0, 0], longest = 0;
  for (const source of sources) {
    const at = 7 * source.scene.moving.indexOf(body);
    const start = source.frame(0).poses;
    for (let i = 1; i < source.frames; ++i) {
      const { poses } = source.frame(i);
      const d = [poses[at] - start[at], poses[at + 1] - start[at + 1]];
      const length = Math.hypot(...d);
      if (length > longest) [way, longest] = [d, length];
    }
  }
  if (longest < 1e-5) return { vector: [1, 0], name: "x" }; // it stays where it is
  const [x, y] = way.map((d) => d / longest);
  const axis = 0.999;
  const name = Math.abs(x) > axis ? (x > 0 ? "x" : "−x") : Math.abs(y) > axis ? (y > 0 ? "y" : "−y")
    : `(${x.toFixed(2)}, ${y.toFixed(2)})`;
  return { vector: [x, y], name };
}

export function bodyCurves(source: ReplaySource, body: number, [dx, dy]: [number, number]): BodyCurves {
  const index = source.scene.moving.indexOf(body), stride = source.scene.moving.length;
  const zeros = () => new Float32Array(source.frames);
  const curves = { height: zeros(), moved: zeros(), across: zeros(), speed: zeros(), normal: zeros(), friction: zeros() };
  const vx = source.velocity("x"), vy = source.velocity("y");
  const start = source.frame(0).poses, at = 7 * index;
  for (let i = 0; i < source.frames; ++i) {
    const frame = source.frame(i), p = frame.poses;
    curves.height[i] = p[at + 2];
    const x = p[at] - start[at], y = p[at + 1] - start[at + 1];
    curves.moved[i] = dx * x + dy * y;
    curves.across[i] = dx * y - dy * x;
    curves.speed[i] = Math.hypot(vx[stride * i + index], vy[stride * i + index]);
    [curves.normal[i], curves.friction[i]] = forcesOn(frame, body);
  }
  return curves;
}

/** NaN where there was no step yet, or where contacts are missing. */
function forcesOn(frame: Frame, body: number): [number, number] {
  const { count, a, b, normal, force } = frame.contacts;
  if (frame.step === 0 || count < frame.allContacts) return [NaN, NaN];
  let pressed = 0;
  const friction = [0, 0, 0];
  for (let i = 0; i < count; ++i) {
    const sign = b[i] === body ? 1 : a[i] === body ? -1 : 0;
    if (sign === 0) continue;
    const along = [0, 1, 2].reduce((sum, k) => sum + force[3 * i + k] * normal[3 * i + k], 0);
    pressed += along;
    for (let k = 0; k < 3; ++k) friction[k] += sign * (force[3 * i + k] - along * normal[3 * i + k]);
  }
  return [pressed, Math.hypot(...friction)];
}
