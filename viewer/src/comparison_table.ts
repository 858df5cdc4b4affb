import { digits, h } from "./dom";
import { runColor } from "./palette";

type Value = string | number | boolean | null;

/** What the program says of the runs: a column for each number, a row for each run. */
export interface SummaryTable {
  columns: { key: string; title: string; unit: string }[];
  runs: Record<string, Value>[];
}

/** The runs' summary; their names are the rows' heads. */
export function runTable(names: string[], { columns: all, runs }: SummaryTable): HTMLElement {
  const columns = all.filter(({ key }) => key !== "name");
  const heads = columns.map(({ title, unit }) => h("th", {}, title, h("small", {}, unit ? ` [${unit}]` : "")));
  const rows = names.map((name, i) =>
    h("tr", {}, h("th", {}, swatch(i), name), ...columns.map(({ key }) => h("td", {}, cell(runs[i][key])))));
  return h("div", { class: "run-table" }, h("table", {}, h("thead", {}, h("tr", {}, h("th"), ...heads)), h("tbody", {}, ...rows)));
}

function cell(value: Value | undefined): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Number.isInteger(value) ? String(value) : digits(value);
}

/** The run's colour. */
export function swatch(run: number): HTMLElement {
  const element = h("span", { class: "swatch", "data-run": run });
  element.style.background = runColor(run);
  return element;
}
