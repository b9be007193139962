import { expect, test } from "vitest";
import { MemorySource } from "../source/memory-source.ts";
import { skillText } from "../testing/write-tree.ts";
import { discoverSkills } from "./discover-skills.ts";
import { findSkill } from "./find-skill.ts";
import type { Scope } from "./skill.ts";
import type { Snapshot } from "./snapshot.ts";

const snapshotOf = (...roots: readonly [Scope, Record<string, string>][]): Promise<Snapshot> =>
  discoverSkills({
    roots: roots.map(([scope, files]) => ({
      scope,
      origin: "local",
      source: new MemorySource(files, { id: `memory:${scope}` }),
      path: scope,
      trust: { kind: "trusted" },
    })),
  });

const answer = async (snapshot: Snapshot, name: string): Promise<string> => {
  const found = findSkill(snapshot, name);
  if (found.kind === "found") return found.skill.path;
  if (found.kind === "ambiguous")
    return `ambiguous: ${found.candidates.map(({ qualifiedName }) => qualifiedName).join(" ")}`;
  return `unknown: ${found.suggestions.join(" ")}`;
};

test("a name, a qualified name, a folder name and a path each find the skill they stand for", async () => {
  const snapshot = await snapshotOf(
    ["project", { "pdf/SKILL.md": skillText("pdf") }],
    ["user", { "pdf/SKILL.md": skillText("pdf", "Mine."), "folder/SKILL.md": skillText("label") }],
  );
  expect(await answer(snapshot, "pdf")).toBe("memory:project/pdf/SKILL.md");
  expect(await answer(snapshot, "project:pdf")).toBe("memory:project/pdf/SKILL.md");
  expect(await answer(snapshot, "user:pdf")).toBe("memory:user/pdf/SKILL.md");
  expect(await answer(snapshot, "memory:user/pdf")).toBe("memory:user/pdf/SKILL.md");
  expect(await answer(snapshot, "folder")).toBe("memory:user/folder/SKILL.md");
  expect(await answer(snapshot, "label")).toBe("memory:user/folder/SKILL.md");
});

test("a folder name that two skills share is refused with both, and a slip is answered with the nearest names", async () => {
  const snapshot = await snapshotOf([
    "user",
    {
      "a/tools/SKILL.md": skillText("one"),
      "b/tools/SKILL.md": skillText("two"),
      "c/SKILL.md": skillText("review-change"),
    },
  ]);
  expect(await answer(snapshot, "tools")).toBe("ambiguous: one two");
  expect(await answer(snapshot, "reveiw-change")).toBe("unknown: review-change");
  expect(await answer(snapshot, "zzz")).toBe("unknown: ");
});

test("who asks for a scope's skill gets no other that calls itself so", async () => {
  const snapshot = await snapshotOf(
    ["organisation", { "pdf/SKILL.md": skillText("pdf", "The organisation's.") }],
    ["project", { "a/SKILL.md": skillText('"user:pdf"'), "user:forms/SKILL.md": skillText("other") }],
    ["user", { "pdf/SKILL.md": skillText("pdf") }],
  );
  expect(await answer(snapshot, "user:pdf")).toBe("memory:user/pdf/SKILL.md");
  expect(await answer(snapshot, "project:user:pdf")).toBe("memory:project/a/SKILL.md");
  expect(await answer(snapshot, "user:forms")).toMatch(/^unknown/);
});
