import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, type Document, type Sandbox, skillText } from "./sandbox.ts";

/** `ours` in the project, `mine` of the user's own, `both` in both. */
async function installed(): Promise<Sandbox> {
  const sandbox = createSandbox();
  for (const name of ["ours", "mine", "both"]) sandbox.write(`source/${name}/SKILL.md`, skillText(name));
  const install = (name: string, ...flags: readonly string[]) =>
    sandbox.skillet(["install", join(sandbox.root, "source", name), "--yes", ...flags]);
  await install("both");
  await install("mine");
  await install("both", "--project");
  await install("ours", "--project");
  return sandbox;
}

const rows = ({ results }: Document): readonly string[] =>
  results.map(({ scope, name, outcome }: Document) => `${scope} ${name} ${outcome}`);

test("in a project with a lock, verify and outdated cover both scopes and say which row is whose", async () => {
  const sandbox = await installed();
  sandbox.write("project/.agents/skills/ours/SKILL.md", `${skillText("ours")}Edited.\n`);
  const { exitCode, document } = await sandbox.json(["verify"]);
  expect([exitCode, rows(document)]).toEqual([
    1,
    ["project both intact", "project ours drifted", "user both intact", "user mine intact"],
  ]);
  const { stdout } = await sandbox.skillet(["verify"]);
  expect(stdout).toMatch(
    /\[This project's\] .*skillet\.lock\n.*✗ ours {2}drifted.*\[Yours\] .*✓ mine {2}intact/s,
  );
  expect(rows((await sandbox.json(["outdated"])).document).map((row) => row.split(" ", 2).join(" "))).toEqual(
    ["project both", "project ours", "user both", "user mine"],
  );
  expect((await sandbox.json(["verify", "--user"])).exitCode).toBe(0);
  expect((await sandbox.json(["verify", "--project"])).exitCode).toBe(1);
});

test("diff, and install without a source, cover the project and the user at once", async () => {
  const sandbox = await installed();
  const edit = () => sandbox.write("project/.agents/skills/ours/SKILL.md", `${skillText("ours")}Edited.\n`);
  edit();
  const { stdout } = await sandbox.skillet(["diff"]);
  expect(stdout).toMatch(
    /\[This project's\].*✓ ours {2}nothing newer\n! ours {2}edited here.*\[Yours\].*✓ mine {2}nothing newer/s,
  );
  expect((await sandbox.json(["diff", "--user"])).document.results.map(({ name }: Document) => name)).toEqual(
    ["both", "mine"],
  );
  expect(rows((await sandbox.json(["install", "--discard", "--yes"])).document)).toEqual([
    "project both unchanged",
    "project ours restored",
    "user both unchanged",
    "user mine unchanged",
  ]);
  expect(readFileSync(join(sandbox.root, "project/.agents/skills/ours/SKILL.md"), "utf8")).toBe(
    skillText("ours"),
  );
  edit();
  expect((await sandbox.json(["install", "--discard", "--yes", "--user"])).document.results).toHaveLength(2);
  expect(readFileSync(join(sandbox.root, "project/.agents/skills/ours/SKILL.md"), "utf8")).toContain(
    "Edited.",
  );
  expect((await sandbox.json(["install", "--user", "--project"])).exitCode).toBe(2);
});

test("a name goes where it is installed, and one that is installed twice is not changed before it is said which", async () => {
  const sandbox = await installed();
  expect(rows((await sandbox.json(["pin", "ours"])).document)).toEqual(["project ours pinned"]);
  expect(rows((await sandbox.json(["verify", "both"])).document)).toEqual([
    "project both intact",
    "user both intact",
  ]);
  const { exitCode, document } = await sandbox.json(["remove", "both", "--yes"]);
  expect([exitCode, document.error.code]).toEqual([1, "scope-ambiguous"]);
  expect((await sandbox.json(["remove", "both", "--user", "--yes"])).exitCode).toBe(0);
  expect(rows((await sandbox.json(["remove", "both", "mine", "--yes"])).document)).toEqual([
    "project both removed",
    "user mine removed",
  ]);
  expect((await sandbox.json(["pin", "nowhere"])).document.error.code).toBe("not-installed");
  expect((await sandbox.json(["verify", "--user", "--project"])).exitCode).toBe(2);
});

test("where there is no lock of a project, a row is the user's as ever", async () => {
  const sandbox = createSandbox();
  sandbox.write("source/mine/SKILL.md", skillText("mine"));
  await sandbox.skillet(["install", join(sandbox.root, "source/mine"), "--yes"]);
  expect((await sandbox.skillet(["verify"])).stdout).toMatch(/^✓ mine {2}intact/);
});

test("an update says nothing of a project's lock that is empty, and its dry run tells of edits as it does itself", async () => {
  const sandbox = createSandbox();
  sandbox.write("source/mine/SKILL.md", skillText("mine"));
  await sandbox.skillet(["install", join(sandbox.root, "source/mine"), "--yes"]);
  sandbox.write("home/.skillet/plugins/mine/SKILL.md", `${skillText("mine")}Edited.\n`);
  sandbox.write("project/skillet.lock", '{ "lockVersion": 1, "skills": {} }\n');
  for (const flags of [["--dry-run"], ["--yes"]]) {
    const { stdout } = await sandbox.skillet(["update", ...flags]);
    expect(stdout).not.toContain("[This project's]");
    expect(stdout).toContain("mine was edited: SKILL.md. Pass --discard");
  }
});

test("a skill whose header has a name that no folder can have answers to that and to its folder's", async () => {
  const sandbox = createSandbox();
  sandbox.write(
    "source/tool-kit/SKILL.md",
    skillText("tool-kit").replace("name: tool-kit", "name: Tool Kit"),
  );
  const install = ["install", join(sandbox.root, "source/tool-kit"), "--yes"];
  await sandbox.skillet(install);
  const commands = [["pin"], ["unpin"], ["verify"], ["outdated"], ["update", "--yes"], ["diff"]];
  const check = async () => {
    for (const [command = "", ...flags] of commands)
      for (const name of ["Tool Kit", "tool-kit"]) {
        const { exitCode, document } = await sandbox.json([command, name, ...flags]);
        expect([command, exitCode, document.results]).toMatchObject([command, 0, [{ name: "tool-kit" }]]);
      }
    expect((await sandbox.json(["history", "Tool Kit"])).document.history.length).toBeGreaterThan(0);
  };
  await check();
  const removed = await sandbox.json(["remove", "Tool Kit", "--yes"]);
  expect(rows(removed.document)).toEqual(["undefined tool-kit removed"]);
  await sandbox.skillet([...install, "--project"]);
  commands.pop();
  await check();
  expect(rows((await sandbox.json(["remove", "Tool Kit", "--yes"])).document)).toEqual([
    "project tool-kit removed",
  ]);
});
