// A page in a headless Chromium, as the tests want it. CHROMIUM names the browser.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const names = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export function findChromium() {
  const found = process.env.CHROMIUM ?? names.find((name) => existsSync(name));
  if (!found) throw new Error("no Chromium: install it, or set CHROMIUM to its path");
  return found;
}

export function launch() {
  // WebGL by software, where there is no graphics processor
  const args = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  return chromium.launch({ executablePath: findChromium(), args });
}

/** An empty page; `page.faults` has what the console or the page complained of from now on. */
export async function watch(browser, options = {}) {
  const page = await browser.newPage({ viewport: { width: 480, height: 400 }, ...options });
  page.setDefaultTimeout(90_000);
  page.faults = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !isNoise(m.text()) && page.faults.push(m.text()));
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("dialog", (d) => page.faults.push(`dialog ${d.message()}`) && d.dismiss());
  return page;
}

/** Opens a replay, which must ask nobody for anything. */
export async function openReplay(browser, path, { hash = "#test", ...options } = {}) {
  const page = await watch(browser, options);
  page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || page.faults.push(`asked for ${r.url()}`));
  await page.goto(`file://${path}${hash}`);
  await page.waitForFunction(() => window.abut?.stats.pictures > 0);
  return page;
}

/** Chromium's remarks on software rendering. */
function isNoise(text) {
  return /GPU stall|software WebGL|GL Driver Message/.test(text);
}

/** Waits until the picture of a frame is drawn, and returns its pixels as a text to compare. */
export async function picture(page, frame) {
  await page.evaluate(async (i) => {
    if (i !== undefined) abut.seek(i);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, frame);
  await page.waitForFunction((i) => i === undefined || abut.frame === i, frame);
  return (await page.locator(".stage canvas").screenshot()).toString("base64");
}
