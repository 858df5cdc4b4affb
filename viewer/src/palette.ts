import { Mode } from "./data";

// Pale colours for bodies and strong ones for contacts, told apart with any colour vision: the
// palettes "light" of P. Tol and that of M. Okabe and K. Ito.
const bodies = ["#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#44bb99", "#99ddff", "#bbcc33", "#c2a5cf"];

export const fixedColor = "#b9bcc2";
export const selectedColor = "#e8308a";

export const modeColors: Record<Mode, string> = {
  [Mode.near]: "#8d99a6",
  [Mode.stick]: "#0072b2",
  [Mode.slip]: "#d55e00",
};
export const modeNames: Record<Mode, string> = {
  [Mode.near]: "near, no force",
  [Mode.stick]: "stick",
  [Mode.slip]: "slip",
};

export const dragColor = "#cc79a7";
export const surfaceColor = "#009e73";
const curves = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7"],
  dark: ["#56b4e9", "#e69f00", "#2fc79a", "#e3a1c4"],
};
// of runs that are compared: those of curves, and four more
const runs = {
  light: [...curves.light, "#e69f00", "#56b4e9", "#882255", "#6b6f76"],
  dark: [...curves.dark, "#f0e442", "#5b8ff0", "#ff8a70", "#d7dbe0"],
};
export const failedColor = "#d1242f";

export function bodyColor(body: number): string {
  return bodies[body % bodies.length];
}

export function plotColor(curve: number): string {
  return inScheme(curves, curve);
}

export function runColor(run: number): string {
  return inScheme(runs, run);
}

function inScheme({ light, dark }: { light: string[]; dark: string[] }, i: number): string {
  const colors = matchMedia("(prefers-color-scheme: dark)").matches ? dark : light;
  return colors[i % colors.length];
}
