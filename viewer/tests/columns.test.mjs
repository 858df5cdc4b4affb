// The page's decoder against an encoder of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildSync } from "esbuild";
import { encode } from "./fixture.mjs";

const { outputFiles } = buildSync({
  entryPoints: [new URL("../src/columns.ts", import.meta.url).pathname], bundle: true, format: "esm", write: false,
});
const { decodeColumns } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);

function decode(...columns) {
  return decodeColumns(columns.map((c) => c.head), Buffer.concat(columns.map((c) => c.planes)));
}

test("integers come back through differences that wrap around", () => {
  const values = [2 ** 31 - 1, -(2 ** 31), 0, 2 ** 31 - 1, -1, 7];
  for (const order of [0, 1, 2]) {
    for (const stride of [1, 2, 100]) {
      const x = decode(encode("x", "i32", values, { stride, order })).get("x");
      assert.deepEqual([...x], values);
    }
  }
});

test("the least integer of a scaled column is NaN", () => {
  const x = decode(encode("x", "i16", [-(2 ** 15), 4, -4])).get("x");
  assert.deepEqual([...x], [-(2 ** 15), 4, -4]); // not where it is not scaled
  const head = { ...encode("x", "i16", [-(2 ** 15), 4]).head, scale: 0.5 };
  const { planes } = encode("x", "i16", [-(2 ** 15), 4]);
  assert.deepEqual([...decodeColumns([head], planes).get("x")], [NaN, 2]);
});

test("half-precision numbers", () => {
  const bits = [0x3c00, 0xc000, 0x0001, 0x7bff, 0x7c00, 0x7e00, 0x0000];
  const planes = Uint8Array.from([...bits.map((b) => b & 255), ...bits.map((b) => b >> 8)]);
  const head = { name: "x", type: "f16", count: bits.length, stride: 1, order: 0, scale: 2 };
  assert.deepEqual([...decodeColumns([head], planes).get("x")], [2, -4, 2 ** -23, 131008, Infinity, NaN, 0]);
});

test("data of another length are refused", () => {
  const { head, planes } = encode("x", "f32", [1, 2]);
  assert.throws(() => decodeColumns([head], planes.subarray(1)), /not as long/);
  assert.throws(() => decodeColumns([head], Buffer.concat([planes, planes])), /not as long/);
});
