// The live page with the server. ABUT is the command line.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { launch, watch } from "./browser.mjs";

let browser, page, server;
before(async () => {
  const scene = new URL("../../examples/scenes/clutter40.xml", import.meta.url).pathname;
  server = spawn(process.env.ABUT, ["view", scene, "--port", "0", "--no-browser"]);
  const address = await new Promise((found, failed) => {
    let text = "";
    server.stdout.on("data", (data) => {
      text += data;
      const match = /http:\S+/.exec(text);
      if (match) found(match[0]);
    });
    server.on("exit", () => failed(new Error(`abut view ended: ${text}`)));
  });
  browser = await launch();
  page = await watch(browser, { viewport: { width: 800, height: 600 } });
  await page.goto(`${address}#test`);
  // a picture of the scene may come before the first frame
  await page.waitForFunction(() => window.abut?.stats.pictures > 0 && abut.workbench.frame !== null);
});
after(async () => {
  await browser?.close();
  server?.kill("SIGINT");
});

// there is no frame until the first comes, nor just after a change
const time = async () => (await page.waitForFunction(() => abut.workbench.frame?.time)).jsonValue();
const settled = () => page.waitForFunction(() => abut.workbench.frame?.time > 3);

test("shows the simulation as it goes on, and its numbers", async () => {
  assert.equal((await page.evaluate(() => abut.counts)).bodies, 40);
  const before = await time();
  await page.waitForFunction((t) => abut.workbench.frame?.time > t + 0.2, before);
  await page.waitForFunction(() => abut.plotValues(1e9).contacts > 0);
});

test("pauses, steps and resets", async () => {
  await settled();
  await page.keyboard.press("Space");
  const pauseButton = page.getByTitle("play or pause (Space)");
  await page.waitForFunction(() => document.querySelector('[title^="play or pause"]').textContent === "▶");
  const paused = await page.evaluate(async () => {
    let last;
    do { // frames on their way may still come
      last = abut.workbench.frame?.step;
      await new Promise((done) => setTimeout(done, 300));
    } while (abut.workbench.frame?.step !== last);
    return last;
  });
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((step) => abut.workbench.frame?.step === step + 1, paused);
  await page.getByTitle("reset to the start").click();
  await page.waitForFunction(() => abut.workbench.frame?.step === 0);
  await pauseButton.click();
  await settled();
});

test("a body that is pulled moves, and its spring is shown", async () => {
  await settled();
  // the highest body that can be seen
  const grab = await page.evaluate(() => {
    const { matrices } = abut.workbench.view.bodies;
    const bodies = [...abut.workbench.scene.moving].sort((a, b) => matrices[12 * b + 11] - matrices[12 * a + 11]);
    for (const body of bodies) {
      const [x, y] = abut.project([...matrices.slice(12 * body + 9, 12 * body + 12)]);
      if (abut.pick(x, y)?.body === body && x < 480) return { body, x, y, height: matrices[12 * body + 11] };
    }
  });
  const stage = await page.locator(".stage").boundingBox();
  await page.keyboard.down("Shift");
  await page.mouse.move(stage.x + grab.x, stage.y + grab.y);
  await page.mouse.down();
  await page.mouse.move(stage.x + grab.x, stage.y + 20, { steps: 5 });
  await page.waitForFunction((body) => abut.workbench.frame?.drag?.body === body, grab.body);
  await page.waitForFunction(({ body, height }) =>
    abut.workbench.view.bodies.matrices[12 * body + 11] > height + 0.05, grab);
  assert.ok(await page.evaluate(() => Math.hypot(...abut.workbench.frame.drag.force) > 0));
  assert.equal(await page.evaluate(() => abut.selected), grab.body);
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.waitForFunction(() => abut.workbench.frame?.drag === null);
});

test("another model and step go on from where it was", async () => {
  const before = await time();
  await page.locator("#model").selectOption("similar");
  await page.locator("#time_step").fill("0.004");
  await page.locator("#time_step").press("Enter");
  await page.waitForFunction(() => document.querySelector("header .quiet").textContent.match(/similar.* 4 ms/));
  await page.waitForFunction((t) => abut.workbench.frame?.time > t + 0.1, before);
  assert.ok((await page.locator("#simulation table tr").count()) >= 3); // what it implies
});

test("what is refused is told", async () => {
  await page.locator("#time_step").fill("-1");
  await page.locator("#time_step").press("Enter");
  await page.waitForFunction(() => document.querySelector(".message").textContent.includes("time step"));
  await page.locator(".message").click();
});

const message = (text) => page.waitForFunction((t) => document.querySelector(".message").textContent.includes(t), text);
const gone = () => page.waitForFunction(() => document.querySelector(".message").hidden);
const refuse = async (friction) => { // another each time: what stands in the field already is not sent
  await page.locator("#friction").fill(friction);
  await page.locator("#friction").press("Enter");
  await message("friction");
};

test("what is refused is no longer told after an accepted change, or after a while", async () => {
  await refuse("-1");
  await page.locator("#friction").fill("0.4");
  await page.locator("#friction").press("Enter");
  await page.waitForFunction(() => document.querySelector(".message").hidden, undefined, { timeout: 6000 });
  await refuse("-2");
  await gone();
});

test("a failure is told until a reset", async () => {
  await page.evaluate(() => abut.source.onError("step 7 failed", false));
  await refuse("-3");
  await page.locator("#friction").fill("0.5");
  await page.locator("#friction").press("Enter");
  await message("step 7 failed");
  await page.getByTitle("reset to the start").click();
  await gone();
});

test("records, and offers the file", async () => {
  await page.getByTitle("record, or end the recording").click();
  await page.waitForFunction(() => document.querySelector('[title^="record,"]').textContent.includes("end"));
  const from = await time();
  await page.waitForFunction((t) => abut.workbench.frame?.time > t + 0.2, from);
  await page.getByTitle("record, or end the recording").click();
  await page.locator("a[download]").waitFor();
  const [size, magic] = await page.evaluate(async () => {
    const bytes = new Uint8Array(await (await fetch("recording")).arrayBuffer());
    return [bytes.length, String.fromCharCode(...bytes.slice(0, 7))];
  });
  assert.equal(magic, "ABUTREC");
  assert.ok(size > 10_000);
});

test("several pages watch one simulation", async () => {
  const other = await watch(browser);
  await other.goto(page.url());
  await other.waitForFunction(() => document.querySelector("#model")?.value === "similar");
  await other.locator("#model").selectOption("lagged");
  await page.waitForFunction(() => document.querySelector("#model").value === "lagged");
  assert.deepEqual(other.faults, []);
  await other.close();
});

test("the browser runs nothing that is not the page's own", async () => {
  const other = await watch(browser);
  await other.goto(page.url());
  await other.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.stolen = true";
    document.body.append(script);
  });
  assert.equal(await other.evaluate(() => window.stolen), undefined);
  assert.match(other.faults.join(), /Content Security Policy/);
  await other.close();
});

test("nothing complained", () => assert.deepEqual(page.faults, []));
