// Replay files without abut: an encoder of the columns of its own, and made-up scenes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

const arrays = {
  u8: Uint8Array, i16: Int16Array, i32: Int32Array, f32: Float32Array, f64: Float64Array,
};

/** One column as docs/formats/page.md says: its head and its bytes. */
export function encode(name, type, values, { stride = 1, order = 0, scale = 1 } = {}) {
  const elements = arrays[type].from(values, (v) => (scale === 1 ? v : Math.round(v / scale)));
  for (let pass = 0; pass < order; ++pass) {
    for (let i = elements.length - 1; i >= stride; --i) elements[i] -= elements[i - stride];
  }
  const bytes = new Uint8Array(elements.buffer);
  const width = elements.BYTES_PER_ELEMENT, count = elements.length;
  const planes = new Uint8Array(bytes.length);
  for (let i = 0; i < count; ++i) {
    for (let w = 0; w < width; ++w) planes[w * count + i] = bytes[i * width + w];
  }
  return { head: { name, type, count, stride, order, scale }, planes };
}

/** An HTML file from the built page in `folder`, as abut writes it; with a summary a report. */
export function replayHtml(folder, scene, columns, summary = null) {
  return pageHtml(folder, recordingScripts(scene, columns) + (summary ? jsonScript("abut-summary", summary) : ""));
}

/** A comparison of runs {scene, columns}; `data`: {title, names, columns, runs}. */
export function comparisonHtml(folder, data, runs) {
  return pageHtml(folder, jsonScript("abut-comparison", data) +
    runs.map(({ scene, columns }, i) => recordingScripts(scene, columns, `-${i}`)).join(""));
}

function recordingScripts(scene, columns, suffix = "") {
  const data = deflateSync(Buffer.concat(columns.map((c) => c.planes))).toString("base64");
  return jsonScript(`abut-scene${suffix}`, scene) + jsonScript(`abut-heads${suffix}`, columns.map((c) => c.head)) +
    `<script type="application/octet-stream" id="abut-columns${suffix}">${data}</script>\n`;
}

function jsonScript(id, value) {
  return `<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>\n`;
}

function pageHtml(folder, scripts) {
  const read = (name) => readFileSync(join(folder, name), "utf8");
  return read("index.html")
    .replace('<link rel="stylesheet" href="page.css">', () => `<style>${read("page.css")}</style>`)
    .replace('<script src="page.js"></script>', () =>
      `${scripts}<script>${read("page.js")}</script>`);
}

const shapes = [
  { shape: "sphere", size: [0.1, 0, 0] },
  { shape: "box", size: [0.1, 0.08, 0.06] },
  { shape: "capsule", size: [0.05, 0.1, 0] },
  { shape: "cylinder", size: [0.08, 0.07, 0] },
  { shape: "ellipsoid", size: [0.11, 0.07, 0.05] },
];

/** `bodies` things on a grid that go up and down and turn; each touches the ground below it. Frames come at `rate`
    [1/s], steps twice as often. All are `lift` higher [m], and move at `slide` [m/s]; `velocities`: columns of them. */
export function bouncing({ bodies = 25, frames = 60, names = (i) => `thing ${i}`, failed = [31], warnings = [], surface = null,
  rate = 60, lift = 0, slide = [0, 0], velocities = false } = {}) {
  const side = Math.ceil(Math.sqrt(bodies));
  const place = (i) => [0.4 * (i % side), 0.4 * Math.floor(i / side)];
  const height = (i, t) => 0.12 + lift + 0.3 * Math.abs(Math.sin(3 * t + 0.4 * i));
  const each = Array.from({ length: bodies }, (_, i) => i);
  const times = Array.from({ length: frames }, (_, k) => k / rate);
  const turn = (i, t) => [Math.cos(t + i), 0, Math.sin(t + i) * 0.6, Math.sin(t + i) * 0.8];
  const scene = {
    title: "bouncing", abut: "0", time_step: 1 / 120, gravity: [0, 0, -9.81],
    settings: { model: "sap", law: "kelvin-voigt", solver: "newton", tolerance: 1e-6 },
    bodies: each.map((i) => ({ name: names(i), kind: "free", mass: 1 + i, pose: [...place(i), height(i, 0), ...turn(i, 0)] })),
    moving: each,
    geoms: [
      { name: "ground", body: -1, shape: "plane", size: [0, 0, 0], pose: [0, 0, 0, 1, 0, 0, 0], mesh: -1, visual: false, surface, color: null },
      ...each.map((i) => ({ name: `g${i}`, body: i, ...shapes[i % shapes.length], pose: [0, 0, 0, 1, 0, 0, 0], mesh: -1, visual: false, surface: null, color: null })),
    ],
    meshes: [],
    cameras: [{ name: "above", position: [1, 1, 6], target: [1, 1, 0], up: [0, 1, 0], field_of_view: 40 }],
    warnings,
    series: [
      { name: "kinetic_energy", label: "kinetic", unit: "J", plot: "energy", log: false },
      { name: "potential_energy", label: "potential", unit: "J", plot: "energy", log: false },
      { name: "momentum_error", label: "momentum error", unit: "", plot: "certificate", log: true },
    ],
  };
  const all = (value) => times.flatMap((t) => each.map((i) => value(i, t)));
  const samples = Array.from({ length: 2 * frames }, (_, s) => (s + 1) / (2 * rate));
  const one = (name, type, value, coding) => encode(name, type, all(value), coding);
  const pose = { stride: bodies, order: 2, scale: 2 ** -17 };
  const quaternion = { stride: bodies, order: 1, scale: 2 ** -15 };
  const columns = [
    encode("step.time", "f64", samples),
    encode("step.status", "u8", samples.map((_, s) => (failed.includes(s) ? 2 : 0))),
    encode("step.kinetic_energy", "f32", samples.map((t) => 10 + t)),
    encode("step.potential_energy", "f32", samples.map((t) => 20 - t)),
    encode("step.momentum_error", "f32", samples.map((_, s) => (s % 7 ? 1e-9 : 0))),
    encode("frame.step", "i32", times.map((_, k) => 2 * k), { order: 1 }),
    encode("frame.time", "f64", times),
    encode("frame.contacts", "i32", times.map(() => bodies)),
    encode("frame.all_contacts", "i32", times.map(() => bodies)),
    one("pose.x", "i32", (i, t) => place(i)[0] + slide[0] * t, pose),
    one("pose.y", "i32", (i, t) => place(i)[1] + slide[1] * t, pose),
    one("pose.z", "i32", height, pose),
    ...[0, 1, 2, 3].map((k) => one(["pose.qw", "pose.qx", "pose.qy", "pose.qz"][k], "i16",
      (i, t) => turn(i, t)[k] * (1 - 2 ** -14), quaternion)),
    ...(velocities ? ["x", "y", "z"].map((c, k) => one(`velocity.${c}`, "f32", () => slide[k] ?? 0)) : []),
    one("contact.a", "i32", () => -1),
    one("contact.b", "i32", (i) => i),
    one("contact.mode", "u8", (i) => i % 3),
    ...["x", "y", "z"].map((c, k) => one(`contact.point_${c}`, "f32", (i) => [...place(i), 0][k])),
    ...["x", "y", "z"].map((c, k) => one(`contact.normal_${c}`, "f32", () => [0, 0, 1][k])),
    ...["x", "y", "z"].map((c, k) => one(`contact.force_${c}`, "f32", (i) => [0, i % 3 === 2 ? 3 : 0, i % 3 ? 9.81 * (1 + i) : 0][k])),
    one("contact.friction", "f32", () => 0.5),
    one("contact.slip", "f32", (i) => (i % 3 === 2 ? 0.1 : 0)),
    one("contact.gap", "f32", () => -1e-4),
  ];
  return { scene, columns };
}
