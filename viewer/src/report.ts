import type { Scene } from "./data";
import { digits, h } from "./dom";

/** A run's summary: docs/formats/summary.md. */
type Summary = Record<string, any>;
type Row = [label: string, value: string];

const id = "abut-summary";

export function hasSummary(): boolean {
  return document.getElementById(id) !== null;
}

/** Makes the replay's page a report: a table above, larger plots below. */
export function makeReport(scene: Scene): void {
  const summary = JSON.parse(document.getElementById(id)!.textContent!) as Summary;
  document.body.classList.add("report");
  document.title = `${scene.title} · report`;
  const footer = document.querySelector("footer")!;
  document.querySelector(".stage")!.after(footer); // the timeline stays with the picture
  document.querySelector("header")!.after(
    h("section", { class: "summary" }, table("Simulation", simulation(summary)),
      table("Contacts", contacts(summary)), table("Accuracy", accuracy(summary)), table("Time", time(summary))));
}

function table(title: string, rows: Row[]): HTMLElement {
  const body = h("table", {}, ...rows.map(([label, value]) => h("tr", {}, h("th", {}, label), h("td", {}, value))));
  return h("div", {}, h("h2", {}, title), body);
}

function simulation(s: Summary): Row[] {
  const m = s.material;
  const replaced: Row[] = [
    ["stiffness", m.stiffness === null ? "" : `${digits(m.stiffness)} N/m`],
    ["dissipation", m.dissipation === null ? "" : `${digits(m.dissipation)} s/m`],
    ["relaxation time", m.relaxation_time === null ? "" : `${digits(m.relaxation_time)} s`],
    ["friction", m.friction === null ? "" : digits(m.friction)],
    ["thickness", m.thickness === null ? "" : `${digits(m.thickness)} m`],
  ];
  return [
    ["scene", s.scene],
    ["bodies that move", `${s.bodies}, ${s.nv} degrees of freedom`],
    ["model", s.model === "sap" || s.law === null ? s.model : `${s.model}, ${s.law}`],
    ["stepping scheme", s.scheme],
    ["solver", s.solver],
    ...replaced.filter(([, value]) => value !== ""),
    ["steps", `${s.steps} of ${digits(1e3 * s.dt)} ms: ${digits(s.duration)} s`],
    ["abut", `${s.version}, ${s.isa}`],
  ];
}

function contacts(s: Summary): Row[] {
  return [
    ["points, mean and most", `${digits(s.contacts_mean)}, ${s.contacts_max}`],
    ["deepest penetration", `${digits(1e3 * s.penetration_max)} mm`],
    ["overlaps at once", String(s.overlaps_max)],
    ["energy at start and end", `${digits(s.energy_initial)} J, ${digits(s.energy_final)} J`],
  ];
}

function accuracy(s: Summary): Row[] {
  const failed = ["iteration_limit", "stalled", "numerical_failure"]
    .filter((name) => s.status[name] > 0)
    .map((name): Row => [name.replace("_", " "), `${s.status[name]} steps`]);
  const substeps: Row[] = s.accuracy === null ? [] : [
    ["error of a body's place, at worst", `${digits(s.error_max)} of its radius, asked ${digits(s.accuracy)}`],
    ["substeps, mean and most", `${digits(s.substeps / Math.max(1, s.steps))} a step, ${s.substeps_max}`],
    ["steps that missed it", String(s.inaccurate_steps)],
  ];
  const contact: Row[] = s.ncp_primal_max === null ? [
    ["impacts", String(s.impacts)],
    ["impulses where no forces exist", String(s.rays)],
  ] : [
    ["outside Coulomb's cone", `${digits(s.ncp_primal_max)} N`],
    ["from rigid contact", `${digits(s.ncp_dual_max)} m/s²`],
  ];
  return [
    ["converged", `${s.status.converged} of ${s.steps} steps`],
    ...failed,
    ...substeps,
    ["certificate at worst", `${digits(s.certificate_max)}, tolerance ${digits(s.tolerance)}`],
    ...contact,
    ["state hash", s.state_hash],
  ];
}

function time(s: Summary): Row[] {
  const stages = Object.entries(s.time as Record<string, number>);
  return [
    ["wall time", `${digits(s.wall_seconds)} s, ${digits(s.realtime_factor)} × real time`],
    ...stages.map(([name, seconds]): Row =>
      [name.replace("_", " "), `${digits((1e6 * seconds) / Math.max(1, s.steps))} µs a step`]),
    ["iterations, mean and most", `${digits(s.iterations_mean)}, ${s.iterations_max}`],
    ["factorizations", String(s.factorizations)],
    ["threads", String(s.threads)],
  ];
}
