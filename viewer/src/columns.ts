// Decoding of a replay's columns: docs/formats/page.md.

export interface ColumnHead {
  name: string;
  type: "u8" | "i16" | "i32" | "f16" | "f32" | "f64";
  count: number;
  stride: number;
  order: number;
  scale: number;
}

export type Column = Uint8Array | Int32Array | Float32Array | Float64Array;
type Elements = Uint8Array | Int16Array | Int32Array | Uint16Array | Float32Array | Float64Array;

const widths = { u8: 1, i16: 2, i32: 4, f16: 2, f32: 4, f64: 8 };

/** Takes apart the inflated stream. Throws if it is not as long as the heads say. */
export function decodeColumns(heads: ColumnHead[], bytes: Uint8Array): Map<string, Column> {
  const columns = new Map<string, Column>();
  let begin = 0;
  for (const head of heads) {
    const end = begin + head.count * widths[head.type];
    if (end > bytes.length) break;
    columns.set(head.name, decode(head, bytes.subarray(begin, end)));
    begin = end;
  }
  if (columns.size !== heads.length || begin !== bytes.length) {
    throw new Error("the replay's data are not as long as they should be");
  }
  return columns;
}

function decode(head: ColumnHead, planes: Uint8Array): Column {
  const elements = join(head, planes);
  if (head.type.startsWith("f")) {
    return elements instanceof Uint16Array ? halves(elements, head.scale) : (elements as Column);
  }
  for (let pass = 0; pass < head.order; ++pass) {
    for (let i = head.stride; i < head.count; ++i) elements[i] += elements[i - head.stride];
  }
  if (head.scale === 1 && !(elements instanceof Int16Array)) return elements as Column;
  if (head.scale === 1) return Int32Array.from(elements);
  const none = { u8: NaN, i16: -(2 ** 15), i32: -(2 ** 31) }[head.type as "u8"];
  return Float32Array.from(elements, (e) => (e === none ? NaN : e * head.scale));
}

/** From planes of bytes of equal weight to elements. */
function join(head: ColumnHead, planes: Uint8Array): Elements {
  const width = widths[head.type];
  const bytes = new Uint8Array(planes.length);
  for (let w = 0; w < width; ++w) {
    for (let i = 0, from = w * head.count; i < head.count; ++i) bytes[i * width + w] = planes[from + i];
  }
  switch (head.type) {
    case "u8": return bytes;
    case "i16": return new Int16Array(bytes.buffer);
    case "i32": return new Int32Array(bytes.buffer);
    case "f16": return new Uint16Array(bytes.buffer);
    case "f32": return new Float32Array(bytes.buffer);
    case "f64": return new Float64Array(bytes.buffer);
  }
}

/** IEEE half-precision numbers, times `scale`. */
function halves(bits: Uint16Array, scale: number): Float32Array {
  return Float32Array.from(bits, (h) => {
    const sign = h & 0x8000 ? -scale : scale;
    const exponent = (h >> 10) & 31;
    const fraction = h & 1023;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    return sign * (1024 + fraction) * 2 ** (exponent - 25);
  });
}

export async function inflate(base64: string): Promise<Uint8Array> {
  const text = atob(base64.trim());
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
