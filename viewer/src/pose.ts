// Poses as 3x4 matrices, column by column: x axis, y axis, z axis, origin.

/** The matrix of the pose at `pose[at..at+6]`, written to `to[out..out+11]`. */
export function poseToMatrix(pose: ArrayLike<number>, at: number, to: Float32Array, out: number): void {
  let w = pose[at + 3], x = pose[at + 4], y = pose[at + 5], z = pose[at + 6];
  const norm = Math.sqrt(w * w + x * x + y * y + z * z) || 1; // rounded numbers are not quite unit
  w /= norm; x /= norm; y /= norm; z /= norm;
  to[out] = 1 - 2 * (y * y + z * z);
  to[out + 1] = 2 * (x * y + w * z);
  to[out + 2] = 2 * (x * z - w * y);
  to[out + 3] = 2 * (x * y - w * z);
  to[out + 4] = 1 - 2 * (x * x + z * z);
  to[out + 5] = 2 * (y * z + w * x);
  to[out + 6] = 2 * (x * z + w * y);
  to[out + 7] = 2 * (y * z - w * x);
  to[out + 8] = 1 - 2 * (x * x + y * y);
  to[out + 9] = pose[at];
  to[out + 10] = pose[at + 1];
  to[out + 11] = pose[at + 2];
}

/** to[out..out+15] = a * b, as the 4x4 matrix that WebGL takes. */
export function multiply(a: Float32Array, i: number, b: Float32Array, j: number, to: Float32Array,
                         out: number): void {
  for (let column = 0; column < 4; ++column) {
    const x = b[j + 3 * column], y = b[j + 3 * column + 1], z = b[j + 3 * column + 2];
    const o = out + 4 * column;
    to[o] = a[i] * x + a[i + 3] * y + a[i + 6] * z;
    to[o + 1] = a[i + 1] * x + a[i + 4] * y + a[i + 7] * z;
    to[o + 2] = a[i + 2] * x + a[i + 5] * y + a[i + 8] * z;
    to[o + 3] = 0;
  }
  to[out + 12] += a[i + 9];
  to[out + 13] += a[i + 10];
  to[out + 14] += a[i + 11];
  to[out + 15] = 1;
}

/** Pose between two, for drawing: to = a + t (b - a), the quaternions on their shorter way. */
export function mixPoses(a: Float32Array, b: Float32Array, t: number, to: Float32Array): void {
  for (let i = 0; i < a.length; i += 7) {
    for (let k = 0; k < 3; ++k) to[i + k] = a[i + k] + t * (b[i + k] - a[i + k]);
    let dot = 0;
    for (let k = 3; k < 7; ++k) dot += a[i + k] * b[i + k];
    const s = dot < 0 ? -t : t;
    for (let k = 3; k < 7; ++k) to[i + k] = (1 - t) * a[i + k] + s * b[i + k];
  }
}

/** The point `p` of a body's frame in the world, or with `inverse` the other way. */
export function transform(matrix: Float32Array, at: number, p: number[], inverse = false): number[] {
  const m = (k: number) => matrix[at + k];
  if (!inverse) {
    return [0, 1, 2].map((r) => m(r) * p[0] + m(3 + r) * p[1] + m(6 + r) * p[2] + m(9 + r));
  }
  const d = [p[0] - m(9), p[1] - m(10), p[2] - m(11)];
  return [0, 3, 6].map((c) => m(c) * d[0] + m(c + 1) * d[1] + m(c + 2) * d[2]);
}

/** Turned by `a`, then seen as speed: the angle between two quaternions [rad]. */
export function angleBetween(a: Float32Array, i: number, b: Float32Array, j: number): number {
  let dot = 0, na = 0, nb = 0;
  for (let k = 3; k < 7; ++k) {
    dot += a[i + k] * b[j + k];
    na += a[i + k] ** 2;
    nb += b[j + k] ** 2;
  }
  return 2 * Math.acos(Math.min(1, Math.abs(dot) / Math.sqrt(na * nb || 1)));
}
