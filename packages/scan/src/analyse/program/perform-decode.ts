import { guessLanguage } from "../../text/guess-language.ts";
import { decodeConstant, decodeUtf8, type Encoding } from "./decode-constant.ts";
import type { Machine } from "./machine.ts";
import type { Span } from "./program-tree.ts";
import { isReadable } from "./record-hidden-text.ts";
import { knownText, type Taint, taintsOf, textValue, unionTaints, unknownWith, type Value } from "./value.ts";

/** What comes out of a decoder: the text itself where it was a constant, and the knowledge that it was decoded. */
export function decodedValue(machine: Machine, span: Span, data: Value, encoding: Encoding): Value {
  const constant = knownText(data);
  const taints = taintsOf(data);
  if (encoding === "utf8")
    return constant === undefined ? unknownWith(taints) : { ...data, text: decodeUtf8(constant) };
  const text = constant === undefined ? undefined : decodeConstant(constant, encoding);
  // Ordinary addresses have an escape or two; a text that is mostly escapes is hiding.
  if (encoding === "percent" && (constant === undefined || !isMostlyEscaped(constant)))
    return text === undefined ? unknownWith(taints) : textValue(text, taints);
  const taint: Taint = {
    source: {
      type: "decoded",
      encoding,
      ...(text === undefined || !isReadable(text) ? {} : { text: decodeUtf8(text).slice(0, 2_000) }),
    },
    steps: [machine.recorder.step(span)],
    // A file that is unpacked before it runs is how loaders work; a text that was encoded hides.
    isDirect:
      text !== undefined ||
      !PACKERS.has(encoding) ||
      taints.some(({ source, isDirect }) => isDirect && source.type === "decoded"),
  };
  const known = unionTaints(taints, [taint]);
  if (text === undefined) return unknownWith(known);
  recordDecoded(machine, span, decodeUtf8(text), encoding);
  return { ...textValue(text, known), isBuilt: true, isBytes: true };
}

const PACKERS: ReadonlySet<Encoding> = new Set<Encoding>([
  "zlib",
  "gzip",
  "deflate",
  "brotli",
  "bzip2",
  "lzma",
  "marshal",
]);

/** Hands a decoded text on, if it is one that people or programs could read. */
function recordDecoded(machine: Machine, span: Span, text: string, encoding: string): void {
  if (text.length < 12 || !isReadable(text)) return;
  machine.recorder.text(span, text, guessLanguage(text), [encoding]);
}

function isMostlyEscaped(text: string): boolean {
  const escapes = text.split("%").length - 1;
  return text.length >= 12 && escapes * 6 > text.length;
}
