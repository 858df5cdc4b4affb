/** Calls `draw` before each picture of the screen, with the seconds since the last one. */
export function everyPicture(draw: (seconds: number) => void): void {
  let last = performance.now();
  const loop = (now: number) => {
    draw(Math.min(0.25, Math.max(0, now - last) / 1e3));
    last = now;
    requestAnimationFrame(loop);
  };
  requestAnimationFrame(loop);
}
