// The page in a browser, with made-up replays. ABUT_PAGE is the folder that build.mjs has filled.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, openReplay, picture } from "./browser.mjs";
import { bouncing, replayHtml } from "./fixture.mjs";

const folder = mkdtempSync(join(tmpdir(), "abut-page-"));
let browser;
before(async () => (browser = await launch()));
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Opens such a replay, hands the page to `use`, and sees that nothing complained. */
async function withReplay(options, use, { hash, ...pageOptions } = {}) {
  const { scene, columns } = bouncing(options);
  const path = join(folder, "replay.html");
  writeFileSync(path, replayHtml(process.env.ABUT_PAGE, scene, columns));
  const page = await openReplay(browser, path, { hash, ...pageOptions });
  await use(page, scene);
  assert.deepEqual(page.faults, []);
  await page.close();
}

test("draws as many instances in few calls", () => withReplay({ bodies: 50 }, async (page) => {
  const counts = await page.evaluate(() => abut.counts);
  assert.equal(counts.bodies, 50);
  assert.equal(counts.instances, 70); // a capsule is three
  assert.equal(counts.contacts, 50);
  assert.ok(counts.drawCalls <= 10, `${counts.drawCalls} calls`);
}));

test("shows how surfaces move", async () => {
  const arrows = (surface) => withReplay({ surface }, async (page) => {
    const expected = surface === null ? 0 : surface.velocity[0] !== 0 ? 5 : 4; // none on the axis of a turntable
    assert.equal(await page.evaluate(() => abut.counts.surfaceArrows), expected);
  });
  await arrows(null);
  await arrows({ velocity: [1, 0, 0], angular_velocity: [0, 0, 0] });
  await arrows({ velocity: [0, 0, 0], angular_velocity: [0, 0, 2] });
});

test("shows warnings, as text", () => withReplay({ warnings: ["<b>box</b> turns"] }, async (page) => {
  assert.equal(await page.locator("#warnings p").textContent(), "<b>box</b> turns");
  assert.ok(await page.locator("#warnings").isVisible());
}));

test("shows no panel where nothing is to be warned of", () => withReplay({}, async (page) => {
  assert.ok(!(await page.locator("#warnings").isVisible()));
}));

test("plays, stops at the end without loop, and steps by keys", () => withReplay({}, async (page) => {
  const first = await picture(page, 0);
  assert.equal(await page.evaluate(() => abut.player.playing), false);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => abut.frame > 5);
  await page.getByLabel("loop").uncheck();
  await page.waitForFunction(() => !abut.player.playing);
  assert.equal(await page.evaluate(() => abut.frame), 59);
  assert.notEqual(await picture(page, undefined), first);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.evaluate(() => abut.frame), 1);
  assert.equal(await picture(page, 0), first);
}));

test("the step is that of the time while it plays", () => withReplay({}, async (page) => {
  await page.getByLabel("speed").selectOption("0.1");
  await page.evaluate(() => abut.play());
  const shown = await page.evaluate(async () => {
    const texts = []; // of as many pictures as it takes: they may be few
    while (abut.frame < 50 && (abut.frame < 4 || new Set(texts).size < 20)) {
      texts.push(document.querySelector(".clock").textContent);
      await new Promise((done) => requestAnimationFrame(done));
    }
    return texts;
  });
  let between = 0; // frames are at every other step
  for (const text of shown) {
    const [, time, step] = /^([0-9.]+) \/ .* step (\d+)$/.exec(text).map(Number);
    assert.ok(step >= Math.floor(120 * (time - 0.0006)) && step <= 120 * (time + 0.0006), text);
    between += step % 2;
  }
  assert.ok(between > 0, shown.join("; "));
}));

test("a click picks the body under it", () => withReplay({ bodies: 9 }, async (page, scene) => {
  await picture(page, 40);
  const stage = await page.locator(".stage").boundingBox();
  let picked = 0;
  for (let body = 0; body < 9; ++body) {
    const [x, y] = await page.evaluate((b) => {
      const m = abut.workbench.view.bodies.matrices;
      return abut.project([...m.slice(12 * b + 9, 12 * b + 12)]);
    }, body);
    if (x > stage.width - 270) continue; // beneath the panel
    await page.mouse.click(stage.x + x, stage.y + y);
    const selected = await page.evaluate(() => abut.selected);
    // another body may be before it, but no other than what a ray hits
    assert.equal(selected, await page.evaluate(([px, py]) => abut.pick(px, py).body, [x, y]));
    if (selected !== body) continue;
    ++picked;
    assert.equal(await page.locator("#inspector h2").textContent(), scene.bodies[body].name);
    const text = await page.locator("#inspector").textContent();
    assert.ok(text.includes(`mass [kg]${1 + body}`), text);
    assert.ok(text.includes("position") && text.includes("velocity"), text);
  }
  assert.ok(picked >= 3, `${picked} picked`);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => abut.selected), -1);
}, { viewport: { width: 760, height: 400 } }));

test("the body's speed and forces are those of the frames", () => withReplay({ bodies: 9 }, async (page) => {
  await picture(page, 20);
  await page.evaluate(() => abut.select(2)); // slips: 3 N along y, 3 * 9.81 N up
  const text = await page.locator("#inspector").textContent();
  assert.ok(text.includes("their force [N]0.00, 3.00, 29.43size 29.6"), text);
  const height = (k) => 0.12 + 0.3 * Math.abs(Math.sin(3 * (k / 60) + 0.8));
  const speed = 60 * Math.abs(height(20) - height(19));
  assert.ok(text.includes(`speed [m/s]${speed.toFixed(2).slice(0, -1)}`), text);
}));

test("plots show the numbers of the steps, and lead to their time", () => withReplay({}, async (page) => {
  assert.deepEqual(await page.evaluate(() => abut.workbench.plots.names), ["energy", "certificate"]);
  const values = await page.evaluate(() => abut.plotValues(0.5));
  assert.ok(Math.abs(values.kinetic_energy - 10.5) < 1e-5);
  assert.ok(Math.abs(values.potential_energy - 19.5) < 1e-5);
  await page.waitForFunction(() => document.querySelector(".labels output").textContent === "–"); // of the start
  const chart = await page.locator(".u-over").first().boundingBox();
  await page.mouse.click(chart.x + chart.width / 2, chart.y + chart.height / 2);
  const time = await page.evaluate(() => abut.player.time);
  assert.ok(Math.abs(time - 0.5) < 0.05, `${time} s`);
  // the line stands where the time is
  await picture(page, undefined);
  const line = await page.locator(".cursor").first().boundingBox();
  assert.ok(Math.abs(line.x - (chart.x + chart.width * time)) < 4, `${line.x}`);
  await page.mouse.move(5, 5);
  await page.waitForFunction(() => document.querySelector(".labels output").textContent.startsWith("10.5"));
}));

test("the certificate's tolerance is a dashed line", () => withReplay({ failed: [] }, async (page) => {
  const drawn = await page.evaluate(() => abut.workbench.plots.diagrams.map(({ chart }) => {
    if (chart.scales.y.max < 1e-6) return []; // not in the picture
    const y = Math.round(chart.valToPos(1e-6, "y", true));
    const { left, width } = chart.bbox;
    const { data } = chart.ctx.getImageData(left, y - 1, width, 3);
    return Array.from({ length: width }, (_, x) => [0, 1, 2].some((row) => {
      const [r, g, b] = data.slice(4 * (row * width + x), 4 * (row * width + x) + 3);
      return r + g + b > 0 && r + g + b < 500 && data[4 * (row * width + x) + 3] > 60;
    }));
  }));
  const [, line] = drawn;
  const dark = line.filter((is) => is).length / line.length;
  assert.ok(dark > 0.25 && dark < 0.8, `${dark} of the line`);
  assert.equal(await page.locator("figure").last().getAttribute("title"), "dashed: the tolerance, 1.00e-6");
}));

test("failed steps are red on timeline and plots", () => withReplay({ failed: [60, 61, 90] }, async (page) => {
  const badge = await page.locator(".badge").textContent();
  assert.equal(badge, "3 failed steps: first at 0.508 s, stalled");
  const marks = await page.evaluate(() => {
    const canvas = document.querySelector(".marks");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, 1);
    return [500, 517, 771, 900].map((x) => data[4 * x + 3] > 0); // of 0.983 s
  });
  assert.deepEqual(marks, [false, true, true, false]);
  const redPixels = await page.evaluate(() => [...document.querySelectorAll(".u-wrap canvas")].map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let red = 0;
    for (let i = 0; i < data.length; i += 4) red += data[i] > 180 && data[i + 1] < 80 && data[i + 3] > 60;
    return red;
  }));
  assert.ok(redPixels.every((red) => red > 50), redPixels.join());
}));

test("contact points, normals, forces and cones can be shown", () => withReplay({}, async (page) => {
  const plain = await picture(page, 10);
  assert.equal((await page.evaluate(() => abut.counts)).arrows, 16); // of 25, 9 are near
  assert.equal(await page.locator("#options output").textContent(), "arrow of 0.22 m: 128 N; lengths logarithmic");
  await page.getByLabel("logarithmic").uncheck();
  assert.equal(await page.locator("#options output").textContent(), "arrow of 0.22 m: 128 N");
  await page.getByLabel("logarithmic").check();
  await page.getByLabel("force arrows").selectOption("parts");
  await picture(page, 10);
  assert.equal((await page.evaluate(() => abut.counts)).arrows, 24); // 8 of them slip
  await page.getByLabel("force arrows").selectOption("none");
  await page.getByLabel("friction cones").check();
  await page.getByLabel("normals").check();
  assert.notEqual(await picture(page, 10), plain);
  assert.equal((await page.evaluate(() => abut.counts)).arrows, 0);
}));

test("names that hold HTML stay text", () => withReplay(
  { names: () => `</script><script>alert(1)</script><img src=x onerror=alert(2)>` }, async (page, scene) => {
    await page.evaluate(() => abut.select(3));
    assert.equal(await page.locator("#inspector h2").textContent(), scene.bodies[3].name);
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.evaluate(() => document.scripts.length), 4);
  }));

test("scripts that abut did not write do not run", async () => {
  const { scene, columns } = bouncing({ bodies: 1, frames: 2 });
  const path = join(folder, "foreign.html");
  const html = replayHtml(process.env.ABUT_PAGE, scene, columns);
  writeFileSync(path, html.replace("</body>", "<script>window.foreign = true</script></body>"));
  const page = await openReplay(browser, path);
  assert.equal(await page.evaluate(() => window.foreign), undefined);
  assert.ok(page.faults.some((text) => text.includes("Content Security Policy")), page.faults.join());
  await page.close();
});

test("cameras of the scene, and all panels at 800 pixels", () => withReplay({}, async (page) => {
  const camera = page.getByLabel("camera");
  assert.equal(await camera.inputValue(), "0"); // the scene's first
  const above = await picture(page, 5);
  await page.getByRole("button", { name: "show all that moves" }).click();
  assert.equal(await camera.inputValue(), "");
  assert.notEqual(await picture(page, 5), above);
  await camera.selectOption("above");
  assert.equal(await picture(page, 5), above);
  const stage = await page.locator(".stage").boundingBox();
  await page.mouse.move(stage.x + 100, stage.y + 100);
  await page.mouse.down();
  await page.mouse.up();
  assert.equal(await camera.inputValue(), "0"); // a click turns nothing
  await page.mouse.down();
  await page.mouse.move(stage.x + 160, stage.y + 60, { steps: 3 });
  await page.mouse.up();
  assert.equal(await camera.inputValue(), "");
  for (const name of ["plots", "panel"]) {
    const button = page.getByRole("button", { name: `show or hide ${name}` });
    await button.click();
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    await button.click();
  }
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 800, `${width} pixels wide`);
}, { viewport: { width: 800, height: 600 } }));

test("nothing overlaps at 390 pixels", () => withReplay({}, async (page) => {
  const overlaps = await page.evaluate(() => ["header", "nav", ".timeline"].flatMap((name) => {
    const parts = [...document.querySelector(name).children].filter((part) => part.offsetWidth > 0);
    const boxes = parts.map((part) => part.getBoundingClientRect());
    const outside = parts.filter((_, i) => boxes[i].right > 390 || parts[i].scrollWidth > boxes[i].width + 1);
    return [...outside, ...parts.filter((_, i) => boxes.some((b, k) => k < i && b.left < boxes[i].right - 1 &&
      boxes[i].left < b.right - 1 && b.top < boxes[i].bottom - 1 && boxes[i].top < b.bottom - 1))];
  }).map((part) => part.outerHTML.slice(0, 80)));
  assert.deepEqual(overlaps, []);
}, { viewport: { width: 390, height: 700 } }));

test("10,000 bodies open, with their contacts thinned out", () => withReplay({ bodies: 10_000, frames: 3 }, async (page) => {
  const counts = await page.evaluate(() => abut.counts);
  assert.equal(counts.instances, 14_000);
  assert.equal(counts.contacts, 10_000);
  assert.ok(counts.drawnContacts <= 5000);
  assert.ok(counts.drawCalls <= 10);
  assert.equal(await page.locator("#options .note").textContent(), "5000 of 10000 contacts are drawn");
  const first = await picture(page, 0);
  assert.notEqual(await picture(page, 2), first);
}));


test("a report shows the summary above, and the plots large below", async () => {
  const { scene, columns } = bouncing({ bodies: 4 });
  const summary = {
    version: "1.2.3", scene: "a/bouncing.xml", isa: "avx2", threads: 1, model: "lagged", law: "hertz", scheme: "midpoint", solver: "newton",
    accuracy: 0.01, error_max: 0.008, substeps: 300, substeps_max: 9, inaccurate_steps: 0,
    material: { stiffness: 1e6, dissipation: null, relaxation_time: null, friction: null, thickness: null }, tolerance: 1e-6, steps: 120,
    dt: 0.002, duration: 0.24, wall_seconds: 0.1, realtime_factor: 2.4, bodies: 4, nv: 24, contacts_mean: 3.5,
    contacts_max: 4, iterations_mean: 1, iterations_max: 2, factorizations: 7, certificate_max: 1e-7,
    status: { converged: 118, iteration_limit: 0, stalled: 2, numerical_failure: 0, at_round_off: 0 },
    energy_initial: 30, energy_final: 20, penetration_max: 1e-4, overlaps_max: 0, ncp_primal_max: 0, ncp_dual_max: null,
    state_hash: "0123456789abcdef", time: { contact_query: 0.012, solve: 0.024 },
  };
  const path = join(folder, "report.html");
  writeFileSync(path, replayHtml(process.env.ABUT_PAGE, scene, columns, summary));
  const page = await openReplay(browser, path, { viewport: { width: 1000, height: 700 } });
  const rows = await page.locator(".summary tr").allTextContents();
  for (const row of ["modellagged, hertz", "stiffness1e6 N/m", "converged118 of 120 steps", "stalled2 steps", "stepping schememidpoint",
    "error of a body's place, at worst0.008 of its radius, asked 0.01", "substeps, mean and most2.5 a step, 9",
    "contact query100 µs a step", "from rigid contact– m/s²"]) {
    assert.ok(rows.some((text) => text.replace("1.00e6", "1e6") === row), `${row} in ${rows.join("; ")}`);
  }
  const heights = await page.evaluate(() => [".summary", ".stage", "footer", ".plots", ".chart"].map((name) => {
    const { top, bottom } = document.querySelector(name).getBoundingClientRect();
    return [top, bottom];
  }));
  for (let i = 1; i < 4; ++i) assert.ok(heights[i][0] >= heights[i - 1][1] - 1, JSON.stringify(heights));
  assert.ok(heights[4][1] - heights[4][0] > 180, JSON.stringify(heights));
  assert.deepEqual(page.faults, []);
  await page.close();
});
