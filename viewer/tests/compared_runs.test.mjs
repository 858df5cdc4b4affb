// The comparison that `abut compare` wrote of two boxes on a slope of 20 degrees, of which one slides: ABUT_COMPARISON.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openReplay } from "./browser.mjs";

let browser, page;
before(async () => {
  browser = await launch();
  page = await openReplay(browser, process.env.ABUT_COMPARISON, { viewport: { width: 1000, height: 700 } });
});
after(() => browser?.close());

test("the boxes move as Coulomb's law says, under each model", async () => {
  const slope = (20 * Math.PI) / 180, g = 9.81, t = 1;
  const weight = await page.evaluate((g) => abut.runs[0].source.scene.bodies.find((b) => b.name === "slides").mass * g, g);
  const chosen = page.getByLabel("body of the plots");
  const ofBody = async (name) => {
    await chosen.selectOption({ label: name });
    return page.evaluate((t) => abut.plotValues(t), t);
  };
  const slides = await ofBody("slides"), holds = await ofBody("holds");
  const along = Object.keys(slides).find((name) => name.startsWith("moved along")).slice(0, -2);
  const acceleration = g * (Math.sin(slope) - 0.2 * Math.cos(slope));
  const expected = {
    speed: acceleration * t * Math.cos(slope),
    [along]: 0.5 * acceleration * t ** 2 * Math.cos(slope),
    "normal force": weight * Math.cos(slope),
    "friction force": 0.2 * weight * Math.cos(slope),
  };
  for (const [name, value] of Object.entries(expected)) {
    for (const run of [0, 1]) {
      const shown = slides[`${name}.${run}`];
      assert.ok(Math.abs(shown - value) < 0.01 * value, `${name} of run ${run}: ${shown}, not ${value}`);
    }
  }
  for (const run of [0, 1]) {
    assert.ok(holds[`speed.${run}`] < 1e-3);
    const friction = holds[`friction force.${run}`], held = weight * Math.sin(slope); // of as heavy a box
    assert.ok(Math.abs(friction - held) < 0.01 * held, `friction of run ${run}: ${friction}, not ${held}`);
  }
});

test("nothing complained", () => assert.deepEqual(page.faults, []));
