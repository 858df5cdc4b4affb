import type { Frame, Scene } from "./data";
import { button, checkbox, digits, h } from "./dom";
import { angleBetween } from "./pose";

/** The body that was clicked: its name, state and forces. */
export class Inspector {
  readonly element = h("section", { class: "panel", id: "inspector", hidden: true });
  follow = false;
  body = -1;
  private readonly title = h("h2");
  private readonly table = h("table");

  constructor(onClose: () => void) {
    const followBox = checkbox("follow", false, (on) => (this.follow = on));
    this.element.append(button("×", "close (Escape)", onClose), this.title, this.table, followBox);
    this.element.firstElementChild!.className = "close";
  }

  /** -1 closes it. `before` is an earlier or later frame, to tell the speed by; null if there is none. */
  show(scene: Scene, body: number, frame: Frame | null, before: Frame | null): void {
    this.body = body;
    this.element.hidden = body < 0;
    if (body < 0) return;
    const { name, kind, mass } = scene.bodies[body];
    this.title.textContent = name;
    const rows: [string, string][] = [["mass [kg]", kind === "fixed" ? "fixed" : digits(mass)]];
    const index = scene.moving.indexOf(body);
    if (frame && index >= 0) rows.push(...stateRows(frame, before, 7 * index));
    if (frame) rows.push(...forceRows(frame, body));
    this.table.replaceChildren(...rows.map(([key, value]) => h("tr", {}, h("th", {}, key), h("td", {}, value))));
  }
}

function vector(v: ArrayLike<number>, at = 0): string {
  return [0, 1, 2].map((k) => v[at + k].toFixed(3)).join(", ");
}

function stateRows(frame: Frame, before: Frame | null, at: number): [string, string][] {
  const p = frame.poses;
  const rows: [string, string][] = [["position [m]", vector(p, at)]];
  if (!before || before.time === frame.time) return rows;
  const dt = frame.time - before.time;
  const v = [0, 1, 2].map((k) => (p[at + k] - before.poses[at + k]) / dt);
  const turn = angleBetween(p, at, before.poses, at) / Math.abs(dt);
  rows.push(["velocity [m/s]", vector(v)], ["speed [m/s]", digits(Math.hypot(...v))],
            ["ω [rad/s]", digits(turn)]);
  return rows;
}

/** The sum of what contacts transmit. */
function forceRows(frame: Frame, body: number): [string, string][] {
  const { count, a, b, force } = frame.contacts;
  const sum = [0, 0, 0];
  let touching = 0;
  for (let i = 0; i < count; ++i) {
    const sign = b[i] === body ? 1 : a[i] === body ? -1 : 0;
    if (sign === 0) continue;
    ++touching;
    for (let k = 0; k < 3; ++k) sum[k] += sign * force[3 * i + k];
  }
  return [["contacts", String(touching)],
          ["their force [N]", sum.map((f) => f.toFixed(2).replace("-0.00", "0.00")).join(", ")],
          ["", `size ${digits(Math.hypot(...sum))}`]];
}
