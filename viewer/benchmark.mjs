// benchmark.mjs REPLAY.html [SECONDS]: how long the page's own script takes for a picture while a replay
// plays. "update" is all but the calls of WebGL, "render" those; where a browser draws by software the
// latter wait for it. Run it on a machine that does nothing else.
import { resolve } from "node:path";
import { launch, openReplay } from "./tests/browser.mjs";

const [replay, seconds = "10"] = process.argv.slice(2);
const browser = await launch();
for (const [name, hash] of [["plain", "#test"], ["with shadows", ""]]) {
  const page = await openReplay(browser, resolve(replay), { hash });
  await page.evaluate(() => abut.play());
  await page.waitForTimeout(1000 * Number(seconds));
  const { counts, stats } = await page.evaluate(() => ({ counts: abut.counts, stats: abut.stats }));
  const ms = (value) => `${value.toFixed(2)} ms`;
  console.log(`${name}: ${counts.bodies} bodies, ${counts.contacts} contacts, ${counts.drawCalls} calls, ` +
              `${stats.pictures} pictures: update ${ms(stats.update)} (worst ${ms(stats.worstUpdate)}), ` +
              `render ${ms(stats.render)}, medians`);
  await page.close();
}
await browser.close();
