import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { parseSkillBytes } from "./parse-skill.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const FILES = 100;
const BODY_BYTES = 900_000;
const HEADER = "name: some-skill\ndescription: Does one thing and does it well enough.\n";

describe("memory", () => {
  it.each([
    ["plain frontmatter", `---\n${HEADER}---\n`],
    ["a byte order mark", `\uFEFF---\n${HEADER}---\n`],
    ["CRLF line ends", `---\n${HEADER}---\n`.replaceAll("\n", "\r\n")],
    ["a missing description", "---\nname: some-skill\n---\nThe first paragraph stands in for it here.\n\n"],
    ["no frontmatter", "# A heading that is long enough\n\nThe first paragraph stands in for it here.\n\n"],
    ["frontmatter that is not closed", `---\n${HEADER}\n# Title\n\n`],
  ])("a manifest from a file with %s does not keep the file alive", (_what, start) => {
    const kept: unknown[] = [];
    const parse = (index: number): unknown => {
      const text = `${start}${String(index).padEnd(BODY_BYTES, " and so on")}`;
      return parseSkillBytes(Buffer.from(text), { directoryName: "some-skill" });
    };
    parse(0);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < FILES; index += 1) kept.push(parse(index));
    collectGarbage();
    const grown = process.memoryUsage().heapUsed - before;
    expect(kept.length).toBe(FILES);
    expect(grown).toBeLessThan((FILES * BODY_BYTES) / 10);
  });
});
