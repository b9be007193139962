import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import { usableIn } from "./testing/inspect-session.ts";
import { openSession } from "./testing/open-session.ts";
import { decisionOf } from "./testing/unwrap.ts";

function tree(): string {
  return writeTree(join(temporaryDirectory(), "skills"), {
    "a/SKILL.md": skillText("a"),
    "b/SKILL.md": skillText("b"),
    "paths/SKILL.md": "---\nname: paths\ndescription: P.\npaths: ['**/*.tf']\n---\nP.\n",
  });
}

test("a fork does nothing that its tools do not cover, also where a person could be asked", async () => {
  const questions: unknown[] = [];
  const ask = async (question: unknown) => {
    questions.push(question);
    return { choice: "allow" };
  };
  const parent = await openSession(tree(), { ask, interactive: true });
  const child = await parent.fork({ tools: ["Read"] });
  const grandchild = await child.fork({ tools: ["Read", "Bash"] });
  for (const session of [child, grandchild]) {
    expect((await decisionOf(session.guard({ tool: "Bash", input: "ls" }))).outcome).toBe("deny");
    expect((await decisionOf(session.guard({ tool: "Read", input: "/a" }))).outcome).toBe("allow");
  }
  expect(questions).toEqual([]);
});

test("a link in the run folder does not lead a child's records out of it", async () => {
  const outside = temporaryDirectory();
  const runFolder = join(temporaryDirectory(), "run");
  mkdirSync(runFolder);
  symlinkSync(outside, join(runFolder, "children"));
  const session = await openSession(tree(), { records: runFolder });
  await session.fork({ skills: ["a"] }).catch(() => undefined);
  expect(readdirSync(outside)).toEqual([]);
});

test("a child that was ended does nothing more", async () => {
  const child = await (await openSession(tree())).fork({ skills: ["a"] });
  await child.finish("Done.");
  await expect(child.activate("a")).rejects.toThrow();
});

test("a child's model sees no skill that its parent's does not", async () => {
  const parent = await openSession(tree(), { files: ["readme.md"] });
  expect(usableIn(parent, "model").map(({ name }) => name)).not.toContain("paths");
  const child = await parent.fork({ skills: ["paths"] });
  expect(usableIn(child, "model").map(({ name }) => name)).not.toContain("paths");
});

test("a child takes skills from its parent and its model only, as its record says", async () => {
  const child = await (await openSession(tree())).fork({ skills: ["a"] });
  await expect(child.activate("a", { source: "preload" })).rejects.toThrow();
});

test("a run of a child is not resumed as a session that has everything", async () => {
  const parent = await openSession(tree());
  const child = await parent.fork({ skills: ["a"], tools: ["Read"] });
  await child.activate("a");
  await child.finish("Done.");
  const outcome = await parent.skills.resume(join(parent.runFolder, "children", child.runId)).then(
    async ({ session }) => [
      usableIn(session).map(({ name }) => name),
      (await decisionOf(session.guard({ tool: "Bash", input: "rm -rf x" }))).outcome,
    ],
    () => "refused",
  );
  expect(["refused", [["a"], "deny"]]).toContainEqual(outcome);
});

test("a tool rule of a fork that cannot be read is reported, and covers nothing", async () => {
  const child = await (await openSession(tree())).fork({ skills: ["a"], tools: ["Bash(git log"] });
  expect(child.diagnostics).toMatchObject([{ code: "tool-rule-unclear" }]);
  expect((await decisionOf(child.guard({ tool: "Bash", input: "git log" }))).outcome).toBe("deny");
});
