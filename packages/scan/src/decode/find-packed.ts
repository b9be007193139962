import type { SourceText } from "../text/source-text.ts";
import { wordSet } from "../word-list.ts";

export interface PackedCode {
  readonly offset: number;
  readonly what: "packed-code" | "long-line";
  readonly detail: string;
}

export function findPacked({ text, language }: SourceText): PackedCode[] {
  if (!CODE.has(language) || text.length < MIN_CHARACTERS) return [];
  for (const { name, hint, pattern, count } of MARKS) {
    if (!text.includes(hint)) continue;
    const offset = nthMatch(text, pattern, count);
    if (offset !== undefined) return [{ offset, what: "packed-code", detail: name }];
  }
  const long = longLine(text);
  return long === undefined ? [] : [long];
}

const CODE: ReadonlySet<string> = wordSet("javascript typescript python powershell shell batch code html");
const MIN_CHARACTERS = 60;

interface Mark {
  readonly name: string;
  readonly hint: string;
  readonly pattern: RegExp;
  /** How often it must occur: once is an accident. */
  readonly count: number;
}

const MARKS: readonly Mark[] = [
  {
    name: "identifiers of a JavaScript obfuscator",
    hint: "_0x",
    pattern: /\b_0x[0-9a-f]{4,6}\b/g,
    count: 12,
  },
  {
    name: "the p,a,c,k,e,d packer",
    hint: "function(p,a,c,k,e,",
    pattern: /eval\(function\(p,a,c,k,e,[dr]\)/g,
    count: 1,
  },
  { name: "JSFuck", hint: "[+[]]", pattern: /[[\]()!+]{200}/g, count: 1 },
  { name: "AAEncode", hint: "ﾟωﾟ", pattern: /ﾟωﾟﾉ/g, count: 1 },
  { name: "JJEncode", hint: "$=~[]", pattern: /\$=~\[\];/g, count: 1 },
  { name: "PyArmor", hint: "pyarmor", pattern: /__pyarmor__|pyarmor_runtime/g, count: 1 },
  {
    name: "marshalled code",
    hint: "marshal.loads",
    pattern: /\bexec\s{0,3}\([^\n]{0,120}marshal\.loads/g,
    count: 1,
  },
  {
    name: "nested lambdas over compressed code",
    hint: "__import__('zlib')",
    pattern: /__import__\('zlib'\)\.decompress/g,
    count: 1,
  },
  {
    name: "identifiers of I, l and 1 only",
    hint: "lI",
    pattern: /\b(?=[Il1]{8})[Il][Il1]{7,40}\b/g,
    count: 8,
  },
  { name: "identifiers of O and 0 only", hint: "O0", pattern: /\b[O][O0]{7,40}\b/g, count: 8 },
  { name: "letters escaped with a caret", hint: "^", pattern: /(?:[a-z]\^){5,}[a-z]/gi, count: 2 },
  {
    name: "words broken by backticks",
    hint: "`",
    pattern: /\b[a-z]{1,4}`[a-z]{1,4}`[a-z]{1,4}(?:`[a-z]{1,4})?\b/gi,
    count: 4,
  },
];

function nthMatch(text: string, pattern: RegExp, count: number): number | undefined {
  let first: number | undefined;
  let seen = 0;
  for (const match of text.matchAll(pattern)) {
    first ??= match.index;
    if (++seen >= count) return first;
  }
  return undefined;
}

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
