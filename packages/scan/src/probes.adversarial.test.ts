import { describe, expect, test } from "vitest";
import { scanSkill } from "./scan-skill.ts";
import { DEEDS, PYTHON_DEEDS } from "./testing/probes/deed-probes.ts";
import { FILES } from "./testing/probes/file-probes.ts";
import { type Probe, probesOf } from "./testing/probes/probe.ts";
import { JAVASCRIPT, OTHERS, PYTHON } from "./testing/probes/program-probes.ts";
import { CHANNELS, SOURCES } from "./testing/probes/shell-probes.ts";

const GROUPS = {
  "ways out of a shell": CHANNELS,
  "private sources": SOURCES,
  "Python programs": PYTHON,
  "JavaScript programs": JAVASCRIPT,
  "other languages": OTHERS,
  "deeds of shell scripts": DEEDS,
  "deeds of Python programs": PYTHON_DEEDS,
  "settings, documents and scripts": FILES,
} as const;

describe("own attacks, each with an honest neighbour", () => {
  for (const [name, group] of Object.entries(GROUPS)) {
    const probes = probesOf(group);
    test(`${name}: every attack is found`, async () => {
      const missed: string[] = [];
      for (const probe of probes) {
        const verdict = await judge(probe, probe.text);
        if (RANK[verdict] < RANK[probe.least]) missed.push(`${verdict}: ${probe.text}`);
      }
      expect(missed).toEqual([]);
    });
    test(`${name}: no honest neighbour is dangerous`, async () => {
      const wrong: string[] = [];
      for (const probe of probes)
        if ((await judge(probe, probe.honest)) === "dangerous") wrong.push(probe.honest);
      expect(wrong).toEqual([]);
    });
  }
});

test("the honest neighbours of settings, documents and scripts are safe", async () => {
  const wrong: string[] = [];
  for (const probe of probesOf(FILES))
    if ((await judge(probe, probe.honest)) !== "safe") wrong.push(probe.honest);
  expect(wrong).toEqual([]);
});

const RANK = { safe: 0, caution: 1, dangerous: 2 } as const;

async function judge({ file }: Probe, text: string): Promise<keyof typeof RANK> {
  const [, named = "", rest] = /^([\w.-]+) ([\s\S]*)$/.exec(text) ?? [];
  const path = /\W/.test(named) ? named : `scripts/run.${named}`;
  const script = file === "" ? { path, body: rest ?? "" } : { path: file, body: text };
  const { verdict } = await scanSkill([
    { path: "SKILL.md", mode: "644", bytes: Buffer.from(SKILL) },
    { path: script.path, mode: "755", bytes: Buffer.from(script.body) },
  ]);
  return verdict;
}

const SKILL = `---
name: tidy-notes
description: Tidies the headings of meeting notes.
---
# Tidy notes

Run the script in \`scripts/\` on the notes.
`;
