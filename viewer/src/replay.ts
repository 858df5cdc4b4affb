import { statusNames } from "./data";
import { Player } from "./player";
import { mixPoses } from "./pose";
import type { ReplaySource } from "./replay_source";
import { listenToKeys, Timeline } from "./timeline";
import type { Workbench } from "./workbench";

/** Shows a recording. */
export function startReplay(source: ReplaySource, workbench: Workbench, test: boolean): Player {
  const player = new Player(source);
  const timeline = new Timeline(player, source.frames);
  workbench.dock.append(timeline.element);
  const samples = [0.1, 0.25, 0.5, 0.75, 1].map((part) => source.frame(Math.round(part * (source.frames - 1))).poses);
  workbench.setScene(source.scene, samples);
  workbench.setSeries(source.series);
  workbench.setWarnings(source.scene.warnings);
  describeFailures(source, workbench, timeline.markFailures(source.series));
  listenToKeys(player);

  let changed = true;
  let index = -1;
  let frame = source.frame(0);
  let before = frame;
  let next = frame;
  const between = new Float32Array(frame.poses.length);
  player.onChange = () => (changed = true);
  workbench.run((seconds) => {
    player.advance(seconds);
    if (!changed) return;
    changed = false;
    if (index !== player.frame) {
      index = player.frame;
      frame = source.frame(index);
      before = source.frame(index > 0 ? index - 1 : Math.min(1, source.frames - 1));
      next = source.frame(Math.min(index + 1, source.frames - 1));
    }
    const fraction = player.playing ? player.fraction : 0;
    if (fraction > 0) mixPoses(frame.poses, next.poses, fraction, between);
    workbench.show(frame, before, fraction > 0 ? between : undefined);
    workbench.plots.showTime(player.time);
    timeline.show(index, frame.step + Math.floor(fraction * (next.step - frame.step) + 1e-6));
  });
  const still = test || matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!still && source.frames > 1) player.play();
  return player;
}

function describeFailures(source: ReplaySource, workbench: Workbench, failed: number): void {
  if (failed === 0) return;
  const { status, time } = source.series;
  const first = status.findIndex((s) => s !== 0);
  workbench.setBadge(`${failed} failed ${failed === 1 ? "step" : "steps"}: first at ` +
                     `${time[first].toFixed(3)} s, ${statusNames[status[first]] ?? "failed"}`);
}
