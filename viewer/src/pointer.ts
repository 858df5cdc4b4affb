import type { Scene } from "./data";
import type { View } from "./view";

/** Tells which body was clicked, -1 for none; a drag is no click, nor is one with Shift. */
export function onClick(view: View, tell: (body: number) => void): void {
  let down: [number, number] | null = null;
  view.canvas.addEventListener("pointerdown", (e) => (down = [e.offsetX, e.offsetY]));
  view.canvas.addEventListener("pointerup", (e) => {
    const still = down && Math.hypot(e.offsetX - down[0], e.offsetY - down[1]) < 4;
    down = null;
    if (still && !e.shiftKey) tell(view.pick(e.offsetX, e.offsetY)?.body ?? -1);
  });
}

/** Shows the name of the body under the pointer beside it. */
export function nameUnderPointer(view: View, hint: HTMLElement, scene: () => Scene | undefined): void {
  view.canvas.addEventListener("pointermove", (e) => {
    const shown = e.buttons === 0 ? scene() : undefined;
    const body = shown ? view.pick(e.offsetX, e.offsetY)?.body ?? -1 : -1;
    hint.hidden = body < 0;
    if (!shown || body < 0) return;
    hint.textContent = shown.bodies[body].name;
    hint.style.transform = `translate(${e.offsetX + 14}px, ${e.offsetY + 10}px)`;
  });
  view.canvas.addEventListener("pointerleave", () => (hint.hidden = true));
}
