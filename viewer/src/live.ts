import { Dragging } from "./dragging";
import { statusNames } from "./data";
import { h } from "./dom";
import { History } from "./history";
import { LiveControls } from "./live_controls";
import { type LiveFrame, LiveSource } from "./live_source";
import type { Workbench } from "./workbench";

const plotPeriod = 0.2; // [s]: plots are drawn anew less often than the picture

/** Shows a simulation that runs in `abut view`. */
export function startLive(workbench: Workbench): LiveSource {
  const source = new LiveSource();
  const controls = new LiveControls(source);
  const history = new History();
  const message = h("div", { class: "message", hidden: true });
  const say = (text: string) => {
    message.textContent = text;
    message.hidden = text === "";
  };
  workbench.dock.append(controls.bar);
  workbench.side.prepend(controls.panel);
  workbench.view.canvas.parentElement!.append(message);

  source.onScene = (scene) => {
    workbench.setScene(scene);
    controls.setScene(scene);
    history.clear();
    workbench.setSeries(history.series);
  };
  source.onState = (state) => {
    controls.show(state);
    if (!workbench.scene) return;
    const { model, law, solver, time_step } = state.settings as Record<string, any>;
    workbench.showSettings({ model, law, solver }, time_step ?? workbench.scene.time_step);
  };
  source.onError = say;
  source.onConnection = (open) => say(open ? "" : "The simulation does not answer. Trying again …");
  message.addEventListener("click", () => say(""));

  const dragging = new Dragging(workbench, source, () => controls.dragMode);
  let last: LiveFrame | null = null;
  let failed = 0;
  let wait = 0;
  workbench.run((seconds) => {
    dragging.send();
    wait -= seconds;
    const frame = source.takeFrame();
    if (!frame || !workbench.scene || frame.poses.length !== 7 * workbench.scene.moving.length) return;
    if (last && frame.time < last.time) failed = 0;
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
