import { Dragging } from "./dragging";
import { statusNames } from "./data";
import { History } from "./history";
import { LiveControls } from "./live_controls";
import { type LiveFrame, LiveSource } from "./live_source";
import { Message } from "./message";
import type { Workbench } from "./workbench";

const plotPeriod = 0.2; // [s]: plots are drawn anew less often than the picture

/** Shows a simulation that runs in `abut view`. */
export function startLive(workbench: Workbench): LiveSource {
  const source = new LiveSource();
  const controls = new LiveControls(source);
  const history = new History();
  const message = new Message();
  workbench.dock.append(controls.bar);
  workbench.side.prepend(controls.panel);
  workbench.view.canvas.parentElement!.append(message.element);

  source.onScene = (scene) => {
    workbench.setScene(scene);
    controls.setScene(scene);
    history.clear();
    workbench.setSeries(history.series);
  };
  let settings = "";
  let recording = false;
  source.onState = (state) => {
    controls.show(state);
    if (JSON.stringify(state.settings) !== settings) message.refuse("");
    if (state.recording && !recording) message.last(""); // of the one before
    recording = state.recording;
    settings = JSON.stringify(state.settings);
    workbench.setWarnings(state.warnings);
    if (!workbench.scene) return;
    const { model, law, takes_law, solver, time_step } = state.settings as Record<string, any>;
    workbench.showSettings({ model, law: takes_law ? law : null, solver }, time_step ?? workbench.scene.time_step);
  };
  source.onError = (text, refused) => (refused ? message.refuse(text) : message.last(text));
  source.onConnection = (open) => message.last(open ? "" : "The simulation does not answer. Trying again …");

  const dragging = new Dragging(workbench, source, () => controls.dragMode);
  let last: LiveFrame | null = null;
  let failed = 0;
  let wait = 0;
  workbench.run((seconds) => {
    dragging.send();
    wait -= seconds;
    const frame = source.takeFrame();
    if (!frame || !workbench.scene || frame.poses.length !== 7 * workbench.scene.moving.length) return;
    if (last && frame.time < last.time) { // it was reset
      failed = 0;
      message.last("");
    }
    history.add(frame);
    workbench.show(frame, last && last.time < frame.time ? last : null);
    controls.showTime(frame);
    if (frame.status !== 0) {
      workbench.setBadge(`${++failed} failed, last at ${frame.time.toFixed(3)} s: ${statusNames[frame.status] ?? ""}`);
    } else if (failed === 0) workbench.setBadge("");
    last = frame;
    if (wait > 0) return;
    wait = plotPeriod;
    workbench.setSeries(history.series);
    workbench.plots.showTime(frame.time);
  });
  source.connect();
  return source;
}
