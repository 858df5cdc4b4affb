import type { LiveSource } from "./live_source";
import { transform } from "./pose";
import type { Workbench } from "./workbench";

/** Pulls bodies with the pointer: with shift, or always while `always()`. */
export class Dragging {
  private anchor: { body: number; point: number[]; grabbed: number[] } | null = null;
  private target: number[] | null = null; // not yet sent

  constructor(private readonly workbench: Workbench, private readonly source: LiveSource,
              private readonly always: () => boolean) {
    const stage = workbench.view.canvas.parentElement!;
    // before the orbit camera hears of it
    stage.addEventListener("pointerdown", (e) => this.begin(e), { capture: true });
    window.addEventListener("pointermove", (e) => this.move(e));
    for (const end of ["pointerup", "pointercancel", "blur"]) window.addEventListener(end, () => this.end());
  }

  /** Once for each picture. */
  send(): void {
    if (!this.anchor || !this.target) return;
    const { body, point } = this.anchor;
    this.source.send("drag", { body, point, target: this.target });
    this.target = null;
  }

  private begin(e: PointerEvent): void {
    const { view, scene } = this.workbench;
    if (e.button !== 0 || e.target !== view.canvas || !(e.shiftKey || this.always())) return;
    const hit = view.pick(e.offsetX, e.offsetY);
    if (!hit || hit.body < 0 || !scene.moving.includes(hit.body)) return;
    e.stopPropagation();
    e.preventDefault();
    const point = transform(view.bodies.matrices, 12 * hit.body, hit.point, true);
    this.anchor = { body: hit.body, point, grabbed: hit.point };
    this.target = hit.point;
    this.workbench.select(hit.body);
  }

  private move(e: PointerEvent): void {
    if (!this.anchor) return;
    const { view } = this.workbench;
    const frame = view.canvas.getBoundingClientRect();
    this.target = view.pointAcross(e.clientX - frame.left, e.clientY - frame.top, this.anchor.grabbed);
  }

  private end(): void {
    if (!this.anchor) return;
    this.anchor = this.target = null;
    this.source.send("release");
  }
}
