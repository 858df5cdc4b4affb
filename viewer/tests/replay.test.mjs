// A replay that abut wrote, opened from the disk. ABUT_REPLAY is that of the 40-body clutter, and
// ABUT_TABLES the folder with its tables.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, openReplay, picture } from "./browser.mjs";

let browser, page;
before(async () => {
  browser = await launch();
  page = await openReplay(browser, process.env.ABUT_REPLAY);
});
after(() => browser?.close());

function table(name) {
  const [head, ...rows] = readFileSync(join(process.env.ABUT_TABLES, name), "utf8").trim().split("\n");
  const columns = head.split(",");
  return rows.map((row) => Object.fromEntries(row.split(",").map((value, i) => [columns[i], value])));
}

test("opens from the disk, and plays", async () => {
  const counts = await page.evaluate(() => abut.counts);
  assert.equal(counts.bodies, 40);
  const first = await picture(page, 0);
  await page.evaluate(() => abut.play());
  await page.waitForFunction(() => abut.frame > 10);
  await page.evaluate(() => abut.pause());
  assert.notEqual(await picture(page, undefined), first);
});

test("shows bodies where they were", async () => {
  const rows = table("bodies.csv").filter((row) => row.step === "500");
  assert.equal(rows.length, 40);
  await picture(page, 60);
  const places = await page.evaluate(() => [...abut.workbench.view.bodies.matrices]);
  rows.forEach((row, i) => {
    const expected = [row.position_x_m, row.position_y_m, row.position_z_m].map(Number);
    expected.forEach((x, k) => assert.ok(Math.abs(places[12 * i + 9 + k] - x) < 1e-5, `body ${i}`));
  });
});

test("shows the contacts and what they transmit", async () => {
  const rows = table("contacts.csv").filter((row) => row.step === "500");
  await picture(page, 60);
  const contacts = await page.evaluate(() => {
    const c = abut.workbench.frame.contacts;
    return { count: c.count, force: [...c.force] };
  });
  assert.equal(contacts.count, rows.length);
  const largest = Math.max(...contacts.force.map(Math.abs));
  rows.forEach((row, i) => ["x", "y", "z"].forEach((axis, k) => {
    assert.ok(Math.abs(contacts.force[3 * i + k] - Number(row[`force_${axis}_N`])) < 1e-3 * largest, `contact ${i}`);
  }));
});

test("plots the numbers of every step", async () => {
  const rows = table("steps.csv");
  for (const i of [0, 499, 1250, rows.length - 1]) {
    const shown = await page.evaluate((t) => abut.plotValues(t), Number(rows[i].time_s));
    for (const [name, column, factor] of [["kinetic_energy", "kinetic_energy_J", 1], ["contacts", "contacts", 1],
      ["iterations", "iterations", 1], ["step_error", "step_error", 1], ["penetration", "penetration_m", 1e3]]) {
      const expected = factor * Number(rows[i][column]);
      assert.ok(Math.abs(shown[name] - expected) <= 1e-6 * Math.abs(expected), `${name} of step ${i}: ${shown[name]}`);
    }
  }
});

test("nothing complained", () => assert.deepEqual(page.faults, []));
