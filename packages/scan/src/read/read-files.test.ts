import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import type { Analyser } from "../analyse/fact-writer.ts";
import { DEFAULT_SCAN_LIMITS } from "../scan-limits.ts";
import { readFiles } from "./read-files.ts";

const file = (path: string, text: string) => ({ path, mode: "644" as const, bytes: Buffer.from(text) });
const nothing: Analyser = () => ({ facts: [], texts: [] });

test("a document with more blocks than an engine takes as arguments is read as far as the bound, and says so", async () => {
  const skill = file("SKILL.md", `# x\n\n${"```sh\nls\n```\n".repeat(300_000)}`);
  const { coverage } = await readFiles([skill], { limits: DEFAULT_SCAN_LIMITS, analysers: [nothing] });
  expect(coverage).toMatchObject([
    { file: "SKILL.md", state: "partly", reason: expect.stringContaining("2000 texts") },
  ]);
});

test("a text that is too much for an analyser is reported, and all others are read", async () => {
  const recursing: Analyser = (source) => {
    if (source.file !== "deep.txt") return nothing(source);
    const descend = (): number => 1 + descend();
    descend();
    return nothing(source);
  };
  const { coverage } = await readFiles([file("SKILL.md", "# x\n"), file("deep.txt", "words\n")], {
    limits: DEFAULT_SCAN_LIMITS,
    analysers: [recursing],
  });
  expect(coverage.map(({ file: path, state, reason }) => [path, state, reason])).toEqual([
    ["SKILL.md", "read", undefined],
    ["deep.txt", "partly", "its text is more than can be analysed"],
  ]);
});

test("a fault of the scanner itself is not taken for one of the skill", async () => {
  const broken: Analyser = () => {
    throw new TypeError("broken");
  };
  await expect(
    readFiles([file("SKILL.md", "# x\n")], { limits: DEFAULT_SCAN_LIMITS, analysers: [broken] }),
  ).rejects.toThrow("broken");
});
