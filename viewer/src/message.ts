import { h } from "./dom";

const readingTime = 8; // [s]

/** A line over the picture, until it is clicked. */
export class Message {
  readonly element = h("div", { class: "message", hidden: true, onclick: () => this.close() });
  private refusal = "";
  private lasting = "";
  private timer = 0;

  /** What was refused: for as long as it is read, or until something is accepted. */
  refuse(text: string): void {
    clearTimeout(this.timer);
    this.refusal = text;
    if (text !== "") this.timer = window.setTimeout(() => this.refuse(""), 1e3 * readingTime);
    this.show();
  }

  /** What stays until it is over, and counts more. */
  last(text: string): void {
    this.lasting = text;
    if (text !== "") this.refusal = "";
    this.show();
  }

  private close(): void {
    this.last("");
    this.refuse("");
  }

  private show(): void {
    this.element.textContent = this.refusal || this.lasting;
    this.element.hidden = this.element.textContent === "";
  }
}
