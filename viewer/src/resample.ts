// Runs have samples at times of their own: they are brought to common ones.

const same = 1e-9; // [s]: of times that differ by rounding

/** All times in order, each once. */
export function commonTimes(each: Float64Array[]): Float64Array {
  const all = new Float64Array(each.reduce((count, times) => count + times.length, 0));
  let at = 0;
  for (const times of each) {
    all.set(times, at);
    at += times.length;
  }
  all.sort();
  return all.filter((time, i) => i === 0 || time - all[i - 1] > same);
}

/** On a line between samples; NaN before the first and after the last. */
export function interpolate(times: Float64Array, values: ArrayLike<number>, to: Float64Array): Float32Array {
  let i = 0;
  return Float32Array.from(to, (time) => {
    while (i < times.length && times[i] < time - same) ++i; // the first sample that is not earlier
    if (i === times.length) return NaN;
    if (times[i] <= time + same) return values[i];
    if (i === 0) return NaN;
    const part = (time - times[i - 1]) / (times[i] - times[i - 1]);
    return values[i - 1] + part * (values[i] - values[i - 1]);
  });
}

/** A step's number counts from the step before it to its own time; NaN before the first and after the last. */
export function hold(times: Float64Array, values: ArrayLike<number>, to: Float64Array): Float32Array {
  let i = 0;
  return Float32Array.from(to, (time) => {
    while (i < times.length && times[i] < time - same) ++i;
    return i === times.length || (i === 0 && times[0] > time + same) ? NaN : values[i];
  });
}
