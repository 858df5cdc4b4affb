import type { Series, SeriesInfo } from "./data";
import { type BodyCurves, bodyCurves, mainDirection } from "./body_curves";
import { runColor } from "./palette";
import { Plots } from "./plots";
import type { ReplaySource } from "./replay_source";
import { commonTimes, hold, interpolate } from "./resample";

export interface Run {
  name: string;
  source: ReplaySource;
}

/** One diagram: a curve for each run, on the common times. */
interface Quantity {
  title: string;
  unit: string;
  log: boolean;
  values: Float32Array[];
}

/** Titles of the steps' series that are compared. */
const stepTitles: Record<string, string> = {
  total_energy: "total energy", kinetic_energy: "kinetic energy", potential_energy: "potential energy",
  penetration: "penetration", contacts: "contacts", iterations: "iterations", step_error: "step error",
};

// where curves meet, the lower ones are seen between the dashes of the upper ones and on both sides of them
const dashes = [[], [8, 6]];
const laterDashes = [[2, 4], [10, 4, 2, 4]]; // of runs whose colours come again
const thinnest = 1.3, thicker = 3; // [pixels]: of the last run, and of the first than that

/** The numbers of all runs in common diagrams, a colour for each run. */
export class ComparisonPlots {
  readonly plots: Plots;
  body: number; // whose motion is shown; -1 where none can move
  private readonly times: Float64Array;
  private readonly ofSteps: Quantity[];

  constructor(private readonly runs: Run[], onSeek: (time: number) => void) {
    const last = runs.length - 1;
    this.plots = new Plots(onSeek, {
      color: runColor,
      width: (run) => thinnest + (thicker * (last - run)) / Math.max(4, last),
      dash: (run) => (run < 8 ? dashes : laterDashes)[run % 2],
      labels: false,
    });
    this.plots.element.classList.add("compared");
    this.times = commonTimes(runs.flatMap(({ source }) => [source.series.time, source.times]));
    this.ofSteps = this.stepQuantities();
    this.body = runs[0].source.scene.moving[0] ?? -1;
    this.setBody(this.body);
  }

  get element(): HTMLElement {
    return this.plots.element;
  }

  setBody(body: number): void {
    this.body = body;
    this.show([...(body < 0 ? [] : this.bodyQuantities(body)), ...this.ofSteps]);
  }

  showRun(run: number, on: boolean): void {
    this.plots.showCurve(run, on);
  }

  showTime(time: number): void {
    this.plots.showTime(time);
  }

  /** By title and the run's number, as "height.0". */
  valuesAt(time: number): Record<string, number> {
    return this.plots.valuesAt(time);
  }

  private show(quantities: Quantity[]): void {
    const infos: SeriesInfo[] = quantities.flatMap(({ title, unit, log }) =>
      this.runs.map(({ name }, run) => ({ name: `${title}.${run}`, label: name, unit, plot: title, log })));
    const series: Series = {
      time: this.times,
      status: new Uint8Array(this.times.length), // failed steps are marked on the clock, for they are of one run
      values: quantities.flatMap((quantity) => quantity.values),
    };
    this.plots.setSeries({ ...series, values: [] });
    this.plots.setInfos(infos, this.tolerance());
    this.plots.setSeries(series);
  }

  /** A line, if it is the same for all. */
  private tolerance(): Record<string, number> {
    const [first, ...others] = this.runs.map(({ source }) => source.scene.settings.tolerance);
    return others.every((tolerance) => tolerance === first) ? { [stepTitles.step_error]: first } : {};
  }

  private stepQuantities(): Quantity[] {
    const infos = this.runs[0].source.scene.series;
    return Object.entries(stepTitles).flatMap(([name, title]) => {
      const s = infos.findIndex((info) => info.name === name);
      if (s < 0) return [];
      const values = this.runs.map(({ source: { series } }) => hold(series.time, series.values[s], this.times));
      return [{ title, unit: infos[s].unit, log: infos[s].log, values }];
    });
  }

  private bodyQuantities(body: number): Quantity[] {
    const sources = this.runs.map(({ source }) => source);
    const direction = mainDirection(sources, body);
    const curves = sources.map((source) => bodyCurves(source, body, direction.vector));
    const quantity = (title: string, unit: string, key: keyof BodyCurves): Quantity => ({
      title, unit, log: false,
      values: curves.map((curve, run) => interpolate(sources[run].times, curve[key], this.times)),
    });
    return [
      quantity("speed", "m/s", "speed"), quantity(`moved along ${direction.name}`, "m", "moved"),
      quantity("moved to its left", "m", "across"), quantity("height", "m", "height"), quantity("normal force", "N", "normal"),
      quantity("friction force", "N", "friction"),
    ];
  }
}
