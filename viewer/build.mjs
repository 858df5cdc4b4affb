// build.mjs OUT: bundles the page into OUT/index.html, OUT/page.js and OUT/page.css.
// index.html then names the hashes of the other two, so that they run inline and nothing else does.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (!out) {
  console.error("build.mjs: which output folder?");
  process.exit(2);
}

/** The licenses of what is bundled, which must stay with it. */
function licenses(names) {
  const texts = names.map((name) => {
    const text = readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();
    return `${name}\n\n${text}`;
  });
  return `/*! This file contains:\n\n${texts.join("\n\n")}\n*/`;
}

const { outputFiles } = buildSync({
  absWorkingDir: here,
  entryPoints: ["src/page.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  footer: { js: licenses(["three", "uplot"]) },
  outdir: "out",
  write: false,
});

function bundled(ending) {
  const file = outputFiles.find((f) => f.path.endsWith(ending));
  // a replay holds them inline
  if (/<\/(script|style)|<!--/i.test(file.text)) throw new Error(`page${ending} ends an element`);
  return file.text.trim();
}
const script = bundled(".js");
const style = bundled(".css");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const html = readFileSync(join(here, "src/index.html"), "utf8")
  .replace("SCRIPT_HASH", hash(script))
  .replace("STYLE_HASH", hash(style));
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "page.js"), script);
writeFileSync(join(out, "page.css"), style);
writeFileSync(join(out, "index.html"), html);
