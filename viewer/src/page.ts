import "./page.css";
import { hasComparison, startComparison } from "./comparison";
import { h } from "./dom";
import { startLive } from "./live";
import { hasSummary, makeReport } from "./report";
import { startReplay } from "./replay";
import { ReplaySource } from "./replay_source";
import { Workbench } from "./workbench";

/** Words behind # in the address: `test` draws plainly and does not play by itself. */
const words = location.hash.slice(1).split("&");
const test = words.includes("test");

async function start(): Promise<void> {
  const comparison = hasComparison();
  if (!comparison && !ReplaySource.present()) return live();
  if (!("DecompressionStream" in window)) {
    return fail("This browser is too old for a replay: it has no DecompressionStream.");
  }
  if (comparison) return void Object.assign(window, { abut: await startComparison(test) });
  const source = await ReplaySource.load();
  const workbench = makeWorkbench((time) => player.seekTime(time));
  const player = startReplay(source, workbench, test);
  if (hasSummary()) makeReport(source.scene);
  expose(workbench, {
    source,
    player,
    seek: (frame: number) => player.seek(frame),
    play: () => player.play(),
    pause: () => player.pause(),
    get frame() {
      return player.frame;
    },
  });
}

function live(): void {
  if (!location.protocol.startsWith("http")) return fail("There is nothing to show.");
  const workbench = makeWorkbench(() => {});
  expose(workbench, { source: startLive(workbench) });
}

function makeWorkbench(onSeek: (time: number) => void): Workbench {
  try {
    return new Workbench(onSeek, test);
  } catch (error) {
    throw new Error(`This browser cannot draw with WebGL: ${(error as Error).message}`);
  }
}

/** `window.abut`, for tests and for the curious. */
function expose(workbench: Workbench, more: object): void {
  const { view, plots, inspector } = workbench;
  const hook = {
    workbench,
    pick: (x: number, y: number) => view.pick(x, y),
    select: (body: number) => workbench.select(body),
    project: (point: number[]) => view.project(point),
    plotValues: (time: number) => plots.valuesAt(time),
    get selected() {
      return inspector.body;
    },
    get counts() {
      return {
        bodies: workbench.scene.bodies.length, instances: view.bodies.instances,
        contacts: workbench.frame?.contacts.count ?? 0, drawnContacts: view.contacts.drawn,
        arrows: view.contacts.arrowCount, surfaceArrows: view.surfaces.count, drawCalls: view.drawCalls,
      };
    },
    get stats() {
      const { update, render } = workbench;
      return { update: update.median, worstUpdate: update.worst, render: render.median, pictures: update.count };
    },
  };
  Object.defineProperties(hook, Object.getOwnPropertyDescriptors(more));
  Object.assign(window, { abut: hook });
}

function fail(text: string): void {
  document.body.append(h("p", { class: "failure" }, text));
}

start().catch((error) => {
  fail((error as Error).message);
  throw error;
});
