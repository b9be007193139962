import type { SourceText } from "../text/source-text.ts";
import { wordSet } from "../word-list.ts";

export interface PackedCode {
  readonly offset: number;
  readonly what: "packed-code" | "long-line";
  readonly detail: string;
}

export function findPacked({ text, language }: SourceText): PackedCode[] {
  if (!CODE.has(language) || text.length < MIN_CHARACTERS) return [];
  for (const [name, hint, pattern, count] of MARKS) {
    if (!text.includes(hint)) continue;
    const found = Array.from(text.matchAll(pattern), ({ index }) => index);
    if (found.length >= count) return [{ offset: found[0] ?? 0, what: "packed-code", detail: name }];
  }
  const long = longLine(text);
  return long === undefined ? [] : [long];
}

const CODE: ReadonlySet<string> = wordSet("javascript typescript python powershell shell batch code html");
const MIN_CHARACTERS = 60;

/** With what to look for first, and how often the pattern must occur: once is an accident. */
const MARKS: readonly (readonly [name: string, hint: string, pattern: RegExp, count: number])[] = [
  ["identifiers of a JavaScript obfuscator", "_0x", /\b_0x[0-9a-f]{4,6}\b/g, 12],
  ["the p,a,c,k,e,d packer", "function(p,a,c,k,e,", /eval\(function\(p,a,c,k,e,[dr]\)/g, 1],
  ["JSFuck", "[+[]]", /[[\]()!+]{200}/g, 1],
  ["AAEncode", "ﾟωﾟ", /ﾟωﾟﾉ/g, 1],
  ["JJEncode", "$=~[]", /\$=~\[\];/g, 1],
  ["PyArmor", "pyarmor", /__pyarmor__|pyarmor_runtime/g, 1],
  ["marshalled code", "marshal.loads", /\bexec\s{0,3}\([^\n]{0,120}marshal\.loads/g, 1],
  ["nested lambdas over compressed code", "__import__('zlib')", /__import__\('zlib'\)\.decompress/g, 1],
  ["identifiers of I, l and 1 only", "lI", /\b(?=[Il1]{8})[Il][Il1]{7,40}\b/g, 8],
  ["identifiers of O and 0 only", "O0", /\b[O][O0]{7,40}\b/g, 8],
  ["letters escaped with a caret", "^", /(?:[a-z]\^){5,}[a-z]/gi, 2],
  ["words broken by backticks", "`", /\b[a-z]{1,4}`[a-z]{1,4}`[a-z]{1,4}(?:`[a-z]{1,4})?\b/gi, 4],
];

const MIN_LONG_LINE = 4_000;
// Vendors' bundles name a licence or a source map, which says where readable code is.
const VENDOR = /\/\*!|@license|@preserve|\bcopyright\b|\blicen[sc]ed? under\b|sourceMappingURL=|\(c\) \d{4}/i;

function longLine(text: string): PackedCode | undefined {
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf("\n", start);
    const end = next === -1 ? text.length : next;
    if (end - start >= MIN_LONG_LINE && isCode(text.slice(start, start + MIN_LONG_LINE))) {
      const vendor = VENDOR.test(text.slice(0, 4_000)) || VENDOR.test(text.slice(-1_000));
      return {
        offset: start,
        what: "long-line",
        detail: `${end - start} characters of code in a line${vendor ? ", with a licence or a source map" : ""}`,
      };
    }
    start = end + 1;
  }
  return undefined;
}

// A long literal (data, a picture) is not unread code: code has its punctuation all along the line.
function isCode(line: string): boolean {
  const marks = line.match(/[(){};=]/g)?.length ?? 0;
  return marks > line.length / 25;
}
