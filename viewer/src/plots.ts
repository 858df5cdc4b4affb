import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Series, SeriesInfo } from "./data";
import { digits, h } from "./dom";
import { failedColor, plotColor } from "./palette";

// axes start at zero but where numbers are far from it
const fromZero: uPlot.Range.Limit = { soft: 0, mode: 2, pad: 0.08 };

/** How the curves of a diagram are told apart. */
export interface CurveStyle {
  color: (curve: number) => string;
  width: (curve: number) => number; // [pixels]
  dash?: (curve: number) => number[];
  labels: boolean; // beside the values
}
const usualStyle: CurveStyle = { color: plotColor, width: () => 1.2, labels: true };

/** One diagram: the series that share a `plot`. */
interface Diagram {
  name: string;
  members: number[]; // indices in the series
  chart: uPlot;
  values: HTMLElement[]; // of each member
  cursor: HTMLElement;
}

/** The numbers of the steps over time, with a cursor at the time that is shown. */
export class Plots {
  readonly element = h("div", { class: "plots" });
  private diagrams: Diagram[] = [];
  private series: Series = { time: new Float64Array(), status: new Uint8Array(), values: [] };
  private infos: SeriesInfo[] = [];
  private limits: Record<string, number> = {}; // of diagrams: a dashed line, the tolerance
  private readonly hidden = new Set<number>(); // curves of each diagram
  private time = 0;
  private hovered: number | null = null;
  start = 0; // left end of the time axes, unless there are earlier numbers

  constructor(private readonly onSeek: (time: number) => void, private readonly style = usualStyle) {
    new ResizeObserver(() => this.resize()).observe(this.element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.rebuild());
  }

  setInfos(infos: SeriesInfo[], limits: Record<string, number>): void {
    this.infos = infos;
    this.limits = limits;
    this.rebuild();
  }

  /** Shows or hides the curves with this number in all diagrams. */
  showCurve(curve: number, on: boolean): void {
    if (on) this.hidden.delete(curve);
    else this.hidden.add(curve);
    for (const { chart, values } of this.diagrams) {
      values[curve].parentElement!.hidden = !on;
      chart.setSeries(curve + 1, { show: on });
    }
  }

  setSeries(series: Series): void {
    this.series = series;
    for (const d of this.diagrams) d.chart.setData(this.dataOf(d));
    this.showTime(this.time);
  }

  /** Cheap: it moves a line and writes a few numbers. */
  showTime(time: number): void {
    this.time = time;
    for (const { chart, cursor } of this.diagrams) {
      const x = chart.valToPos(time, "x");
      cursor.hidden = !(x >= 0 && x <= chart.over.clientWidth);
      cursor.style.transform = `translateX(${x.toFixed(1)}px)`;
    }
    this.writeValues();
  }

  /** What a diagram shows at the time: for tests. */
  valuesAt(time: number): Record<string, number> {
    const i = this.indexAt(time);
    return Object.fromEntries(this.infos.map((info, s) => [info.name, this.series.values[s]?.[i]]));
  }

  get names(): string[] {
    return this.diagrams.map((d) => d.name);
  }

  /** The step that led to this time; -1 before the first has ended. */
  private indexAt(time: number): number {
    const { time: t } = this.series;
    let low = -1, high = t.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (t[middle] <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private span(): [number, number] {
    const { time } = this.series;
    const end = time[time.length - 1] ?? 1;
    return [Math.min(this.start, time[0] ?? 0), end > this.start ? end : this.start + 1];
  }

  private writeValues(): void {
    const i = this.hovered ?? this.indexAt(this.time);
    for (const { members, values } of this.diagrams) {
      members.forEach((s, k) => {
        const text = digits(this.series.values[s]?.[i]);
        if (values[k].textContent !== text) values[k].textContent = text;
      });
    }
  }

  private dataOf({ name, members }: Pick<Diagram, "name" | "members">): uPlot.AlignedData {
    const ys = members.map((s) => {
      const values = this.series.values[s] ?? [];
      if (!this.infos[s].log) return values.some(Number.isNaN) ? Array.from(values, (v) => (Number.isNaN(v) ? null : v)) : values;
      return Array.from(values, (v) => (v > 1e-18 ? v : null)); // a logarithm's axis has no zero
    });
    const limit = this.limits[name];
    if (limit !== undefined) ys.push(Array.from(this.series.time, () => limit));
    return [this.series.time as unknown as number[], ...ys] as uPlot.AlignedData;
  }

  private rebuild(): void {
    for (const { chart } of this.diagrams) chart.destroy();
    const groups = new Map<string, number[]>();
    this.infos.forEach((info, s) => groups.set(info.plot, [...(groups.get(info.plot) ?? []), s]));
    this.diagrams = [];
    this.element.replaceChildren();
    for (const [name, members] of groups) this.diagrams.push(this.makeDiagram(name, members));
    this.resize();
  }

  private makeDiagram(name: string, members: number[]): Diagram {
    const holder = h("div", { class: "chart" });
    const unit = this.infos[members[0]].unit;
    const values = members.map(() => h("output"));
    const labels = members.map((s, k) => {
      const text = this.infos[s].label;
      const label = h("span", { title: text, hidden: this.hidden.has(k) }, members.length > 1 && this.style.labels ? `${text} ` : "", values[k]);
      if (members.length > 1) label.style.color = this.style.color(k);
      return label;
    });
    const caption = h("figcaption", {}, h("b", {}, unit ? `${name} [${unit}]` : name),
                      h("span", { class: "labels" }, ...labels));
    const limit = this.limits[name];
    const title = limit === undefined ? "" : `dashed: the tolerance, ${digits(limit)}`;
    this.element.append(h("figure", { title }, caption, holder));
    const chart = new uPlot(this.chartOptions(name, members), this.dataOf({ name, members }), holder);
    const cursor = h("div", { class: "cursor" });
    chart.over.append(cursor);
    chart.over.addEventListener("click", (event) => {
      const x = event.clientX - chart.over.getBoundingClientRect().left;
      this.onSeek(chart.posToVal(x, "x"));
    });
    return { name, members, chart, values, cursor };
  }

  private chartOptions(name: string, members: number[]): uPlot.Options {
    const css = getComputedStyle(document.documentElement);
    const color = (name: string) => css.getPropertyValue(name).trim();
    const axis: uPlot.Axis = {
      stroke: color("--quiet"), font: "11px system-ui, sans-serif", size: 22, gap: 3,
      grid: { stroke: color("--line"), width: 1 }, ticks: { show: false },
    };
    const log = members.some((s) => this.infos[s].log);
    const limit: uPlot.Series = { stroke: color("--quiet"), width: 1, dash: [4, 4], points: { show: false } };
    return {
      width: 260, height: 110, legend: { show: false }, padding: [6, 14, 0, 0],
      scales: { x: { time: false, range: () => this.span() }, y: log ? { distr: 3 } : { range: { min: fromZero, max: fromZero } } },
      axes: [
        { ...axis, space: 60, values: (_, splits) => splits.map((v, i) => i + 1 < splits.length ? String(v) : `${v} s`) },
        { ...axis, size: 46, space: 26, values: (_, splits) => splits.map((v) => (v === null ? "" : shortNumber(v))),
          ...(log ? { filter: (_u: uPlot, splits: number[]) => splits, splits: (_u: uPlot, _axis: number, min: number, max: number) => decades(min, max) } : {}) },
      ],
      cursor: { sync: { key: "abut" }, y: false, points: { show: false }, drag: { x: true, y: false } },
      series: [{}, ...members.map((s, k) => ({
        label: this.infos[s].label, stroke: this.style.color(k), width: this.style.width(k), dash: this.style.dash?.(k),
        show: !this.hidden.has(k), points: { show: false },
      })), ...(this.limits[name] === undefined ? [] : [limit])],
      hooks: {
        drawClear: [(u) => this.drawFailures(u)],
        setCursor: [(u) => {
          this.hovered = u.cursor.idx ?? null;
          this.writeValues();
        }],
      },
    };
  }

  /** Failed steps as red bands behind the curves. */
  private drawFailures(u: uPlot): void {
    const { status, time } = this.series;
    u.ctx.save();
    u.ctx.fillStyle = failedColor;
    u.ctx.globalAlpha = 0.35;
    for (let i = 0; i < status.length; ++i) {
      if (status[i] === 0) continue;
      const x = u.valToPos(time[i], "x", true);
      if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
      u.ctx.fillRect(x - 1, u.bbox.top, 2, u.bbox.height);
    }
    u.ctx.restore();
  }

  private resize(): void {
    for (const { chart } of this.diagrams) {
      const width = chart.root.parentElement!.clientWidth;
      const height = chart.root.parentElement!.clientHeight;
      if (width > 0 && height > 0 && (width !== chart.width || height !== chart.height)) {
        chart.setSize({ width, height });
      }
    }
    this.showTime(this.time);
  }
}

/** Powers of ten between two numbers, few. */
function decades(min: number, max: number): number[] {
  const low = Math.ceil(Math.log10(min) - 1e-9), high = Math.floor(Math.log10(max) + 1e-9);
  const every = Math.max(1, Math.ceil((high - low) / 3));
  const powers: number[] = [];
  for (let power = high; power >= low; power -= every) powers.unshift(10 ** power);
  return powers;
}

function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (size >= 1e4 || size < 1e-2) return Number(value.toPrecision(3)).toExponential().replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}
