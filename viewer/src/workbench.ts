import type { Frame, Scene, Series } from "./data";
import { button, h, menu } from "./dom";
import { Inspector } from "./inspector";
import { everyPicture } from "./loop";
import { OptionsPanel } from "./options_panel";
import { Plots } from "./plots";
import { nameUnderPointer, onClick } from "./pointer";
import { View } from "./view";

/** Milliseconds of this page's own script, of the last pictures that changed. */
export class ScriptTime {
  private readonly times: number[] = [];

  add(ms: number): void {
    this.times.push(ms);
    if (this.times.length > 240) this.times.shift();
  }
  get median(): number {
    return [...this.times].sort((a, b) => a - b)[this.times.length >> 1] ?? 0;
  }
  get worst(): number {
    return Math.max(0, ...this.times);
  }
  get count(): number {
    return this.times.length;
  }
}

/** What replay and live page share: the picture with its panels, the plots, the loop of pictures. */
export class Workbench {
  readonly view: View;
  readonly plots: Plots;
  readonly inspector = new Inspector(() => this.select(-1));
  readonly options: OptionsPanel;
  readonly dock = h("footer"); // below the picture
  readonly side = h("aside"); // panels over its right edge
  readonly update = new ScriptTime(); // all but the calls of WebGL
  readonly render = new ScriptTime();
  scene!: Scene;
  frame: Frame | null = null;
  onSelect = () => {};
  private before: Frame | null = null;
  private readonly title = h("h1");
  private readonly summary = h("span", { class: "quiet" });
  private readonly badge = h("span", { class: "badge", hidden: true });
  private readonly cameras = h("span");
  private readonly hint = h("div", { class: "hint", hidden: true });
  private readonly warnings = h("section", { class: "panel", id: "warnings", hidden: true });

  constructor(onSeek: (time: number) => void, test: boolean) {
    const stage = h("div", { class: "stage" });
    this.plots = new Plots(onSeek);
    const tools = h("nav", {},
      this.cameras,
      button("fit", "show all that moves (F)", () => this.fit()),
      toggle("plots", this.plots.element),
      toggle("panel", this.side));
    document.body.append(
      h("header", {}, this.title, this.summary, this.badge, tools),
      stage, this.plots.element, this.dock);
    this.view = new View(stage, { plain: test });
    this.options = new OptionsPanel(this.view.contactOptions, () => this.redraw(), (on) =>
      this.view.setSeeThrough(on), (look) => this.view.setLook(look));
    this.side.append(this.warnings, this.inspector.element);
    stage.append(this.side, this.hint);
    this.listen();
  }

  setScene(scene: Scene, samples: Float32Array[] = []): void {
    // not so where parameters change while it runs
    const changed = this.scene?.title !== scene.title || this.scene.bodies.length !== scene.bodies.length;
    this.scene = scene;
    this.frame = null;
    this.title.textContent = scene.title;
    document.title = `${scene.title} · abut`;
    this.showSettings(scene.settings, scene.time_step);
    this.view.setScene(scene, samples);
    if (!this.options.element.isConnected) this.side.append(this.options.element);
    this.options.setHasVisuals(this.view.bodies.hasVisuals);
    this.options.setScale(this.view.size.body, this.view.size.weight);
    this.plots.setInfos(scene.series, { certificate: scene.settings.tolerance });
    this.showCameras(scene);
    this.select(changed ? -1 : this.inspector.body);
    if (!changed) return;
    if (scene.cameras.length > 0) this.lookThrough(0);
    else this.view.fit();
  }

  /** Beside the title; `timeStep` [s]. */
  showSettings({ model, law, solver }: { model: string; law: string | null; solver: string }, timeStep: number): void {
    this.summary.textContent = `${this.scene.moving.length} bodies · ${model} · ${law === null ? "" : `${law} · `}${solver}` +
      ` · ${Number((1e3 * timeStep).toPrecision(6))} ms`;
  }

  setSeries(series: Series): void {
    this.plots.setSeries(series);
  }

  /** "3 steps failed", or nothing. */
  setBadge(text: string): void {
    this.badge.hidden = text === "";
    this.badge.textContent = text;
  }

  /** Sentences of what the numbers of the simulation may not mean. */
  setWarnings(texts: string[]): void {
    this.warnings.hidden = texts.length === 0;
    this.warnings.replaceChildren(h("h2", {}, texts.length === 1 ? "Warning" : "Warnings"),
                                  ...texts.map((text) => h("p", {}, text)));
  }

  /** `before`: an earlier or later frame, for speeds; `poses`: those between two frames. */
  show(frame: Frame, before: Frame | null, poses?: Float32Array): void {
    const fresh = frame !== this.frame;
    this.frame = frame;
    this.before = before;
    this.view.draw(frame, poses);
    if (fresh) {
      this.inspector.show(this.scene, this.inspector.body, frame, before);
      this.options.setCount(this.view.contacts.drawn, frame.allContacts);
    }
    if (this.inspector.follow && this.inspector.body >= 0) {
      const m = this.view.bodies.matrices, at = 12 * this.inspector.body + 9;
      this.view.follow(m[at], m[at + 1], m[at + 2]);
    }
  }

  redraw(): void {
    if (this.frame) this.show(this.frame, this.before);
    this.view.invalidate();
  }

  select(body: number): void {
    this.view.bodies.select(body);
    this.view.invalidate();
    this.inspector.show(this.scene, body, this.frame, this.before);
    this.onSelect();
  }

  /** `tick` brings the page up to date, given the seconds since the last picture. */
  run(tick: (seconds: number) => void): void {
    everyPicture((seconds) => {
      const begin = performance.now();
      tick(seconds);
      const middle = performance.now();
      if (!this.view.render()) return;
      this.update.add(middle - begin);
      this.render.add(performance.now() - middle);
    });
  }

  private showCameras(scene: Scene): void {
    const chosen = this.cameras.querySelector("select")?.value ?? "";
    if (scene.cameras.length === 0) return this.cameras.replaceChildren();
    const names = Object.fromEntries(scene.cameras.map((c, i) => [String(i), c.name || `camera ${i}`]));
    const choice = menu("camera", { "": "free camera", ...names }, chosen, (value) => {
      if (value !== "") this.lookThrough(Number(value));
    });
    this.cameras.replaceChildren(choice);
  }

  private lookThrough(camera: number): void {
    const { position, target, up, field_of_view } = this.scene.cameras[camera];
    this.view.look(position, target, up, field_of_view);
    this.showCamera(String(camera));
  }

  private fit(): void {
    this.view.fit();
    this.showCamera("");
  }

  /** In the menu; "": the free one. */
  private showCamera(value: string): void {
    const choice = this.cameras.querySelector("select");
    if (choice) choice.value = value;
  }

  private listen(): void {
    this.view.controls.addEventListener("change", () => this.showCamera(""));
    onClick(this.view, (body) => this.scene && this.select(body));
    nameUnderPointer(this.view, this.hint, () => this.scene);
    window.addEventListener("keydown", (e) => {
      if (e.target instanceof HTMLSelectElement || e.ctrlKey || e.metaKey) return;
      if (e.key === "Escape") this.select(-1);
      if (e.key === "f") this.fit();
    });
  }
}

function toggle(label: string, element: HTMLElement): HTMLButtonElement {
  const self = button(label, `show or hide ${label}`, () => {
    element.hidden = !element.hidden;
    self.setAttribute("aria-pressed", String(!element.hidden));
  });
  self.setAttribute("aria-pressed", "true");
  return self;
}
