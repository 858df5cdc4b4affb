import type { Series } from "./data";
import { button, checkbox, h, menu } from "./dom";
import { failedColor } from "./palette";
import type { Player } from "./player";

const speeds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];

/** The controls of a replay: play, step, speed, loop, and a slider with the failed steps marked. */
export class Timeline {
  readonly element: HTMLElement;
  private readonly playButton: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly clock = h("output", { class: "clock" });
  private readonly marks = h("canvas", { class: "marks", width: 1000, height: 6 });

  constructor(private readonly player: Player, frames: number) {
    this.playButton = button("▶", "play or pause (Space)", () => player.toggle());
    this.slider = h("input", {
      type: "range", min: 0, max: frames - 1, step: 1, value: 0, "aria-label": "frame",
      oninput: () => player.seek(Number(this.slider.value)),
    });
    const speed = menu("speed", Object.fromEntries(speeds.map((s) => [s, `${s}×`])), "1",
                       (value) => (player.speed = Number(value)));
    this.element = h("div", { class: "timeline" },
      button("⇤", "to the start (Home)", () => player.seek(0)),
      button("◂", "one frame back (←)", () => player.step(-1)),
      this.playButton,
      button("▸", "one frame forward (→)", () => player.step(1)),
      h("div", { class: "track" }, this.marks, this.slider),
      this.clock, speed,
      checkbox("loop", player.loop, (on) => (player.loop = on)));
  }

  /** Marks the failed steps in red; returns their number. */
  markFailures(series: Series): number {
    const draw = this.marks.getContext("2d")!;
    draw.fillStyle = failedColor;
    const { start, end } = this.player;
    let failed = 0;
    series.status.forEach((status, i) => {
      if (status === 0) return;
      ++failed;
      const x = ((series.time[i] - start) / (end - start || 1)) * this.marks.width;
      draw.fillRect(Math.floor(x) - 1, 0, 3, this.marks.height);
    });
    return failed;
  }

  show(frame: number, step: number): void {
    const { playing, time, end } = this.player;
    this.playButton.textContent = playing ? "❚❚" : "▶";
    this.slider.value = String(frame);
    this.clock.textContent = `${time.toFixed(3)} / ${end.toFixed(3)} s · step ${step}`;
  }
}

/** Space, arrows, Home and End, as in every player. */
export function listenToKeys(player: Player): void {
  const actions: Record<string, () => void> = {
    " ": () => player.toggle(),
    ArrowLeft: () => player.step(-1),
    ArrowRight: () => player.step(1),
    Home: () => player.seek(0),
    End: () => player.seek(Infinity),
  };
  window.addEventListener("keydown", (event) => {
    const on = event.target as HTMLElement;
    const action = actions[event.key];
    const typing = on.tagName === "SELECT" || (on instanceof HTMLInputElement && on.type !== "checkbox" && on.type !== "range");
    if (!action || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && on.tagName === "BUTTON") (on as HTMLButtonElement).blur();
    event.preventDefault();
    action();
  });
}
