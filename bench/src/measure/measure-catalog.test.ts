import { discoverSkills, MemorySource } from "@skillet/core";
import { expect, test } from "vitest";
import { measureCatalog } from "./measure-catalog.ts";

test("every budget is tried, found right and compared with plain joining", async () => {
  const file = (name: string): [path: string, text: string] => [
    `${name}/SKILL.md`,
    `---\nname: ${name}\ndescription: "It's <${name}> & more. ${"Words. ".repeat(60)}"\ndisable-model-invocation: true\n---\n`,
  ];
  const source = new MemorySource(Object.fromEntries(["a", "b", "c"].map(file)));
  const { skills } = await discoverSkills({
    roots: [{ scope: "explicit", origin: "local", source, path: "/", trust: { kind: "trusted" } }],
  });
  const { rows, problems } = await measureCatalog(skills, { runs: 1 });
  expect(problems).toEqual([]);
  expect(rows.map(({ label, listed, isLimited }) => [label, listed, isLimited])).toEqual([
    ["escape and join every line", 3, false],
    ["no budget", 3, true],
    ["room for all of it", 3, true],
    ["room for names and half of the rest", 3, true],
    ["the same in tokens", 3, true],
    ["room for names and some descriptions", 3, true],
    ["room for names", 3, true],
    ["no room for locations", 3, true],
    ["8,000 characters, the default", 3, true],
    ["2 % of a million tokens", 3, true],
    ["the default in Markdown", 3, true],
    ["room for half, in Markdown", 3, true],
    ["the default as JSON", 3, true],
    ["room for half, as JSON", 3, true],
  ]);
});
