import type { Look } from "./bodies";
import type { ContactOptions, ForceArrows } from "./contact_view";
import { Mode } from "./data";
import { checkbox, digits, h, menu } from "./dom";
import { modeColors, modeNames } from "./palette";

/** What is drawn of the contacts, and what the colours mean. */
export class OptionsPanel {
  readonly element: HTMLElement;
  private readonly note = h("p", { class: "note" });
  private readonly scaleText = h("output");

  private readonly collision: HTMLElement;

  constructor(private readonly options: ContactOptions, onChange: () => void,
              onSeeThrough: (on: boolean) => void, onLook: (look: Look) => void) {
    const o = options;
    const set = (change: Partial<ContactOptions>) => {
      Object.assign(options, change);
      this.describe();
      onChange();
    };
    const forces = menu("force arrows",
      { none: "no forces", total: "forces", parts: "normal and friction" }, o.forces,
      (value) => set({ forces: value as ForceArrows }));
    const scale = h("input", {
      type: "range", min: -2, max: 2, step: 0.05, value: Math.log10(o.scale), "aria-label": "length of arrows",
      oninput: () => set({ scale: 10 ** Number(scale.value) }),
    });
    this.collision = checkbox("as they collide", false, (on) => onLook(on ? "collision" : "visual"));
    this.element = h("section", { class: "panel", id: "options" },
      h("h2", {}, "Contacts"),
      checkbox("points", o.points, (points) => set({ points })),
      checkbox("normals", o.normals, (normals) => set({ normals })),
      checkbox("friction cones", o.cones, (cones) => set({ cones })),
      forces,
      h("label", { class: "range" }, "length", scale),
      checkbox("logarithmic", o.logarithmic, (logarithmic) => set({ logarithmic })),
      this.scaleText,
      h("ul", { class: "legend" }, ...[Mode.stick, Mode.slip, Mode.near].map(legendItem)),
      this.note,
      h("h2", {}, "Bodies"),
      checkbox("see through", false, onSeeThrough),
      this.collision);
  }

  /** `size` and `force`: an arrow as long as a body, and what it means. */
  setScale(size: number, force: number): void {
    this.size = size;
    this.force = force;
    this.describe();
  }

  /** Whether bodies look otherwise than they collide. */
  setHasVisuals(has: boolean): void {
    this.collision.hidden = !has;
  }

  setCount(drawn: number, count: number): void {
    const text = drawn < count ? `${drawn} of ${count} contacts are drawn` : "";
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  private size = 1;
  private force = 1;

  private describe(): void {
    const { scale, logarithmic } = this.options;
    const length = Number((this.size * scale).toPrecision(2));
    this.scaleText.textContent = `arrow of ${digits(length)} m: ${digits(this.force)} N` +
      (logarithmic ? "; lengths logarithmic" : "");
  }
}

function legendItem(mode: Mode): HTMLElement {
  const swatch = h("span", { class: "swatch" });
  swatch.style.background = modeColors[mode];
  return h("li", {}, swatch, modeNames[mode]);
}
