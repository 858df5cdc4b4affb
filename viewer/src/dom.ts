type Child = Node | string;
type Properties = Record<string, unknown>;

/** An element with properties (`class` for className, `on...` for listeners) and children. Text goes
    in as text, never as HTML. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: Properties = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") element.className = String(value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name.includes("-")) element.setAttribute(name, String(value));
    else (element as unknown as Properties)[name] = value;
  }
  element.append(...children);
  return element;
}

export function button(label: string, title: string, onclick: () => void): HTMLButtonElement {
  return h("button", { type: "button", title, "aria-label": title, onclick }, label);
}

export function checkbox(label: string, checked: boolean, onChange: (on: boolean) => void): HTMLLabelElement {
  const input = h("input", { type: "checkbox", checked, onchange: () => onChange(input.checked) });
  return h("label", { class: "check" }, input, label);
}

/** `choices` maps values to labels. */
export function menu(title: string, choices: Record<string, string>, value: string,
                     onChange: (value: string) => void): HTMLSelectElement {
  const select = h("select", { title, "aria-label": title, onchange: () => onChange(select.value) });
  for (const [v, label] of Object.entries(choices)) select.append(h("option", { value: v }, label));
  select.value = value;
  return select;
}

/** Three significant digits: "1.23e-7", "0.0123", "12.3", "12300". */
export function digits(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) return value.toExponential(2).replace("e+", "e");
  return size >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
