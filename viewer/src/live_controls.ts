import type { Frame, LiveState, Scene } from "./data";
import { button, checkbox, digits, h, menu } from "./dom";
import type { LiveSource } from "./live_source";

interface Field {
  name: string;
  label: string;
  unit: string;
  range: [number, number]; // of the slider
  logarithmic: boolean;
}

const fields: Field[] = [
  { name: "time_step", label: "time step", unit: "s", range: [1e-4, 0.05], logarithmic: true },
  { name: "accuracy", label: "accuracy", unit: "", range: [1e-6, 0.1], logarithmic: true },
  { name: "stiffness", label: "stiffness", unit: "N/m", range: [1e2, 1e10], logarithmic: true },
  { name: "dissipation", label: "dissipation", unit: "s/m", range: [0, 100], logarithmic: false },
  { name: "relaxation_time", label: "relaxation time", unit: "s", range: [1e-4, 1], logarithmic: true },
  { name: "friction", label: "friction μ", unit: "", range: [0, 2], logarithmic: false },
  { name: "thickness", label: "thickness", unit: "m", range: [1e-5, 1e-2], logarithmic: true },
];
const speeds = [0.01, 0.1, 0.25, 0.5, 1, 2, 4, 10];

/** The controls of a running simulation: a bar below the picture and a panel beside it. */
export class LiveControls {
  readonly bar: HTMLElement;
  readonly panel: HTMLElement;
  dragMode = false;
  private readonly playButton: HTMLButtonElement;
  private readonly recordButton: HTMLButtonElement;
  private readonly clock = h("output", { class: "clock" });
  private readonly pace = h("output", { class: "quiet" });
  private readonly speed: HTMLSelectElement;
  private readonly download: HTMLAnchorElement;
  private readonly menus = h("div", { class: "fields" });
  private readonly implied = h("table");
  private readonly inputs = new Map<string, FieldInput>();
  private readonly gravity: FieldInput;
  private choices = "";
  private state: LiveState | null = null;
  private down = [0, 0, -1];
  private scene: Scene | null = null;

  constructor(private readonly source: LiveSource) {
    this.playButton = button("▶", "play or pause (Space)", () => this.togglePlay());
    this.recordButton = button("● record", "record, or end the recording",
                               () => source.send("record", { value: !this.state?.recording }));
    this.speed = menu("speed", Object.fromEntries(speeds.map((s) => [s, `${s}×`])), "1",
                      (value) => source.send("speed", { value: Number(value) }));
    this.download = h("a", { href: "recording", download: "recording.bin", hidden: true }, "download");
    this.bar = h("div", { class: "timeline" },
      button("⇤", "reset to the start", () => source.send("reset")),
      this.playButton,
      button("▸", "one step (→)", () => source.send("step")),
      this.speed, this.pace, h("span", { class: "space" }), this.clock,
      checkbox("drag", false, (on) => (this.dragMode = on)),
      this.recordButton, this.download);
    for (const field of fields) {
      this.inputs.set(field.name, new FieldInput(field, (value) => this.set(field.name, value)));
    }
    this.gravity = new FieldInput(
      { name: "gravity", label: "gravity", unit: "m/s²", range: [0, 30], logarithmic: false },
      (value) => this.set("gravity", value === null ? null : this.down.map((d) => d * value)));
    this.panel = h("section", { class: "panel", id: "simulation" }, h("h2", {}, "Simulation"), this.menus,
      ...[...this.inputs.values(), this.gravity].map((input) => input.element),
      h("h2", {}, "Implied"), this.implied,
      h("p", { class: "note" }, "Shift and drag a body to pull it."));
    this.listen();
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    const size = Math.hypot(...scene.gravity);
    if (size > 0) this.down = scene.gravity.map((g) => g / size);
  }

  show(state: LiveState): void {
    this.state = state;
    this.playButton.textContent = state.playing ? "❚❚" : "▶";
    if (![...this.speed.options].some((o) => Number(o.value) === state.speed)) {
      this.speed.append(h("option", { value: String(state.speed) }, `${digits(state.speed)}×`));
    }
    this.speed.value = String(state.speed);
    const cost = `${(1e3 * state.step_time).toPrecision(2)} ms a step`;
    this.pace.textContent = state.playing ? `${state.real_time.toFixed(2)} × real time, ${cost}` : "";
    this.recordButton.textContent = state.recording ? "■ end recording" : "● record";
    this.recordButton.classList.toggle("on", state.recording);
    this.download.hidden = state.recorded === 0;
    this.download.textContent = `download (${digits(state.recorded / 1e6)} MB)`;
    this.showMenus(state);
    for (const [name, input] of this.inputs) {
      const own = name === "time_step" ? this.scene?.time_step ?? null : null;
      input.show((state.settings[name] as number | null) ?? own);
    }
    const gravity = (state.settings.gravity as number[] | null) ?? this.scene?.gravity;
    if (gravity) this.gravity.show(Math.hypot(...gravity));
    const rows = state.implied.map(({ label, value, unit }) =>
      h("tr", {}, h("th", {}, label), h("td", {}, `${digits(value)} ${unit}`)));
    this.implied.replaceChildren(...rows);
  }

  showTime({ time, step, drag }: Frame): void {
    const pull = drag ? `pull ${digits(Math.hypot(...drag.force))} N · ` : "";
    this.clock.textContent = `${pull}${time.toFixed(3)} s · step ${step}`;
  }

  private set(name: string, value: unknown): void {
    this.source.send("set", { name, value });
  }

  private togglePlay(): void {
    this.source.send(this.state?.playing ? "pause" : "play");
  }

  private showMenus(state: LiveState): void {
    const choices = JSON.stringify(state.choices);
    if (choices !== this.choices) {
      this.choices = choices;
      this.menus.replaceChildren(...["model", "law", "scheme", "solver"].map((name) => {
        const names = Object.fromEntries(state.choices[name].map((c) => [c, c]));
        const select = menu(name, names, "", (value) => this.set(name, value));
        select.id = name;
        return h("label", { class: "field" }, name, select);
      }));
    }
    for (const select of this.menus.querySelectorAll("select")) {
      select.value = String(state.settings[select.id]);
    }
    const law = this.menus.querySelector<HTMLSelectElement>("#law")!;
    law.disabled = !state.settings.takes_law;
  }

  private listen(): void {
    window.addEventListener("keydown", (e) => {
      const on = e.target as HTMLElement;
      if (on instanceof HTMLSelectElement || (on instanceof HTMLInputElement && on.type === "number")) return;
      if (e.key === " ") this.togglePlay();
      else if (e.key === "ArrowRight") this.source.send("step");
      else return;
      if (on instanceof HTMLButtonElement) on.blur();
      e.preventDefault();
    });
  }
}

/** A number with a slider; empty stands for the scene's. */
class FieldInput {
  readonly element: HTMLElement;
  private readonly number: HTMLInputElement;
  private readonly slider: HTMLInputElement;

  constructor(private readonly field: Field, private readonly onSet: (value: number | null) => void) {
    const { name, label, unit, range } = field;
    const [low, high] = range.map((value) => this.toSlider(value));
    this.number = h("input", {
      type: "number", step: "any", id: name, placeholder: "scene's",
      onchange: () => this.onSet(this.number.value === "" ? null : Number(this.number.value)),
    });
    this.slider = h("input", {
      type: "range", min: low, max: high, step: (high - low) / 200, "aria-label": label, tabIndex: -1,
      oninput: () => (this.number.value = String(this.fromSlider())),
      onchange: () => this.onSet(this.fromSlider()),
    });
    this.element = h("div", { class: "field" },
      h("label", { htmlFor: name }, unit ? `${label} [${unit}]` : label), this.number, this.slider);
  }

  show(value: number | null): void {
    if (document.activeElement === this.number) return; // somebody types
    this.number.value = value === null ? "" : String(Number(value.toPrecision(6)));
    this.element.classList.toggle("unset", value === null); // the slider says nothing then
    if (value === null) this.slider.value = String((Number(this.slider.min) + Number(this.slider.max)) / 2);
    else if (value > 0 || !this.field.logarithmic) this.slider.value = String(this.toSlider(value));
  }

  private toSlider(value: number): number {
    return this.field.logarithmic ? Math.log10(value) : value;
  }
  private fromSlider(): number {
    const x = Number(this.slider.value);
    return Number((this.field.logarithmic ? 10 ** x : x).toPrecision(3));
  }
}
