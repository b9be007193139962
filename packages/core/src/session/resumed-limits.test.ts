import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import { usableIn } from "./testing/inspect-session.ts";
import { openFolder, openSession } from "./testing/open-session.ts";
import { decisionOf } from "./testing/unwrap.ts";

function tree(): string {
  return writeTree(join(temporaryDirectory(), "skills"), {
    "pdf/SKILL.md": "---\nname: pdf\ndescription: P.\n---\nDo $ARGUMENTS.\n",
    "other/SKILL.md": skillText("other"),
  });
}

test("a resumed run in batch refuses what changes afterwards, like any other", async () => {
  const folder = tree();
  const first = await openSession(folder);
  await first.turn().end();
  const { session } = await first.skills.resume(first.runFolder);
  writeFileSync(join(folder, "other/SKILL.md"), skillText("other", "Changed."));
  await expect(session.activate("other")).rejects.toMatchObject({ code: "skill-drifted" });
});

test("a resumed run is as strict as it was", async () => {
  const first = await openSession(tree(), { mode: "locked", allow: ["pdf"] });
  await first.turn().end();
  const outcome = await first.skills.resume(first.runFolder).then(
    ({ session }) => session.mode,
    () => "locked",
  );
  expect(outcome).toBe("locked");
});

test("long arguments survive a reload, or it is refused", async () => {
  const folder = tree();
  const first = await openSession(folder, { interactive: true });
  const given = `${"x".repeat(9000)} end`;
  await first.activate("pdf", { arguments: given });
  await first.turn().end();
  writeFileSync(join(folder, "pdf/SKILL.md"), "---\nname: pdf\ndescription: P.\n---\nNow do $ARGUMENTS.\n");
  const outcome = await (await openFolder(folder))
    .resume(first.runFolder, { onDrift: "reload", interactive: true })
    .then(
      ({ reactivated }) => reactivated[0]?.text.includes(given),
      () => true,
    );
  expect(outcome).toBe(true);
});

test("long arguments are not loaded twice after a resume", async () => {
  const first = await openSession(tree());
  const given = `${"x".repeat(9000)} end`;
  await first.activate("pdf", { arguments: given });
  await first.turn().end();
  const { session } = await first.skills.resume(first.runFolder);
  expect((await session.activate("pdf", { arguments: given })).duplicate).toBe(true);
});

test("a resume runs no command", async () => {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "ctx/SKILL.md": "---\nname: ctx\ndescription: C.\n---\n!`date`\n",
  });
  let runs = 0;
  const options = {
    dynamicContext: ["local"] as const,
    exec: async () => {
      runs += 1;
      return { exitCode: 0, output: `run ${runs}`, timedOut: false };
    },
  };
  const skills = await openFolder(folder, "policy:\n  rules:\n    - { tool: Bash(date), action: allow }\n");
  const first = await openSession(folder, options, skills);
  expect((await first.activate("ctx")).text).toContain("run 1");
  await first.turn().end();
  await skills.resume(first.runFolder, options);
  expect(runs).toBe(1);
});

test("what a compaction dropped is not taken to be in context after a resume", async () => {
  const first = await openSession(tree());
  await first.activate("pdf", { arguments: "a" });
  expect((await first.compact({ budgetTokens: 1 })).dropped).toEqual(["pdf"]);
  await first.turn().end();
  const { session } = await first.skills.resume(first.runFolder);
  expect((await session.activate("pdf", { arguments: "a" })).duplicate).toBe(false);
});

test("what a skill narrowed in a turn that had not ended still holds, and what it said survives a compaction", async () => {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "notes/SKILL.md": "---\nname: notes\ndescription: N.\nallowed-tools: Read\n---\nTake $ARGUMENTS.\n",
  });
  const first = await openSession(folder, { interactive: true });
  await first.activate("notes", { arguments: "a" });
  const { session } = await first.skills.resume(first.runFolder, { interactive: true });
  expect((await decisionOf(session.guard({ tool: "Bash", input: "rm x" }))).outcome).toBe("ask");
  const { kept, text } = await session.compact();
  expect(kept).toEqual(["notes"]);
  expect(text).toContain("Take a.");
  await session.turn().end();
  const { session: later } = await first.skills.resume(first.runFolder, { interactive: true });
  expect((await decisionOf(later.guard({ tool: "Bash", input: "rm x" }))).outcome).toBe("allow");
});

test("a skill that was loaded with a value that a person gave does not keep a run from going on", async () => {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "pay/SKILL.md":
      "---\nname: pay\ndescription: P.\nrequired-environment-variables:\n  - name: PAY_TOKEN\n---\nPay.\n",
  });
  const ask = async () => ({ choice: "provide", secrets: { PAY_TOKEN: "t" } });
  const first = await openSession(folder, { ask });
  expect((await first.askForDependencies()).provided).toEqual(["PAY_TOKEN"]);
  await first.activate("pay");
  const { session } = await first.skills.resume(first.runFolder);
  await expect(session.activate("pay")).rejects.toMatchObject({ code: "skill-not-found" });
});

test("an answer to drift that does not exist is refused", async () => {
  const first = await openSession(tree());
  await expect(
    first.skills.resume(first.runFolder, { interactive: true, onDrift: "bogus" as never }),
  ).rejects.toMatchObject({ code: "invalid-on-drift" });
});

test("what a run was allowed is not taken from its journal, which others may write: it is passed again", async () => {
  const first = await openSession(tree(), { mode: "locked", allow: ["pdf"] });
  await first.turn().end();
  const names = ({ session }: Awaited<ReturnType<typeof first.skills.resume>>): string[] =>
    usableIn(session).map(({ name }) => name);
  expect(names(await first.skills.resume(first.runFolder))).toEqual([]);
  expect(names(await first.skills.resume(first.runFolder, { allow: ["pdf"] }))).toEqual(["pdf"]);
});
