import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { canonicalPath } from "@skillet/kit/files";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../../open-skills.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import type { Skills } from "../../workspace/skills.ts";
import { refuse } from "../script-runner.ts";
import type { SessionOptions } from "../session.ts";
import { scriptsIn } from "../testing/inspect-session.ts";
import { openFolder, openSession, type TestSession } from "../testing/open-session.ts";
import { DONE, type RecordingRunner, recordingRunner } from "../testing/recording-runner.ts";
import { MAX_ARGUMENTS } from "./check-script-call.ts";

const MAIN = "#!/bin/bash\nsource ./lib.sh\n";
let folder: string;
beforeEach(() => {
  folder = writeTree(join(temporaryDirectory(), "skills"), {
    "tools/SKILL.md": skillText("tools"),
    "tools/scripts/main.sh": { text: MAIN, mode: 0o755 },
    "tools/scripts/lib.sh": "echo lib\n",
    "tools/scripts/notes.txt": "Notes.\n",
    "tools/scripts/link.sh": { link: "main.sh" },
    "tools/scripts/away.sh": { link: "/etc/passwd" },
    "tools/scripts/odd": { text: "odd", mode: 0o755 },
    "tools/references/x.md": "x",
    "other/SKILL.md": skillText("other"),
    "other/scripts/main.sh": MAIN,
  });
});

const PATHS = ["main.sh", "lib.sh", "notes.txt", "link.sh", "away.sh", "odd", "gone.sh"];
const ALLOW = [...PATHS.map((path) => `tools:scripts/${path}`), "other:scripts/main.sh"];

async function openLoaded(
  options: SessionOptions = {},
  config = "",
): Promise<{ session: TestSession; runner: RecordingRunner; skills: Skills }> {
  const runner = (options.runner as RecordingRunner | undefined) ?? recordingRunner({ allow: ALLOW });
  const skills = await openFolder(folder, config);
  const session = await openSession(folder, { runner, ...options }, skills);
  await session.activate("tools");
  return { session, runner, skills };
}

const change = (path: string, text: string): void => writeFileSync(join(folder, "tools", path), text);

test("a script that passes every gate is handed over with the bytes that were compared", async () => {
  const { session, runner } = await openLoaded();
  const treeDigest = (await session.activate("tools", { repeat: true })).treeDigest;
  const onOutput = (): void => undefined;
  const stop = new AbortController();
  const { signal } = stop;
  const run = await session.run("tools", "./scripts//main.sh", ["a b", ""], {
    cwd: "skill",
    timeoutMs: 5,
    stdin: "in",
    signal,
    onOutput,
  });
  expect(run).toEqual({
    ...DONE,
    type: "skillet.run-skill-script-output",
    skill: "tools",
    path: "scripts/main.sh",
    runtime: "bash",
    target: "sandbox",
    digest: digestBytes(Buffer.from(MAIN)),
    treeDigest,
  });
  const files = [
    "SKILL.md",
    "references/x.md",
    ...PATHS.slice(0, 6)
      .map((path) => `scripts/${path}`)
      .sort(),
  ];
  expect(runner.prepared).toEqual([
    {
      skill: { name: "tools", qualifiedName: "tools", treeDigest },
      path: "scripts/main.sh",
      facts: { executable: true, shebang: "#!/bin/bash", runtime: "bash" },
      target: "sandbox",
      files,
    },
  ]);
  const staged = runner.staged[0];
  expect(staged?.get("scripts/main.sh")).toEqual({
    path: "scripts/main.sh",
    mode: "755",
    bytes: Buffer.from(MAIN),
  });
  expect(staged?.get("scripts/link.sh")).toEqual({
    path: "scripts/link.sh",
    mode: "120000",
    bytes: Buffer.from("main.sh"),
  });
  expect(runner.calls).toEqual([
    {
      args: ["a b", ""],
      cwd: "skill",
      timeoutMs: 5,
      stdin: Buffer.from("in"),
      workspace: canonicalPath(join(folder, "..")),
      protect: [canonicalPath(session.runFolder)],
      secrets: {},
      runId: "run-1",
      signal: expect.any(AbortSignal),
      onOutput: expect.any(Function),
    },
  ]);
  expect(runner.calls[0]?.signal?.aborted).toBe(false);
  stop.abort();
  expect(runner.calls[0]?.signal?.aborted).toBe(true);
});

test("a script starts in a folder of the workspace, and never in one that leads out of it", async () => {
  const { session, runner } = await openLoaded();
  const workspace = join(folder, "..");
  mkdirSync(join(workspace, "labs/deep"), { recursive: true });
  symlinkSync("labs/deep", join(workspace, "near"));
  symlinkSync("/etc", join(workspace, "away"));
  const start = (cwd: string) => session.run("tools", "scripts/main.sh", [], { cwd });
  for (const cwd of ["labs", "./labs/../labs/deep/", "near", "./skill", "not-here-yet", "."])
    await start(cwd);
  expect(runner.calls.map(({ cwd, folder: at }) => [cwd, at])).toEqual([
    ["workspace", "labs"],
    ["workspace", "labs/deep"],
    ["workspace", "near"],
    ["workspace", "skill"],
    ["workspace", "not-here-yet"],
    ["workspace", undefined],
  ]);
  for (const cwd of ["away", "away/ssl", "..", "labs/../..", "/etc", "", "\0", "C:/x"])
    expect(await start(cwd), cwd).toMatchObject({ status: "refused", code: "script-arguments-invalid" });
  expect(runner.calls.length).toBe(6);
});

test("the deadline is the configuration's, and never more than ten minutes", async () => {
  const one = await openLoaded({}, "skills: { scriptTimeout: 1234 }\n");
  await one.session.run("tools", "scripts/main.sh");
  const other = await openLoaded({}, "skills: { scriptTimeout: 600000 }\n");
  await other.session.run("tools", "scripts/main.sh");
  const plain = await openLoaded();
  await plain.session.run("tools", "scripts/main.sh");
  expect([one, other, plain].map(({ runner }) => runner.calls[0]?.timeoutMs)).toEqual([
    1234, 600_000, 60_000,
  ]);
});

describe("gates come in their order, and each refusal is recorded", () => {
  // Each call is refused by its own gate although it would be by the next ones, too.
  type Row = readonly [
    code: string,
    call: readonly [skill: string, path: string, args?: readonly unknown[], options?: object],
    setUp?: () => void,
  ];
  const bad = { timeoutMs: 0 };
  const rows: readonly Row[] = [
    ["script-path-invalid", ["nobody", "../x", [1], bad]],
    ["script-path-invalid", ["nobody", "references/x.md", [1], bad]],
    ["script-path-invalid", ["nobody", "scripts/../SKILL.md", [1], bad]],
    ["script-path-invalid", ["nobody", "scripts", [1], bad]],
    ["script-path-invalid", ["nobody", "scripts/a\0b", [1], bad]],
    ["script-path-invalid", ["nobody", 7 as never, [1], bad]],
    ["script-arguments-invalid", ["nobody", "scripts/x", [1]]],
    ["script-arguments-invalid", ["nobody", "scripts/x", ["a\0b"]]],
    ["script-arguments-invalid", ["nobody", "scripts/x", "a" as never]],
    ["script-arguments-invalid", ["nobody", "scripts/x", Array(1)]],
    ["script-arguments-invalid", ["nobody", "scripts/x", Array(MAX_ARGUMENTS + 1).fill("")]],
    ["script-arguments-invalid", ["nobody", "scripts/x", ["x".repeat(131_072)]]],
    ["script-arguments-invalid", ["nobody", "scripts/x", [], { timeoutMs: 600_001 }]],
    ["script-arguments-invalid", ["nobody", "scripts/x", [], { timeoutMs: 1.5 }]],
    ["script-arguments-invalid", ["nobody", "scripts/x", [], { timeoutMs: "9" }]],
    ["script-arguments-invalid", ["nobody", "scripts/x", [], { cwd: "/etc" }]],
    ["script-arguments-invalid", ["nobody", "scripts/x", [], { stdin: 7 }]],
    ["script-arguments-invalid", ["nobody", "scripts/x", [], { stdin: "x".repeat(16 * 1024 * 1024 + 1) }]],
    ["skill-not-found", ["nobody", "scripts/x"]],
    ["skill-not-activated", ["other", "scripts/never-allowed.sh"]],
    ["script-not-allowlisted", ["tools", "scripts/never-indexed.sh"], () => change("scripts/lib.sh", "new")],
    ["script-not-indexed", ["tools", "scripts/gone.sh"], () => change("scripts/lib.sh", "new")],
    ["resource-not-script", ["tools", "scripts/notes.txt"], () => change("scripts/lib.sh", "new")],
    ["script-not-file", ["tools", "scripts/link.sh"], () => change("scripts/lib.sh", "new")],
    ["script-outside-root", ["tools", "scripts/away.sh"], () => change("scripts/lib.sh", "new")],
    [
      "script-outside-root",
      ["tools", "scripts/main.sh"],
      () => {
        unlinkSync(join(folder, "tools/scripts/main.sh"));
        symlinkSync("/etc/passwd", join(folder, "tools/scripts/main.sh"));
      },
    ],
    [
      "script-not-file",
      ["tools", "scripts/main.sh"],
      () => {
        unlinkSync(join(folder, "tools/scripts/main.sh"));
        mkdirSync(join(folder, "tools/scripts/main.sh"));
      },
    ],
    ["script-snapshot-mismatch", ["tools", "scripts/odd"], () => change("scripts/lib.sh", "new")],
    ["unsupported-runtime", ["tools", "scripts/odd"]],
    ["script-denied", ["tools", "scripts/main.sh"]],
  ];
  const DENY = "policy: { rules: [{ tool: run_skill_script, action: deny }] }\n";

  test.each(rows.map((row) => ({ row, title: `${row[0]}: ${JSON.stringify(row[1]).slice(0, 80)}` })))(
    "$title",
    async ({ row }) => {
      const [code, [skill, path, args = [], options = {}], setUp] = row;
      const { session, runner } = await openLoaded({}, DENY);
      setUp?.();
      const run = await session.run(skill, path, args as string[], options);
      expect(run).toEqual({
        type: "skillet.run-skill-script-output",
        skill,
        path: String(path),
        status: "refused",
        code,
        message: expect.stringMatching(/^.{20,}\.$/s),
      });
      expect(runner.calls).toEqual([]);
      expect((await session.recorded()).at(-1)).toMatchObject({
        kind: "script-execution",
        skillName: skill,
        path: String(path),
        status: "error",
        error: { code },
      });
    },
  );

  test("a session without a runner refuses before it looks for the skill, and after the call's shape", async () => {
    const session = await openSession(folder);
    expect(await session.run("nobody", "scripts/x")).toMatchObject({ code: "script-runner-missing" });
    expect(await session.run("nobody", "x")).toMatchObject({ code: "script-path-invalid" });
    expect(scriptsIn(session)).toEqual([]);
  });

  test("a change is found also by a runner that refuses, or has the files, before it looks at them", async () => {
    for (const runner of [
      recordingRunner({ onPrepare: () => refuse("unsupported-runtime", "No.") }),
      recordingRunner({ readFiles: 0 }),
      recordingRunner({ readFiles: 2 }),
    ]) {
      const { session } = await openLoaded({ runner });
      change("scripts/odd", `new ${Math.random()}`);
      expect(await session.run("tools", "scripts/main.sh")).toMatchObject({
        code: "script-snapshot-mismatch",
      });
      expect(runner.calls).toEqual([]);
    }
  });
});

test("nobody can find out by asking which scripts there are", async () => {
  const runner = recordingRunner({ allow: [] });
  const { session } = await openLoaded({ runner });
  const answers = await Promise.all(
    ["main.sh", "gone.sh", "link.sh"].map((file) => session.run("tools", `scripts/${file}`)),
  );
  const [there, ...others] = answers.map((answer) =>
    JSON.parse(JSON.stringify(answer).replaceAll(/(?:main|gone|link)\.sh/g, "x.sh")),
  );
  expect(there).toMatchObject({ code: "script-not-allowlisted" });
  expect(others).toEqual([there, there]);
});

test("a skill that is denied reads like one that does not exist", async () => {
  const { session } = await openLoaded({}, "policy: { rules: [{ skill: other, action: deny }] }\n");
  const [denied, missing] = [
    await session.run("other", "scripts/main.sh"),
    await session.run("nobody", "scripts/main.sh"),
  ];
  expect(JSON.stringify(denied)).toBe(JSON.stringify(missing).replaceAll("nobody", "other"));
});

describe("whatever changes in the skill, nothing of it runs, and the message names the first difference", () => {
  const rows: readonly (readonly [named: string, change: (skill: string) => void])[] = [
    ["scripts/main.sh has changed", (skill) => writeFileSync(join(skill, "scripts/main.sh"), "#!/bin/sh\n")],
    ["scripts/lib.sh has changed", (skill) => writeFileSync(join(skill, "scripts/lib.sh"), "echo LIB\n")],
    ["scripts/lib.sh has changed", (skill) => chmodSync(join(skill, "scripts/lib.sh"), 0o755)],
    ["SKILL.md has changed", (skill) => chmodSync(join(skill, "SKILL.md"), 0o755)],
    ["SKILL.md has changed", (skill) => writeFileSync(join(skill, "SKILL.md"), skillText("tools", "New."))],
    ["SKILL.md has changed", (skill) => unlinkSync(join(skill, "SKILL.md"))],
    ["references/a.md was added", (skill) => writeFileSync(join(skill, "references/a.md"), "")],
    ["zz was added", (skill) => writeFileSync(join(skill, "zz"), "")],
    ["references/x.md is gone", (skill) => unlinkSync(join(skill, "references/x.md"))],
    ["scripts/odd is gone", (skill) => unlinkSync(join(skill, "scripts/odd"))],
    [
      "scripts/link.sh has changed",
      (skill) => {
        unlinkSync(join(skill, "scripts/link.sh"));
        symlinkSync("lib.sh", join(skill, "scripts/link.sh"));
      },
    ],
    [
      "scripts/lib.sh has changed",
      (skill) => {
        const text = readFileSync(join(skill, "scripts/lib.sh"));
        unlinkSync(join(skill, "scripts/lib.sh"));
        writeFileSync(join(skill, "../copy.sh"), text);
        symlinkSync("../../copy.sh", join(skill, "scripts/lib.sh"));
      },
    ],
    [
      "references was added",
      (skill) => {
        rmSync(join(skill, "references"), { recursive: true });
        symlinkSync("scripts", join(skill, "references"));
      },
    ],
    [
      "It makes its folder a skill of its own",
      (skill) => writeTree(join(skill, "inner"), { "SKILL.md": "", "x.sh": "evil" }),
    ],
  ];
  test.each(rows)("%s", async (named, apply) => {
    const { session, runner } = await openLoaded();
    apply(join(folder, "tools"));
    expect(await session.run("tools", "scripts/main.sh")).toMatchObject({
      status: "refused",
      code: "script-snapshot-mismatch",
      message: expect.stringContaining(named),
    });
    expect(runner.calls).toEqual([]);
  });

  test("a skill that is loaded again runs as it is now", async () => {
    const { session, runner } = await openLoaded();
    change("scripts/lib.sh", "echo new\n");
    await session.activate("tools");
    expect((await session.run("tools", "scripts/main.sh")).status).toBe("executed");
    expect(Buffer.from(runner.staged[0]?.get("scripts/lib.sh")?.bytes ?? []).toString()).toBe("echo new\n");
  });

  test("a skill that was not read whole is refused", async () => {
    writeTree(join(folder, "tools/inner"), { "SKILL.md": "", "x.sh": "evil" });
    const { session } = await openLoaded();
    expect(await session.run("tools", "scripts/main.sh")).toMatchObject({
      code: "script-snapshot-mismatch",
      message: expect.stringContaining("has no digest by which it could be checked"),
    });
  });

  test("an activation that failed half-way does not make other files runnable", async () => {
    const { session } = await openLoaded();
    change("scripts/lib.sh", "echo new\n");
    await expect(session.activate("tools", { arguments: "x".repeat(70_000) })).rejects.toThrow();
    expect(await session.run("tools", "scripts/main.sh")).toMatchObject({ code: "script-snapshot-mismatch" });
  });

  test("a skill whose text a compaction dropped is not loaded any more", async () => {
    const { session } = await openLoaded();
    await session.compact({ budgetTokens: 1 });
    expect(await session.run("tools", "scripts/main.sh")).toMatchObject({ code: "skill-not-activated" });
  });
});

describe("names on the operator's list", () => {
  async function openTwo(allow: readonly string[]): Promise<[TestSession, RecordingRunner]> {
    const second = writeTree(join(temporaryDirectory(), "second"), {
      "tools/SKILL.md": skillText("tools", "The second."),
      "tools/scripts/main.sh": MAIN,
    });
    const home = temporaryDirectory();
    const skills = await openSkills({
      workspace: home,
      roots: [folder, second],
      home: join(home, ".skillet"),
      userHome: home,
      environment: { PATH: "/usr/bin:/bin" },
      organisationDirectory: join(home, "organisation"),
      bundledDirectory: false,
      cacheDirectory: false,
    });
    const runner = recordingRunner({ allow });
    return [await openSession(folder, { runner }, skills), runner];
  }

  test("a bare name means the skill that has it, and no other of that name", async () => {
    const [session] = await openTwo(["tools:scripts/main.sh"]);
    const shadowed = session.snapshot.skills.find(({ state }) => state === "shadowed")?.qualifiedName ?? "";
    expect(shadowed).not.toBe("tools");
    await session.activate("tools");
    await session.activate(shadowed, { source: "user" });
    expect((await session.run("tools", "scripts/main.sh")).status).toBe("executed");
    expect(await session.run(shadowed, "scripts/main.sh")).toMatchObject({ code: "script-not-allowlisted" });
  });

  test("a qualified name means that skill", async () => {
    const [first] = await openTwo([]);
    const shadowed = first.snapshot.skills.find(({ state }) => state === "shadowed")?.qualifiedName ?? "";
    const [session] = await openTwo([`${shadowed}:scripts/main.sh`]);
    await session.activate("tools");
    await session.activate(shadowed, { source: "user" });
    expect((await session.run(shadowed, "scripts/main.sh")).status).toBe("executed");
    expect(await session.run("tools", "scripts/main.sh")).toMatchObject({ code: "script-not-allowlisted" });
  });

  test.each([
    "tools",
    "tools:*",
    "tools:scripts/*",
    "tools:scripts/../x",
    "tools:x.sh",
    ":scripts/x",
    "*:scripts/x",
  ])("%s names no script", async (name) => {
    await expect(openSession(folder, { runner: recordingRunner({ allow: [name] }) })).rejects.toMatchObject({
      code: "script-name-invalid",
    });
  });
});

test("a script of the host that is allowed in the sandbox too runs in the sandbox", async () => {
  const config = "profiles: { p: { hostScripts: ['tools:scripts/lib.sh'] } }\n";
  const runner = recordingRunner({ allow: ["tools:scripts/lib.sh"] });
  const { session } = await openLoaded({ runner, profile: "p" }, config);
  expect(await session.run("tools", "scripts/lib.sh")).toMatchObject({ target: "sandbox" });
});

test("a profile adds its scripts, and those of the host run there", async () => {
  const config =
    "profiles: { p: { scripts: ['tools:scripts/main.sh'], hostScripts: ['tools:scripts/lib.sh'] } }\n";
  const runner = recordingRunner({
    allow: [],
    onRun: async () => ({
      sandbox: { backend: "host", strength: "none", weaknesses: [], memoryLimit: "none" },
    }),
  });
  const { session } = await openLoaded({ runner, profile: "p" }, config);
  expect(new Set(scriptsIn(session))).toEqual(new Set(["tools:scripts/lib.sh", "tools:scripts/main.sh"]));
  const run = await session.run("tools", "scripts/lib.sh");
  expect(run).toMatchObject({ target: "host", diagnostics: [{ code: "script-unconfined" }] });
  expect(await session.run("tools", "scripts/main.sh")).toMatchObject({ target: "sandbox" });
  expect(runner.prepared.map(({ target }) => target)).toEqual(["host", "sandbox"]);
  expect((await session.recorded()).at(-2)).toMatchObject({
    executionTarget: "host",
    diagnostics: [{ code: "script-unconfined", severity: "warning" }],
  });
  await session.turn().end();
  const policy = JSON.parse(readFileSync(join(session.runFolder, "skill-policy.json"), "utf8"));
  expect(policy).toMatchObject({
    scripts: ["tools:scripts/main.sh"],
    hostScripts: ["tools:scripts/lib.sh"],
  });
});

test("a script gets the secrets that its skill declares and somebody gave, and no others", async () => {
  writeFileSync(
    join(folder, "tools/SKILL.md"),
    "---\nname: tools\ndescription: T.\nrequired-environment-variables:\n  - name: TOKEN\n---\nT.\n",
  );
  writeFileSync(
    join(folder, "other/SKILL.md"),
    "---\nname: other\ndescription: O.\nrequired-environment-variables:\n  - name: OTHER\n---\nO.\n",
  );
  const runner = recordingRunner();
  const ask = async (): Promise<{ choice: string; secrets: Record<string, string> }> => ({
    choice: "provide",
    secrets: { TOKEN: "t", OTHER: "o" },
  });
  const session = await openSession(folder, { runner, ask });
  await session.askForDependencies();
  await session.activate("tools");
  await session.run("tools", "scripts/main.sh");
  expect(runner.calls.map(({ secrets }) => ({ ...secrets }))).toEqual([{ TOKEN: "t" }]);
});

test("a refusal does not say where a link leads", async () => {
  const { session } = await openLoaded();
  const away = await session.run("tools", "scripts/away.sh");
  expect(away).toMatchObject({
    code: "script-outside-root",
    message: "scripts/away.sh leads out of the skill, and was not opened; put the file there itself.",
  });
});
