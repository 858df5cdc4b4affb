// screenshots.mjs [ABUT [NAME...]]: simulates a few scenes with this command line and writes the documents' pictures of
// their replays, of a comparison, and of a live simulation, to docs/images.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, openReplay, picture } from "./tests/browser.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const abut = resolve(process.argv[2] ?? join(root, "build/release/apps/abut/abut"));
const shots = [
  { name: "clutter", scene: "clutter40.xml", frame: 24, look: [[0.95, -1.25, 0.95], [0, 0, 0.14]] },
  { name: "gripper", scene: "gripper.toml", frame: 100, cones: true, select: "box" },
  { name: "trot", scene: "trot.toml", frame: 100, look: [[1.1, -1.35, 0.75], [0.35, 0, 0.15]], dark: true },
];

const only = process.argv.slice(3);
const wanted = (name) => only.length === 0 || only.includes(name);

const work = mkdtempSync(join(tmpdir(), "abut-pictures-"));
const browser = await launch();
for (const shot of shots.filter((s) => wanted(s.name))) {
  const out = join(work, shot.name);
  execFileSync(abut, ["run", join(root, "examples/scenes", shot.scene), "--quiet", "--out", out]);
  const page = await openReplay(browser, join(out, "replay.html"), {
    hash: "", viewport: { width: 1100, height: 660 }, colorScheme: shot.dark ? "dark" : "light",
  });
  await page.evaluate(({ look, select }) => {
    const { view, scene } = abut.workbench;
    abut.pause();
    if (look) view.look(...look, [0, 0, 1]);
    const body = scene.bodies.findIndex((b) => b.name === select);
    if (body >= 0) abut.select(body);
  }, shot);
  if (shot.cones) await page.getByLabel("friction cones").check();
  await picture(page, shot.frame);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(root, "docs/images", `${shot.name}.png`) });
  await page.close();
}
if (wanted("compare")) await photographComparison();
if (wanted("live")) await photographLive();
await browser.close();
rmSync(work, { recursive: true });

/** A cube that slides under four models. */
async function photographComparison() {
  const out = join(work, "compare");
  const scene = join(root, "examples/scenes/sliding_cube.toml");
  execFileSync(abut, ["compare", scene, "--models", "ncp,lcp,ccp,raisim", "--quiet", "--out", out], { stdio: "inherit" });
  const page = await openReplay(browser, join(out, "compare.html"), { hash: "", viewport: { width: 1240, height: 860 } });
  await page.evaluate(() => {
    abut.pause();
    abut.views[0].look([0.35, -0.42, 0.22], [0.1, 0.07, 0.04], [0, 0, 1]);
    abut.player.seekTime(0.05);
  });
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(root, "docs/images/compare.png") });
  await page.close();
}

/** A body that the pointer lifts out of the clutter. */
async function photographLive() {
  const live = spawn(abut, ["view", join(root, "examples/scenes/clutter40.xml"), "--no-browser", "--port", "0"]);
  const url = await new Promise((found) => {
    let text = "";
    live.stdout.on("data", (part) => {
      const match = (text += part).match(/http:\S+/);
      if (match) found(match[0]);
    });
  });
  const page = await browser.newPage({ viewport: { width: 1100, height: 660 } });
  page.setDefaultTimeout(90_000);
  await page.goto(url);
  await page.waitForFunction(() => window.abut?.workbench.frame?.time > 4);
  const [x, y] = await page.evaluate(() => {
    const { view } = abut.workbench;
    view.look([0.95, -1.25, 0.95], [0, 0, 0.14], [0, 0, 1]);
    for (let body = 0; body < 40; ++body) {
      const at = abut.project([...view.bodies.matrices.slice(12 * body + 9, 12 * body + 12)]);
      if (abut.pick(...at)?.body === body && at[1] > 150 && at[0] < 700) return at;
    }
  });
  const box = await page.locator(".stage canvas").boundingBox();
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + x, box.y + y);
  await page.mouse.down();
  await page.mouse.move(box.x + x + 60, box.y + y - 130, { steps: 8 });
  const time = await page.evaluate(() => abut.workbench.frame.time);
  await page.waitForFunction((t) => abut.workbench.frame.time > t + 1.5, time);
  await page.screenshot({ path: join(root, "docs/images/live.png") });
  await page.mouse.up();
  live.kill("SIGINT");
  await page.close();
}
