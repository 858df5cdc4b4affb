import { statusNames } from "./data";
import { Moment, playsByItself, samplePoses } from "./moment";
import { Player } from "./player";
import type { ReplaySource } from "./replay_source";
import { listenToKeys, Timeline } from "./timeline";
import type { Workbench } from "./workbench";

/** Shows a recording. */
export function startReplay(source: ReplaySource, workbench: Workbench, test: boolean): Player {
  const player = new Player(source);
  const timeline = new Timeline(player, source.frames);
  workbench.dock.append(timeline.element);
  workbench.setScene(source.scene, samplePoses(source));
  workbench.setSeries(source.series);
  workbench.setWarnings(source.scene.warnings);
  describeFailures(source, workbench, timeline.markFailures(source.series));
  listenToKeys(player);

  const moment = new Moment(source);
  let changed = true;
  player.onChange = () => (changed = true);
  workbench.run((seconds) => {
    player.advance(seconds);
    if (!changed) return;
    changed = false;
    moment.set(player.time, player.playing);
    workbench.show(moment.frame, moment.before, moment.poses);
    workbench.plots.showTime(player.time);
    timeline.show(player.frame, moment.step);
  });
  if (playsByItself(test) && source.frames > 1) player.play();
  return player;
}

function describeFailures(source: ReplaySource, workbench: Workbench, failed: number): void {
  if (failed === 0) return;
  const { status, time } = source.series;
  const first = status.findIndex((s) => s !== 0);
  workbench.setBadge(`${failed} failed ${failed === 1 ? "step" : "steps"}: first at ` +
                     `${time[first].toFixed(3)} s, ${statusNames[status[first]] ?? "failed"}`);
}
