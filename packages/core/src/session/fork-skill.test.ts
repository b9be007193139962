import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import type { ForkSession } from "./open-fork.ts";
import type { Session } from "./session.ts";
import { scriptsIn, usableIn } from "./testing/inspect-session.ts";
import { openFolder, openSession, type TestSession } from "./testing/open-session.ts";
import { recordingRunner } from "./testing/recording-runner.ts";
import { decisionOf } from "./testing/unwrap.ts";

const header = (fields: string, body: string): string => `---\n${fields}\n---\n${body}\n`;
const SKILLS = {
  "research/SKILL.md": header(
    "name: research\ndescription: R.\ncontext: fork\nagent: explore\nmodel: small\nallowed-tools: Read, Bash(git log:*), Bash(ls:*)\nrequired-environment-variables: [TOKEN]\nmetadata: { openclaw: { requires: { skills: [notes] } } }",
    "Find out about $ARGUMENTS.",
  ),
  "research/scripts/main.sh": "#!/bin/sh\n",
  "notes/SKILL.md": header("name: notes\ndescription: N.\nallowed-tools: Write", "Note it."),
  "free/SKILL.md": header("name: free\ndescription: F.\ncontext: fork", "Do it."),
  "careful/SKILL.md": header("name: careful\ndescription: C.\nallowed-tools: Bash(git:*)", "Git only."),
  "mine/SKILL.md": header(
    "name: mine\ndescription: M.\ncontext: fork\ndisable-model-invocation: true",
    "Mine.",
  ),
  "other/SKILL.md": skillText("other"),
  "barred/SKILL.md": skillText("barred"),
};

let parent: TestSession;
const runner = recordingRunner({ allow: ["research:scripts/main.sh", "other:scripts/main.sh"] });
beforeEach(async () => {
  const folder = writeTree(join(temporaryDirectory(), "skills"), SKILLS);
  const skills = await openFolder(folder, "policy: { rules: [{ skill: barred, action: deny }] }");
  parent = await openSession(
    folder,
    { ask: async () => ({ choice: "allow" }), runner, secrets: { research: { TOKEN: "value" } } },
    skills,
  );
});

const outcome = async (session: Session, tool: string, input: string): Promise<string> =>
  (await decisionOf(session.guard({ tool, input }))).outcome;

test("a fork for a skill has its text, what it needs, its scripts and what it asks of the host, and nothing else", async () => {
  const child: ForkSession = await parent.fork({ activate: "research", arguments: "bees" });
  expect(child.activation?.text).toContain("Find out about bees.");
  expect(child.activation?.execution).toMatchObject({ context: "fork", agent: "explore", model: "small" });
  expect(usableIn(child, "parent").map(({ name }) => name)).toEqual(["notes", "research"]);
  expect(await child.run("research", "scripts/main.sh")).toMatchObject({ status: "executed" });
  expect(runner.calls.at(-1)?.secrets).toEqual({ TOKEN: "value" });
  await expect(child.activate("other")).rejects.toMatchObject({ code: "skill-not-found" });
  expect(scriptsIn(child)).toEqual(["research:scripts/main.sh"]);
});

test("its tools are those of its allowed-tools, whatever it loads, and no person widens them", async () => {
  const child = await parent.fork({ activate: "research" });
  expect(await outcome(child, "Bash", "git log -1")).toBe("allow");
  expect(await outcome(child, "Bash", "git push")).toBe("deny");
  await child.activate("notes");
  expect(await outcome(child, "Write", "x")).toBe("deny");
  await child.turn().end();
  expect(await outcome(child, "Write", "x")).toBe("deny");
});

test("it cannot exceed its parent: what narrows the parent narrows it, and so does a list of tools", async () => {
  await parent.activate("careful");
  const child = await parent.fork({ activate: "research" });
  expect(await outcome(child, "Bash", "git log -1")).toBe("allow");
  expect(await outcome(child, "Bash", "ls -l")).not.toBe("allow");
  const listed = await parent.fork({ activate: "research", tools: ["Read"], scripts: [] });
  expect(await outcome(listed, "Bash", "git log -1")).toBe("deny");
  expect(scriptsIn(listed)).toEqual([]);
  const free = await parent.fork({ activate: "free" });
  expect(await outcome(free, "Bash", "git push")).toBe("allow");
  expect(await outcome(free, "Bash", "ls")).not.toBe("allow");
});

test("the parent sees the summary and nothing else", async () => {
  const child = await parent.fork({ activate: "free" });
  await child.activate("free", { repeat: true });
  expect(await child.finish("Found <skill_content>three</skill_content>.")).toContain("three");
  expect((await parent.recorded()).map((record) => record.kind)).toEqual(["fork", "fork"]);
  expect((await parent.compact()).kept).toEqual([]);
  expect((await parent.activate("free")).duplicate).toBe(false);
});

test("a skill that may not be used is refused with a reason, and leaves no child", async () => {
  await expect(parent.fork({ activate: "barred" })).rejects.toMatchObject({ code: "skill-not-found" });
  await expect(parent.fork({ activate: "barred", source: "user" })).rejects.toThrow("denied by policy");
  await expect(parent.fork({ activate: "mine" })).rejects.toMatchObject({ code: "skill-for-users" });
  expect((await parent.fork({ activate: "mine", source: "user" })).activation?.text).toContain("Mine.");
  await expect(parent.fork({ activate: "free", source: "nobody" as never })).rejects.toMatchObject({
    code: "invalid-source",
  });
  const refused = (await parent.recorded()).filter(({ kind }) => kind === "refusal");
  expect(refused).toMatchObject([
    { what: "fork", subject: "barred" },
    { what: "fork", subject: "barred" },
    { what: "fork", subject: "mine" },
    { what: "fork", subject: "free" },
  ]);
});

test("a person who says no to the skill is asked once, and the child has ended", async () => {
  const asked: string[] = [];
  const folder = writeTree(join(temporaryDirectory(), "skills"), SKILLS);
  const skills = await openFolder(folder, "policy: { rules: [{ skill: free, action: ask }] }");
  const session = await openSession(
    folder,
    {
      ask: async ({ kind, skill }) => {
        asked.push(`${kind} ${skill}`);
        return { choice: "deny" };
      },
    },
    skills,
  );
  await expect(session.fork({ activate: "free" })).rejects.toMatchObject({ code: "skill-denied" });
  expect(asked).toEqual(["activate free"]);
});
