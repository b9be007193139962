import { expect, test } from "vitest";
import { findEncoded } from "../decode/find-encoded.ts";
import { FactBook } from "../fact/fact.ts";
import { readViews } from "../read/read-views.ts";
import { DEFAULT_SCAN_LIMITS } from "../scan-limits.ts";
import { makeProfile } from "../testing/make-fact.ts";
import { makeSource } from "../testing/make-source.ts";
import { ScanBudget } from "../text/scan-budget.ts";
import type { SourceText } from "../text/source-text.ts";
import { OB1 } from "./binary.ts";

function severities(text: string, source: Partial<SourceText> = {}): string[] {
  const script = makeSource(text, {
    file: "scripts/a.js",
    language: "javascript",
    medium: "script",
    ...source,
  });
  const facts = [
    ...readViews(script).facts,
    ...findEncoded(script, new ScanBudget(DEFAULT_SCAN_LIMITS)).facts,
  ];
  return OB1.find(new FactBook(facts), makeProfile()).map(
    ({ severity, demoted }) => severity + (demoted === undefined ? "" : ", demoted"),
  );
}

const OBFUSCATED = Array.from({ length: 20 }, (_, index) => `var _0x${(4096 + index).toString(16)}=1;`).join(
  "",
);
const MINIFIED = "function a(b){return b(c=1);}".repeat(300);

test.each([
  ["obfuscator output", OBFUSCATED, {}, ["warn"]],
  [
    "a few such names",
    "var _0x1a2b = 1; // a name in a test of an obfuscator, and nothing else here",
    {},
    [],
  ],
  [
    "the packer",
    `eval(function(p,a,c,k,e,d){while(c--)p=p;return p}('0 1',2,2,'a|b'.split('|')))`,
    {},
    ["warn"],
  ],
  ["JSFuck", `x=${"[+[]]+(![])".repeat(40)}`, {}, ["warn"]],
  [
    "marshalled code",
    "import marshal\nexec(marshal.loads(open('a.bin','rb').read()))\n# end of the file here",
    { language: "python" },
    ["warn"],
  ],
  [
    "marshal for data",
    "import marshal\ndata = marshal.loads(open('a.bin','rb').read())\nprint(data)  # shows it",
    { language: "python" },
    [],
  ],
  [
    "names of I and l",
    Array.from({ length: 10 }, (_, i) => `var IlIlIlI${"l".repeat(i + 1)} = 1;`).join("\n"),
    {},
    ["warn"],
  ],
  ["a minified line", MINIFIED, {}, ["warn"]],
  ["a minified line with a licence", `/*! a 1.0 | MIT */\n${MINIFIED}`, {}, ["info, demoted"]],
  ["a minified line with a source map", `${MINIFIED}\n//# sourceMappingURL=a.js.map`, {}, ["info, demoted"]],
  ["a bundle by its name", MINIFIED, { file: "assets/a.min.js" }, ["info, demoted"]],
  ["a long literal", `const data = "${"abc def ".repeat(1000)}";`, {}, []],
  [
    "a long line of prose",
    "Words and words. ".repeat(500),
    { language: "markdown", medium: "prose", file: "SKILL.md" },
    [],
  ],
  ["ordinary code", "function add(a, b) {\n  return a + b;\n}\n".repeat(400), {}, []],
  ["text behind blank lines", `a\n${"\n".repeat(500)}b`, { language: "markdown", medium: "prose" }, ["warn"]],
  ["text far to the right", `a${" ".repeat(500)}b`, { language: "markdown", medium: "prose" }, ["warn"]],
  ["columns of data", `a${" ".repeat(500)}b`, { language: "csv", medium: "data" }, ["info, demoted"]],
  ["a quoted specimen", OBFUSCATED, { stance: "quoted" }, ["info, demoted"]],
  ["blank lines at the end", `a\n${"\n".repeat(500)}`, { language: "markdown", medium: "prose" }, []],
] as const)("OB1 on %s", (_, text, source, expected) => {
  expect(severities(text, source)).toEqual(expected);
});
