// The page of a comparison, with made-up runs that slide at a known speed. The second has other times and ends earlier.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, openReplay } from "./browser.mjs";
import { bouncing, comparisonHtml } from "./fixture.mjs";

const folder = mkdtempSync(join(tmpdir(), "abut-comparison-"));
const names = ["sap", "<b>ncp</b>", "ccp"];
const runs = [
  { bodies: 4, slide: [0.6, 0.8], failed: [] },
  { bodies: 4, slide: [0.6, 0.8], failed: [3, 5], lift: 0.01, rate: 45, frames: 31 },
  { bodies: 4, slide: [0.3, 0.35], failed: [] },
].map((options) => bouncing({ velocities: true, ...options }));
const data = {
  title: "sliding.toml", names,
  columns: [{ key: "solver", title: "solver", unit: "" }, { key: "step_time", title: "time per step", unit: "µs" }],
  runs: [{ solver: "newton", step_time: 12.5 }, { solver: "admm", step_time: null }, { solver: "newton", step_time: 1234567 }],
};

let browser, page;
before(async () => {
  browser = await launch();
  const path = join(folder, "comparison.html");
  writeFileSync(path, comparisonHtml(process.env.ABUT_PAGE, data, runs));
  page = await openReplay(browser, path, { viewport: { width: 1200, height: 800 } });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

const near = (value, expected, error, what) => assert.ok(Math.abs(value - expected) <= error, `${what}: ${value}, not ${expected}`);
const settle = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const cameras = () => page.evaluate(() => abut.views.map((v) => [...v.camera.position.toArray(), ...v.controls.target.toArray()]));

test("has a picture for each run, and says which failed or ended early", async () => {
  const heads = await page.locator(".pictures h2").allTextContents();
  assert.deepEqual(heads, ["sap", "<b>ncp</b>2 failed stepsends at 0.667 s", "ccp"]);
  assert.equal(await page.locator(".pictures canvas").count(), 3);
  const colors = await page.locator(".pictures .swatch").evaluateAll((all) => all.map((e) => e.style.background));
  assert.equal(new Set(colors).size, 3);
});

test("shows all runs at one time", async () => {
  await page.evaluate(() => abut.seek(30)); // 0.5 s: between two frames of the second run
  await settle();
  let times = await page.evaluate(() => abut.frames().map((frame) => frame.time));
  [0.5, 22 / 45, 0.5].forEach((time, i) => near(times[i], time, 1e-9, `run ${i}`));
  const places = await page.evaluate(() => abut.views.map((v) => v.bodies.matrices[9]));
  [0.3, (0.6 * 22) / 45, 0.15].forEach((x, i) => near(places[i], x, 1e-5, `run ${i}`));
  await page.keyboard.press("End");
  await settle();
  times = await page.evaluate(() => abut.frames().map((frame) => frame.time));
  [59 / 60, 30 / 45, 59 / 60].forEach((time, i) => near(times[i], time, 1e-9, `run ${i}`));
});

test("plots the body's motion and the steps' numbers of each run", async () => {
  await page.evaluate(() => abut.select(2));
  const time = 0.5;
  const at = await page.evaluate((t) => abut.plotValues(t), time);
  const moved = "moved along (0.60, 0.80)";
  const [x, y] = [0.15, 0.175]; // of the third, which goes another way
  [0.5, 0.5, 0.6 * x + 0.8 * y].forEach((way, i) => near(at[`${moved}.${i}`], way, 2e-5, `run ${i}`)); // also between frames
  [0, 0, 0.6 * y - 0.8 * x].forEach((way, i) => near(at[`moved to its left.${i}`], way, 2e-5, `run ${i}`));
  [1, 1, Math.hypot(0.3, 0.35)].forEach((v, i) => near(at[`speed.${i}`], v, 1e-6, `run ${i}`));
  const height = 0.12 + 0.3 * Math.abs(Math.sin(3 * time + 0.8));
  near(at["height.0"], height, 1e-5, "height");
  near(at["height.1"], height + 0.01, 1e-3, "height between frames");
  [0, 1, 2].forEach((i) => {
    near(at[`normal force.${i}`], 3 * 9.81, 1e-5, `run ${i}`); // body 2 slips
    near(at[`friction force.${i}`], 3, 1e-5, `run ${i}`);
  });
  near(at["kinetic energy.0"], 10.5, 1e-5, "energy");
  const within = await page.evaluate(() => abut.plotValues(61 / 120)); // within a step of the second run
  near(within["kinetic energy.1"], 10 + 46 / 90, 1e-5, "energy at the end of that step");
  const late = await page.evaluate(() => abut.plotValues(0.9));
  for (const name of ["speed.1", "kinetic energy.1"]) assert.ok(Number.isNaN(late[name]), `${name} after the end`);
  near(late["kinetic energy.2"], 10.9, 1e-5, "energy");
  assert.ok(Number.isNaN((await page.evaluate(() => abut.plotValues(0)))["normal force.0"]), "force before the first step");
});

test("moves all cameras with one", async () => {
  const before = await cameras();
  const alike = (all) => [0, 2].forEach((i) => all[i].forEach((x, k) => near(x, all[1][k], 1e-9, `camera ${i}`)));
  alike(before);
  const box = await page.locator(".pictures canvas").nth(1).boundingBox();
  await page.mouse.move(box.x + 60, box.y + 180);
  await page.mouse.down();
  await page.mouse.move(box.x + 120, box.y + 80, { steps: 4 }); // it looked from above
  await page.mouse.up();
  await settle();
  const after = await cameras();
  assert.ok(after[1].some((x, k) => Math.abs(x - before[1][k]) > 0.1), "it has moved");
  alike(after);
  await page.getByLabel("camera").selectOption("above");
  const above = await cameras();
  above.forEach((camera, i) => [1, 1, 6].forEach((x, k) => near(camera[k], x, 1e-4, `camera ${i}`)));
});

test("selects a body in all pictures with a click into one", async () => {
  await page.evaluate(() => abut.seek(0));
  await settle();
  const [x, y] = await page.evaluate(() => abut.views[2].project([...abut.views[2].bodies.matrices.slice(12 * 3 + 9, 12 * 3 + 12)]));
  const box = await page.locator(".pictures canvas").nth(2).boundingBox();
  await page.mouse.click(box.x + x, box.y + y);
  assert.equal(await page.evaluate(() => abut.selected), 3);
  assert.deepEqual(await page.evaluate(() => abut.views.map((v) => v.bodies.selected)), [3, 3, 3]);
  assert.equal(await page.getByLabel("body of the plots").inputValue(), "3");
  const at = await page.evaluate(() => abut.plotValues(0.5));
  near(at["height.0"], 0.12 + 0.3 * Math.abs(Math.sin(1.5 + 1.2)), 1e-5, "height of the other body");
});

test("the legend hides a run's curves, also after another body is chosen", async () => {
  const shown = () => page.evaluate(() => abut.plots.plots.diagrams.map((d) => d.chart.series.slice(1, 4).map((s) => s.show)));
  await page.locator(".runs input").nth(1).uncheck();
  for (const curves of await shown()) assert.deepEqual(curves, [true, false, true]);
  await page.getByLabel("body of the plots").selectOption("0");
  for (const curves of await shown()) assert.deepEqual(curves, [true, false, true]);
  await page.locator(".runs input").nth(1).check();
  for (const curves of await shown()) assert.deepEqual(curves, [true, true, true]);
});

test("a click into a plot sets the clock of all", async () => {
  const over = page.locator(".compared .u-over").first();
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await settle();
  const times = await page.evaluate(() => abut.frames().map((frame) => frame.time));
  times.forEach((time, i) => near(time, 0.5, 1 / 30, `run ${i}`));
});

test("the table has a dash where there is no number", async () => {
  const rows = await page.locator(".run-table tr").evaluateAll((all) => all.map((tr) => [...tr.cells].map((c) => c.textContent)));
  assert.deepEqual(rows, [["", "solver", "time per step [µs]"], ["sap", "newton", "12.5"], ["<b>ncp</b>", "admm", "–"],
    ["ccp", "newton", "1234567"]]);
});

test("has one column on a narrow screen", async () => {
  await page.setViewportSize({ width: 400, height: 800 });
  await settle();
  for (const what of [".pictures section", ".compared figure"]) {
    const lefts = await page.locator(what).evaluateAll((all) => all.map((e) => e.getBoundingClientRect().left));
    assert.equal(new Set(lefts).size, 1, what);
  }
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the screen");
});

test("nothing complained", () => assert.deepEqual(page.faults, []));
