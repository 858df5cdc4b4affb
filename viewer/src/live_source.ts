import type { Contacts, Drag, Frame, LiveState, Scene } from "./data";

/** A frame of a running simulation, with the numbers of its step. */
export interface LiveFrame extends Frame {
  status: number;
  series: Float32Array;
}

/** Messages of the server: docs/formats/page.md. It connects again by itself when the server is gone. */
export class LiveSource {
  onScene = (_scene: Scene) => {};
  onState = (_state: LiveState) => {};
  onError = (_text: string, _refused: boolean) => {};
  onConnection = (_open: boolean) => {};
  /** The newest frame that nobody took. */
  newest: LiveFrame | null = null;
  received = 0; // frames
  private socket: WebSocket | null = null;

  connect(): void {
    const socket = new WebSocket(new URL("socket", location.href.replace(/^http/, "ws")));
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.onConnection(true);
    socket.onclose = () => {
      this.onConnection(false);
      setTimeout(() => this.connect(), 1000);
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.read(JSON.parse(data));
      else {
        this.newest = decodeFrame(data as ArrayBuffer);
        ++this.received;
      }
    };
  }

  send(type: string, more: object = {}): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type, ...more }));
  }

  takeFrame(): LiveFrame | null {
    const frame = this.newest;
    this.newest = null;
    return frame;
  }

  private read(message: { type: string; scene: Scene; text: string; refused: boolean } & LiveState): void {
    if (message.type === "scene") {
      this.newest = null; // it is of the scene before
      this.onScene(message.scene);
    } else if (message.type === "state") this.onState(message);
    else if (message.type === "error") this.onError(message.text, message.refused);
  }
}

export function decodeFrame(buffer: ArrayBuffer): LiveFrame {
  const [bodies, count, series, status] = new Uint32Array(buffer, 0, 4);
  const [step, time] = new Float64Array(buffer, 16, 2);
  let at = 32;
  const floats = (n: number) => new Float32Array(buffer, (at += 4 * n) - 4 * n, n);
  const integers = (n: number) => new Int32Array(buffer, (at += 4 * n) - 4 * n, n);
  const drag = floats(12);
  const numbers = floats(series);
  const poses = floats(7 * bodies);
  const a = integers(count);
  const b = integers(count);
  integers(count); // ids
  const contacts: Contacts = {
    count, a, b, point: floats(3 * count), normal: floats(3 * count), force: floats(3 * count),
    friction: floats(count), slip: floats(count), gap: floats(count),
    mode: new Uint8Array(buffer, at, count),
  };
  return { step, time, status, series: numbers, poses, contacts, allContacts: count,
           drag: dragOf(drag) };
}

function dragOf(d: Float32Array): Drag | null {
  const vector = (at: number) => [...d.subarray(at, at + 3)];
  return d[0] < 0 ? null : { body: d[0], point: vector(1), target: vector(4), force: vector(7) };
}
