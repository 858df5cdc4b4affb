import { ComparisonPlots, type Run } from "./comparison_plots";
import { runTable, swatch, type SummaryTable } from "./comparison_table";
import { button, checkbox, h, menu } from "./dom";
import { everyPicture } from "./loop";
import { Moment, playsByItself, samplePoses } from "./moment";
import { runColor } from "./palette";
import { Player } from "./player";
import { nameUnderPointer, onClick } from "./pointer";
import { ReplaySource } from "./replay_source";
import { listenToKeys, Timeline } from "./timeline";
import { View } from "./view";

interface ComparisonData extends SummaryTable {
  title: string;
  names: string[];
}

const id = "abut-comparison";

export function hasComparison(): boolean {
  return document.getElementById(id) !== null;
}

/** Shows one scene under several models side by side; returns `window.abut`, for tests and for the curious. */
export async function startComparison(test: boolean): Promise<object> {
  const data = JSON.parse(document.getElementById(id)!.textContent!) as ComparisonData;
  const runs: Run[] = [];
  for (const [i, name] of data.names.entries()) runs.push({ name, source: await ReplaySource.load(`-${i}`) });
  return new ComparisonPage(data, runs, test).hook;
}

class ComparisonPage {
  private readonly views: View[] = [];
  private readonly moments: Moment[];
  private readonly player: Player;
  private readonly timeline: Timeline;
  private readonly plots: ComparisonPlots;
  private readonly pictures = h("main", { class: "pictures" });
  private readonly bodies: HTMLSelectElement;
  private readonly cameras = h("span");
  private selected = -1;
  private changed = true;
  private drawn = 0;

  constructor(data: ComparisonData, private readonly runs: Run[], test: boolean) {
    const { scene } = runs[0].source;
    const longest = runs.map((run) => run.source).reduce((a, b) => (end(b) > end(a) ? b : a));
    this.moments = runs.map((run) => new Moment(run.source));
    this.player = new Player(longest);
    this.timeline = new Timeline(this.player, longest.frames);
    this.plots = new ComparisonPlots(runs, (time) => this.player.seekTime(time));
    const moving = Object.fromEntries(scene.moving.map((body) => [body, scene.bodies[body].name]));
    this.bodies = menu("body of the plots", moving, String(this.plots.body), (value) => this.select(Number(value)));
    document.title = `${data.title} · comparison`;
    document.body.classList.add("comparison");
    const ms = Number((1e3 * scene.time_step).toPrecision(6));
    document.body.append(
      h("header", {}, h("h1", {}, data.title),
        h("span", { class: "quiet" }, `${count(runs.length, "run", "runs")} · ${count(scene.moving.length, "body", "bodies")} · ${ms} ms`),
        h("nav", {}, this.cameras, button("fit", "show all that moves (F)", () => this.fit()))),
      this.pictures,
      h("div", { class: "choices" }, ...(scene.moving.length > 0 ? [h("label", {}, "body ", this.bodies)] : []), this.legend()),
      this.plots.element, runTable(data.names, data), h("footer", {}, this.timeline.element));
    this.addPictures(test);
    this.showCameras();
    this.listen();
    if (scene.cameras.length > 0) this.lookThrough(0);
    else this.fit();
    everyPicture((seconds) => this.draw(seconds));
    if (playsByItself(test) && longest.frames > 1) this.player.play();
  }

  /** All views are as large, so that one camera suits all. */
  private addPictures(test: boolean): void {
    const samples = this.runs.flatMap((run) => samplePoses(run.source));
    this.runs.forEach(({ name, source }, i) => {
      const failed = this.timeline.markFailures(source.series);
      const notes = [
        ...(failed > 0 ? [h("span", { class: "badge" }, count(failed, "failed step", "failed steps"))] : []),
        ...(end(source) < this.player.end - 1e-9 ? [h("span", { class: "badge" }, `ends at ${end(source).toFixed(3)} s`)] : []),
      ];
      const hint = h("div", { class: "hint", hidden: true });
      const stage = h("div", { class: "stage" }, hint);
      this.pictures.append(h("section", {}, h("h2", {}, swatch(i), name, ...notes), stage));
      const view = new View(stage, { plain: test || this.runs.length > 4 });
      view.setScene(source.scene, samples);
      nameUnderPointer(view, hint, () => source.scene);
      onClick(view, (body) => this.select(body));
      this.views.push(view);
    });
  }

  private legend(): HTMLElement {
    return h("div", { class: "runs" }, ...this.runs.map(({ name }, i) => {
      const check = checkbox(name, true, (on) => this.plots.showRun(i, on));
      check.querySelector("input")!.after(swatch(i));
      return check;
    }));
  }

  private listen(): void {
    listenToKeys(this.player);
    this.player.onChange = () => (this.changed = true);
    let following = false; // the other views follow the one that is moved
    for (const view of this.views) {
      view.controls.addEventListener("change", () => {
        if (following) return;
        following = true;
        for (const other of this.views) if (other !== view) other.lookLike(view);
        following = false;
        this.showCamera("");
      });
    }
    window.addEventListener("keydown", (e) => {
      if (e.target instanceof HTMLSelectElement || e.ctrlKey || e.metaKey) return;
      if (e.key === "Escape") this.select(-1);
      if (e.key === "f") this.fit();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
      document.querySelectorAll<HTMLElement>("[data-run]").forEach((e) => (e.style.background = runColor(Number(e.dataset.run)))));
  }

  /** In all pictures; the plots show the last that can move. */
  private select(body: number): void {
    this.selected = body;
    for (const view of this.views) {
      view.bodies.select(body);
      view.invalidate();
    }
    if (!this.runs[0].source.scene.moving.includes(body)) return;
    this.bodies.value = String(body);
    this.plots.setBody(body);
    this.plots.showTime(this.player.time);
  }

  private fit(): void {
    this.views[0].fit();
    this.showCamera("");
  }

  private lookThrough(camera: number): void {
    const { position, target, up, field_of_view } = this.runs[0].source.scene.cameras[camera];
    this.views[0].look(position, target, up, field_of_view);
    this.showCamera(String(camera));
  }

  private showCameras(): void {
    const { cameras } = this.runs[0].source.scene;
    if (cameras.length === 0) return;
    const names = Object.fromEntries(cameras.map((c, i) => [String(i), c.name || `camera ${i}`]));
    this.cameras.append(menu("camera", { "": "free camera", ...names }, "", (value) => {
      if (value !== "") this.lookThrough(Number(value));
    }));
  }

  private showCamera(value: string): void {
    const choice = this.cameras.querySelector("select");
    if (choice) choice.value = value;
  }

  private draw(seconds: number): void {
    this.player.advance(seconds);
    if (this.changed) {
      this.changed = false;
      const { time, playing, frame } = this.player;
      this.moments.forEach((moment, i) => {
        moment.set(time, playing);
        this.views[i].draw(moment.frame, moment.poses);
      });
      this.plots.showTime(time);
      this.timeline.show(frame, Math.max(...this.moments.map((m) => m.step)));
    }
    if (this.views.filter((view) => view.render()).length > 0) ++this.drawn;
  }

  get hook(): object {
    const page = this;
    return {
      player: this.player, views: this.views, plots: this.plots, runs: this.runs,
      seek: (frame: number) => this.player.seek(frame),
      play: () => this.player.play(),
      pause: () => this.player.pause(),
      select: (body: number) => this.select(body),
      plotValues: (time: number) => this.plots.valuesAt(time),
      frames: () => this.moments.map((moment) => moment.frame),
      get frame() {
        return page.player.frame;
      },
      get selected() {
        return page.selected;
      },
      get stats() {
        return { pictures: page.drawn };
      },
    };
  }
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

function end(source: ReplaySource): number {
  return source.times[source.frames - 1];
}

