import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import type { Answer, Question } from "../ask.ts";
import { openSkills } from "../open-skills.ts";
import { writeTree } from "../testing/write-tree.ts";
import type { Skills } from "../workspace/skills.ts";
import { readJournal } from "./records/journal.ts";
import { usableIn } from "./testing/inspect-session.ts";
import { openSession } from "./testing/open-session.ts";
import { decisionOf } from "./testing/unwrap.ts";

function skill(name: string, header = "", body = "Body."): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${header === "" ? "" : `${header}\n`}---\n${body}\n`;
}

function tree(files: Record<string, string>): string {
  return writeTree(join(temporaryDirectory(), "skills"), files);
}

function open(roots: readonly string[], config: string, workspace?: string): Promise<Skills> {
  const home = temporaryDirectory();
  writeTree(join(home, ".skillet"), { "config.yaml": config });
  return openSkills({
    workspace: workspace ?? home,
    roots,
    home: join(home, ".skillet"),
    userHome: home,
    environment: { PATH: "/usr/bin:/bin" },
    organisationDirectory: join(home, "organisation"),
    bundledDirectory: false,
    cacheDirectory: false,
  });
}

const NEEDS = "required-environment-variables:\n  - name: TOKEN";
const provide = async (): Promise<Answer> => ({ choice: "provide", secrets: { TOKEN: "v" } });

describe("a secret given for a skill makes it available and nothing more", () => {
  test("one for users only stays out of the model's reach", async () => {
    const folder = tree({ "deploy/SKILL.md": skill("deploy", `disable-model-invocation: true\n${NEEDS}`) });
    const session = await openSession(folder, { ask: provide });
    await session.askForDependencies();
    expect(usableIn(session, "model")).toEqual([]);
  });

  test("one with scripts stays hidden in plan mode", async () => {
    const folder = tree({ "deploy/SKILL.md": skill("deploy", NEEDS), "deploy/scripts/x.sh": "rm x\n" });
    const session = await openSession(folder, { ask: provide, mode: "plan" });
    await session.askForDependencies();
    expect(usableIn(session, "model")).toEqual([]);
  });

  test("one that asks for tools that write stays hidden in plan mode", async () => {
    const folder = tree({ "deploy/SKILL.md": skill("deploy", `allowed-tools: Write\n${NEEDS}`) });
    const session = await openSession(folder, { ask: provide, mode: "plan" });
    await session.askForDependencies();
    expect(usableIn(session, "model")).toEqual([]);
  });
});

describe("what a model may not have reads like what does not exist", () => {
  test("also when it is for users and a rule denies it", async () => {
    const folder = tree({ "deploy/SKILL.md": skill("deploy", "disable-model-invocation: true") });
    const skills = await open([folder], "policy: { mode: locked }\n");
    await expect((await skills.session()).activate("deploy")).rejects.toMatchObject({
      code: "skill-not-found",
    });
  });

  test("also when it is for users and the parent did not pass it on", async () => {
    const folder = tree({
      "deploy/SKILL.md": skill("deploy", "disable-model-invocation: true"),
      "look/SKILL.md": skill("look"),
    });
    const child = await (await openSession(folder)).fork({ skills: ["look"] });
    await expect(child.activate("deploy")).rejects.toMatchObject({ code: "skill-not-found" });
  });
});

const ASK = "policy:\n  rules:\n    - { skill: pdf, action: ask }\n";

test("a rule that asks before a skill is loaded also guards its files", async () => {
  const folder = tree({ "pdf/SKILL.md": skill("pdf"), "pdf/references/x.md": "Inner text." });
  const skills = await open([folder], ASK);
  const session = await skills.session({ ask: async () => ({ choice: "deny" }) });
  await expect(session.activate("pdf")).rejects.toMatchObject({ code: "skill-denied" });
  expect((await session.read("pdf", "references/x.md")).content).toBeUndefined();
});

test("locked mode asks no question about a skill that was named", async () => {
  const folder = tree({ "pdf/SKILL.md": skill("pdf") });
  const skills = await open([folder], ASK, dirname(folder));
  const questions: Question[] = [];
  const ask = async (question: Question): Promise<Answer> => {
    questions.push(question);
    return { choice: "allow" };
  };
  const session = await skills.session({ mode: "locked", allow: ["pdf"], ask });
  await session.activate("pdf").catch(() => undefined);
  expect(questions).toEqual([]);
});

test("a rule for locked mode denies what was named, too", async () => {
  const folder = tree({ "pdf/SKILL.md": skill("pdf") });
  const skills = await open(
    [folder],
    "policy:\n  rules:\n    - { skill: pdf, mode: locked, action: deny }\n",
    dirname(folder),
  );
  const session = await skills.session({ mode: "locked", allow: ["pdf"] });
  await expect(session.activate("pdf")).rejects.toMatchObject({ code: "skill-not-found" });
});

test("a projectDirectory that is undefined counts as left out: rules for ./ hold", async () => {
  const folder = tree({ "pdf/SKILL.md": skill("pdf") });
  const skills = await open(
    [folder],
    'policy:\n  rules:\n    - { tool: "Read(./secret/**)", action: deny }\n',
  );
  const session = await skills.session({ projectDirectory: undefined } as never);
  const decision = await decisionOf(
    session.guard({
      tool: "Read",
      input: join(dirname(skills.home), "secret/key"),
    }),
  );
  expect(decision.outcome).toBe("deny");
});

test("plan mode holds for preloads and forks", async () => {
  const folder = tree({ "pdf/SKILL.md": skill("pdf", "metadata:\n  mutates: true") });
  const session = await openSession(folder, { mode: "plan" });
  await expect(session.fork({ skills: ["pdf"] })).rejects.toMatchObject({ code: "skill-not-offered" });
});

describe("a skill whose bare name another one took", () => {
  async function openTwo(): Promise<Skills> {
    const first = tree({ "pdf/SKILL.md": skill("pdf"), "pdf/references/x.md": "first" });
    const second = tree({ "pdf/SKILL.md": skill("pdf", "", "Other."), "pdf/references/x.md": "second" });
    return open([first, second], "");
  }

  test("can be loaded by its qualified name", async () => {
    const skills = await openTwo();
    const other = skills.snapshot.skills.find(({ state }) => state === "shadowed");
    const session = await skills.session();
    await session.activate(other?.qualifiedName ?? "", { source: "user" });
  });
});

test("files of a skill that a person loaded can be listed as well as read", async () => {
  const folder = tree({
    "deploy/SKILL.md": skill("deploy", "disable-model-invocation: true"),
    "deploy/references/x.md": "x",
  });
  const session = await openSession(folder);
  await session.activate("deploy", { source: "user" });
  expect((await session.read("deploy", "references/x.md")).status).toBe("read");
  expect((await session.resources("deploy")).map(({ path }) => path)).toEqual(["references/x.md"]);
});

test("a refused listing of files is recorded", async () => {
  const session = await openSession(tree({ "a/SKILL.md": skill("a") }));
  await session.resources("nobody").catch(() => undefined);
  expect(await session.recorded()).not.toEqual([]);
});

test("a mode that does not exist is refused, not taken for the least strict", async () => {
  const folder = tree({ "a/SKILL.md": skill("a") });
  const outcome = await openSession(folder, { mode: "lock" as never }).then(
    ({ mode }) => mode,
    () => "refused",
  );
  expect(outcome).toBe("refused");
});

test("the policy record names every skill that somebody may load, the model's own included", async () => {
  const session = await openSession(tree({ "quiet/SKILL.md": skill("quiet", "user-invocable: false") }));
  const { entries } = await readJournal(session.runFolder);
  expect(entries[0]?.record).toMatchObject({ kind: "policy", skills: [{ name: "quiet" }] });
});

test("a tool call whose input is not JSON is refused or decided, and recorded, but not thrown as a TypeError", async () => {
  const folder = tree({ "a/SKILL.md": skill("a", "allowed-tools: Read") });
  const session = await openSession(folder);
  await session.activate("a");
  const outcome = await decisionOf(session.guard({ tool: "Write", input: { size: 1n } as never })).then(
    (decision) => decision.outcome,
    (error: Error) => error.name,
  );
  expect(outcome).toBe("deny");
});

describe("a command of a body", () => {
  const RULE = "policy:\n  rules:\n    - { tool: Bash(date:*), action: allow }\n";

  async function run(
    config: string,
    header: string,
    options: Parameters<Skills["session"]>[0] = {},
  ): Promise<readonly string[]> {
    const commands: string[] = [];
    const folder = tree({ "now/SKILL.md": skill("now", header, "!`date`") });
    const skills = await open([folder], config, dirname(folder));
    const session = await skills.session({
      dynamicContext: ["local"],
      exec: async ({ command, shell }) => {
        commands.push(`${shell} ${command}`);
        return { exitCode: 0, output: "", timedOut: false };
      },
      ...options,
    });
    await session.activate("now", { source: "user" });
    return commands;
  }

  test("runs when a rule allows it and its origin is let", async () => {
    expect(await run(RULE, "")).toEqual(["bash date"]);
    expect(await run(RULE, "", { dynamicContext: [] })).toEqual([]);
  });

  test("does not run for want of a rule, whatever the skill says", async () => {
    expect(await run("", "")).toEqual([]);
    expect(await run("", "allowed-tools: Bash(date)")).toEqual([]);
    expect(await run(RULE, "allowed-tools: Read")).toEqual([]);
  });

  test("does not run in another program than the policy reads commands for", async () => {
    expect(await run(RULE, "shell: ./scripts/evil")).toEqual([]);
  });

  test("does not run in plan or locked mode", async () => {
    expect(await run(RULE, "metadata:\n  mutates: false", { mode: "plan" })).toEqual([]);
    expect(await run(RULE, "", { mode: "locked", allow: ["now"] })).toEqual([]);
  });
});
