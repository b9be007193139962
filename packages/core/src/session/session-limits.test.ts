import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { writeTree } from "../testing/write-tree.ts";
import type { ExecRequest } from "./activate/render-body.ts";
import { openFolder, openSession } from "./testing/open-session.ts";
import { recordingRunner, scriptSecrets } from "./testing/recording-runner.ts";
import { decisionOf } from "./testing/unwrap.ts";

function skill(name: string, header = "", body = "Body."): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${header === "" ? "" : `${header}\n`}---\n${body}\n`;
}
function tree(files: Record<string, string>): string {
  return writeTree(join(temporaryDirectory(), "skills"), files);
}
async function ran(body: string, rule: string, args?: string): Promise<ExecRequest[]> {
  const folder = tree({ "x/SKILL.md": skill("x", "", body) });
  const skills = await openFolder(folder, `policy:\n  rules:\n    - { tool: "${rule}", action: allow }\n`);
  const calls: ExecRequest[] = [];
  const session = await openSession(
    folder,
    {
      dynamicContext: ["local", "community", "trusted", "builtin", "organisation", "agent-created"],
      exec: async (r) => {
        calls.push(r);
        return { exitCode: 0, output: "", timedOut: false };
      },
    },
    skills,
  );
  await session.activate("x", { source: "user", ...(args !== undefined && { arguments: args }) });
  return calls;
}
describe("commands of bodies", () => {
  test("a rule for one part of a command does not run the other parts", async () => {
    expect(await ran("!`git status; touch made-by-it`", "Bash(git status)")).toEqual([]);
  });
});
describe("files", () => {
  test("a refused activation does not renew what reads are compared with", async () => {
    const folder = tree({ "x/SKILL.md": skill("x"), "x/ref.md": "old" });
    const session = await openSession(folder, { interactive: false });
    await session.activate("x");
    writeFileSync(join(folder, "x/SKILL.md"), skill("x", "", "evil"));
    writeFileSync(join(folder, "x/ref.md"), "new");
    await expect(session.activate("x")).rejects.toThrow();
    const read = await session.read("x", "ref.md");
    expect(read.digestMatchesRegistry).not.toBe(true);
  });
  test("files of a skill that a rule asks about are not listed unasked", async () => {
    const folder = tree({ "x/SKILL.md": skill("x"), "x/ref.md": "old" });
    const skills = await openFolder(folder, `policy:\n  rules:\n    - { skill: x, action: ask }\n`);
    const session = await openSession(folder, { ask: async () => ({ choice: "deny" }) }, skills);
    expect((await session.read("x", "ref.md")).status).toBe("error");
    await expect(session.resources("x")).rejects.toThrow();
  });
});
describe("a resumed run", () => {
  test("what a compaction dropped in this turn still narrows after resume", async () => {
    const folder = tree({ "x/SKILL.md": skill("x", "disallowed-tools: Write", "Body ".repeat(3000)) });
    const session = await openSession(folder, {});
    await session.activate("x");
    await session.compact({ budgetTokens: 50 });
    expect((await decisionOf(session.guard({ tool: "Write", input: "a" }))).outcome).toBe("deny");
    const r = await session.skills.resume(session.runFolder, {});
    expect((await decisionOf(r.session.guard({ tool: "Write", input: "a" }))).outcome).toBe("deny");
  });
  test("a skill that changed still narrows after resume with warn", async () => {
    const folder = tree({ "x/SKILL.md": skill("x", "disallowed-tools: Write"), "x/ref.md": "a" });
    const session = await openSession(folder, {});
    await session.activate("x");
    writeFileSync(join(folder, "x/ref.md"), "new");
    const r = await session.skills.resume(session.runFolder, {
      onDrift: "warn",
      ask: async () => ({ choice: "allow" }),
    });
    expect((await decisionOf(r.session.guard({ tool: "Write", input: "a" }))).outcome).toBe("deny");
  });
  test("a skill that a rule denies to models now is not read or compacted after resume", async () => {
    const folder = tree({ "x/SKILL.md": skill("x", "", "SECRETBODY"), "x/ref.md": "a" });
    const session = await openSession(folder, {});
    await session.activate("x");
    const skills = await openFolder(
      folder,
      `policy:\n  rules:\n    - { skill: x, source: model, action: deny }\n`,
    );
    const r = await skills.resume(session.runFolder, {
      ask: async () => ({ choice: "allow" }),
      onDrift: "warn",
    });
    expect((await r.session.read("x", "ref.md")).content).toBeUndefined();
    expect((await r.session.compact()).text).not.toContain("SECRETBODY");
  });
});
describe("secrets", () => {
  test("a skill that is denied to everybody gets no secret", async () => {
    const NEEDS = "required-environment-variables:\n  - name: TOKEN";
    const folder = tree({
      "pay/SKILL.md": skill("pay", NEEDS),
      "pay/scripts/main.sh": "#!/bin/sh\n",
      "evil/SKILL.md": skill("evil", NEEDS),
      "evil/scripts/main.sh": "#!/bin/sh\n",
    });
    const runner = recordingRunner({ allow: ["pay:scripts/main.sh", "evil:scripts/main.sh"] });
    const skills = await openFolder(folder, `policy:\n  rules:\n    - { skill: evil, action: deny }\n`);
    const session = await openSession(
      folder,
      { ask: async () => ({ choice: "provide", secrets: { TOKEN: "v" } }), runner },
      skills,
    );
    await session.askForDependencies(["pay", "evil"]);
    expect(await scriptSecrets(session, runner, "pay")).toEqual({ TOKEN: "v" });
    expect(await session.run("evil", "scripts/main.sh")).toMatchObject({ status: "refused" });
    expect(runner.calls.length).toBe(1);
  });
});
