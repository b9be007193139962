import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  PreparedScript,
  ScriptCall,
  ScriptOutcome,
  ScriptRefusal,
  ScriptToRun,
  TreeFile,
} from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { removeTree } from "@skillet/kit/files";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { longEnough } from "../../kit/src/testing/long-enough.ts";
import { createRunner } from "./create-runner.ts";
import type { RunnerOptions } from "./runner-options.ts";
import { findLocalInterpreter } from "./runtime/find-local-interpreter.ts";
import { noSandbox } from "./sandbox/no-sandbox.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { type Content, CountedFiles, digestOf, treeFiles } from "./stage/testing/tree-files.ts";

let root: string;
let home: string;
let workspace: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-runner-")));
  home = join(root, "home");
  workspace = join(root, "workspace");
  mkdirSync(workspace);
});
afterEach(() => removeTree(root));

const runnerWith = (options: RunnerOptions = {}) => createRunner({ sandbox: noSandbox(), home, ...options });

function scriptOf(
  path: string,
  tree: Record<string, Content>,
  change: Partial<ScriptToRun> = {},
): ScriptToRun {
  const files = treeFiles({ "SKILL.md": "# x\n", ...tree });
  return {
    skill: { name: "tester", qualifiedName: "user:tester", treeDigest: digestOf(files) },
    path,
    facts: { executable: typeof tree[path] === "object", runtime: "unknown" },
    target: "sandbox",
    files: new CountedFiles(files),
    ...change,
  };
}

const callOf = (change: Partial<ScriptCall> = {}): ScriptCall => ({
  args: [],
  cwd: "workspace",
  workspace,
  protect: [],
  timeoutMs: 30_000,
  secrets: {},
  runId: "run-1",
  ...change,
});

async function prepared(script: ScriptToRun, options?: RunnerOptions): Promise<PreparedScript> {
  const answer = await runnerWith(options).prepare(script);
  if (!("run" in answer)) throw new Error(answer.message);
  return answer;
}

async function execute(
  path: string,
  tree: Record<string, Content>,
  call: Partial<ScriptCall> = {},
  options?: RunnerOptions,
): Promise<ScriptOutcome> {
  return executed(await (await prepared(scriptOf(path, tree), options)).run(callOf(call)));
}

function executed(outcome: ScriptOutcome | ScriptRefusal): ScriptOutcome {
  if (outcome.status === "refused") throw new Error(outcome.message);
  return outcome;
}

const python = await findLocalInterpreter("python3");

describe("a script runs from the staged copy of its skill", () => {
  test("bash sources a helper beside it, with nothing in its environment but what was given", async () => {
    const tree = {
      "scripts/main.sh": {
        executable:
          '#!/usr/bin/env bash\nset -eu\nsource "$(dirname "$0")/lib/helper.sh"\nhelp "$@"\npwd\nenv | sort\n',
      },
      "scripts/lib/helper.sh": 'help() { echo "helped $*"; }\n',
    };
    const outcome = await execute("scripts/main.sh", tree, { args: ["a b", "$HOME", "-x"] });
    const directory = join(
      home,
      "cache",
      "staged",
      digestOf(treeFiles({ "SKILL.md": "# x\n", ...tree })).slice(7),
    );
    const lines = outcome.stdout.trimEnd().split("\n");
    expect(lines.slice(0, 2)).toEqual(["helped a b $HOME -x", workspace]);
    const names = lines.slice(2).map((line) => line.split("=")[0]);
    // Set by the shell itself, and the spawner's mark by which it finds a tree again.
    const own = ["PWD", "SHLVL", "_", ...names.filter((name) => /^SKILLET_PROCESS/.test(name ?? ""))];
    expect(names.filter((name) => !own.includes(name ?? ""))).toEqual([
      "HOME",
      "LANG",
      "PATH",
      "PYTHONDONTWRITEBYTECODE",
      "SKILLET_EXECUTION_TARGET",
      "SKILLET_RUN_ID",
      "SKILL_DIR",
      "SKILL_NAME",
      "SKILL_SCRIPT",
      "TMPDIR",
    ]);
    expect(lines).toContain(`SKILL_DIR=${directory}`);
    expect(lines).toContain("SKILL_NAME=tester");
    expect(lines).toContain("SKILL_SCRIPT=scripts/main.sh");
    expect(lines).toContain("SKILLET_RUN_ID=run-1");
    expect(lines).toContain("SKILLET_EXECUTION_TARGET=host");
    expect({ ...outcome, stdout: "", durationMs: 0 }).toEqual({
      status: "executed",
      exitCode: 0,
      stdout: "",
      stderr: "",
      truncated: { stdout: false, stderr: false },
      sandbox: {
        backend: "none",
        strength: "none",
        weaknesses: expect.arrayContaining([expect.stringContaining("No sandbox")]),
        memoryLimit: expect.stringMatching(/process|none/),
      },
      durationMs: 0,
      argv: [expect.stringMatching(/\/bash$/), join(directory, "scripts/main.sh"), "a b", "$HOME", "-x"],
      cwd: workspace,
      grants: { network: [], writable: [] },
      diagnostics: [],
    });
    const privateHome = lines.find((line) => line.startsWith("HOME="))?.slice(5) ?? "";
    expect(existsSync(privateHome)).toBe(false);
  });

  test("starts in a folder of the workspace, and refuses one that was swapped for a link out of it", async () => {
    mkdirSync(join(workspace, "labs"));
    const script = await prepared(scriptOf("scripts/main.sh", { "scripts/main.sh": "#!/bin/bash\npwd\n" }));
    const started = (await script.run(callOf({ folder: "labs" }))) as ScriptOutcome;
    expect([started.stdout, started.cwd]).toEqual([`${join(workspace, "labs")}\n`, join(workspace, "labs")]);
    await removeTree(join(workspace, "labs"));
    symlinkSync("/etc", join(workspace, "labs"));
    for (const folder of ["labs", "gone"])
      expect(await script.run(callOf({ folder }))).toMatchObject({
        status: "refused",
        code: "permission-denied",
      });
  });

  test.skipIf(python === undefined)(
    "python imports its neighbours, and leaves no cache in the copy",
    async () => {
      const tree = {
        "scripts/main.py": "from helpers.text import shout\nimport sys\nprint(shout(sys.stdin.read()))\n",
        "scripts/helpers/__init__.py": "",
        "scripts/helpers/text.py":
          "from .marks import MARK\ndef shout(text):\n    return text.upper() + MARK\n",
        "scripts/helpers/marks.py": "MARK = '!'\n",
      };
      const outcome = await execute("scripts/main.py", tree, { stdin: Buffer.from("hé") });
      expect(outcome).toMatchObject({ exitCode: 0, stdout: "HÉ!\n", stderr: "" });
      // Still whole: the second run stages nothing anew.
      expect(await execute("scripts/main.py", tree, { stdin: Buffer.from("x") })).toMatchObject({
        stdout: "X!\n",
      });
    },
  );

  test("node imports ./lib.mjs, and starts in the copy when it is asked to", async () => {
    const tree = {
      "scripts/main.mjs":
        'import { name } from "./lib.mjs";\nconsole.log(name, process.cwd() === process.env.SKILL_DIR);\n',
      "scripts/lib.mjs": 'export const name = "lib";\n',
    };
    expect(await execute("scripts/main.mjs", tree, { cwd: "skill" })).toMatchObject({
      exitCode: 0,
      stdout: "lib true\n",
    });
  });

  test("without a workspace an empty folder stands in", async () => {
    const { workspace: _, ...call } = callOf();
    const script = await prepared(scriptOf("scripts/a.sh", { "scripts/a.sh": "ls -A | wc -l\nexit 3\n" }));
    expect(executed(await script.run(call))).toMatchObject({ stdout: "0\n", exitCode: 3 });
  });

  test("arguments never become flags of an interpreter that goes on looking for some", async () => {
    const tree = { "scripts/a.awk": { executable: "#!/usr/bin/awk -f\nBEGIN { print ARGV[1] }\n" } };
    expect(await execute("scripts/a.awk", tree, { args: ["-f"] })).toMatchObject({ stdout: "-f\n" });
  });
});

describe("what was checked is what runs", () => {
  test("a script that is swapped while it is staged is refused, or runs as it was", async () => {
    const good = treeFiles({ "SKILL.md": "# x\n", "scripts/a.sh": "echo good\n" });
    const file = join(root, "a.sh");
    const swapped = async function* (): AsyncGenerator<TreeFile> {
      for (const entry of good) {
        if (entry.path !== "scripts/a.sh") yield entry;
        else {
          writeFileSync(file, "echo evil\n");
          yield { ...entry, bytes: readFileSync(file) };
        }
      }
    };
    const script = scriptOf("scripts/a.sh", { "scripts/a.sh": "echo good\n" });
    expect(await runnerWith().prepare({ ...script, files: swapped() })).toMatchObject({
      status: "refused",
      code: "script-snapshot-mismatch",
    });
    const ready = await prepared(script);
    writeFileSync(file, "echo evil\n");
    expect(executed(await ready.run(callOf()))).toMatchObject({ stdout: "good\n" });
  });

  test("bytes that change after they were given do not reach the copy", async () => {
    const bytes = Buffer.from("echo good\n");
    const script = scriptOf("scripts/a.sh", { "scripts/a.sh": "echo good\n" });
    const shared = async function* (): AsyncGenerator<TreeFile> {
      yield { path: "SKILL.md", mode: "644", bytes: Buffer.from("# x\n") };
      yield { path: "scripts/a.sh", mode: "644", bytes };
      bytes.write("echo evil\n");
    };
    const ready = await prepared({ ...script, files: shared() });
    expect(executed(await ready.run(callOf()))).toMatchObject({ stdout: "good\n" });
  });

  test("a copy that is damaged between preparing and running is refused, and staged anew after", async () => {
    const tree = { "scripts/a.sh": "echo good\n" };
    const ready = await prepared(scriptOf("scripts/a.sh", tree));
    const place = join(
      home,
      "cache",
      "staged",
      digestOf(treeFiles({ "SKILL.md": "# x\n", ...tree })).slice(7),
    );
    chmodSync(join(place, "scripts", "a.sh"), 0o644);
    writeFileSync(join(place, "scripts", "a.sh"), "echo evil\n");
    chmodSync(join(place, "scripts", "a.sh"), 0o444);
    expect(await ready.run(callOf())).toMatchObject({ status: "refused", code: "script-snapshot-mismatch" });
    expect(await execute("scripts/a.sh", tree)).toMatchObject({ stdout: "good\n" });
  });

  test("what the files throw comes through as it is", async () => {
    const failing = (async function* (): AsyncGenerator<TreeFile> {
      yield* [];
      throw new RangeError("drifted");
    })();
    const script = scriptOf("scripts/a.sh", { "scripts/a.sh": "" });
    await expect(runnerWith().prepare({ ...script, files: failing })).rejects.toThrow("drifted");
  });

  test("a path that is not a file of the tree is refused", async () => {
    const script = scriptOf("scripts/b.sh", { "scripts/a.sh": "", "scripts/b.sh": { link: "a.sh" } });
    expect(await runnerWith().prepare(script)).toMatchObject({ code: "script-not-file" });
  });
});

describe("a run ends", () => {
  test("at its deadline, with its whole tree", async () => {
    const marker = join(workspace, "alive");
    const script = `(sleep 60; touch ${marker}) & setsid sleep 60 & echo started; wait\n`;
    const outcome = await longEnough(
      (timeoutMs) => execute("scripts/a.sh", { "scripts/a.sh": script }, { timeoutMs }),
      ({ stdout }) => stdout !== "",
    );
    expect(outcome).toMatchObject({ status: "timed-out", stdout: "started\n" });
    expect(existsSync(marker)).toBe(false);
  });

  test("at the operator's limit, whatever the call asks for", async () => {
    const tree = { "scripts/a.sh": "sleep 60\n" };
    const limits = { timeoutMs: 200 };
    expect(await execute("scripts/a.sh", tree, { timeoutMs: 60_000 }, { limits })).toMatchObject({
      status: "timed-out",
    });
  });

  test("when it is cancelled, and keeps what it wrote", async () => {
    const abort = new AbortController();
    const outcome = await execute(
      "scripts/a.sh",
      { "scripts/a.sh": "echo started; sleep 60\n" },
      {
        signal: abort.signal,
        onOutput: () => abort.abort(),
      },
    );
    expect(outcome).toMatchObject({ status: "cancelled", stdout: "started\n" });
  });

  test("without a start when it was cancelled before", async () => {
    const outcome = await execute(
      "scripts/a.sh",
      { "scripts/a.sh": "touch ran\n" },
      { signal: AbortSignal.abort() },
    );
    expect(outcome).toMatchObject({ status: "cancelled", argv: [], stdout: "", durationMs: 0 });
    expect(readdirSync(workspace)).toEqual([]);
  });

  test("with an error of the listener, which is the caller's", async () => {
    const call = {
      onOutput: () => {
        throw new RangeError("broken pipe");
      },
    };
    await expect(execute("scripts/a.sh", { "scripts/a.sh": "echo x; sleep 60\n" }, call)).rejects.toThrow(
      "broken pipe",
    );
  });
});

describe("output", () => {
  test("beyond the cap keeps head and tail, and says so", async () => {
    const script = 'echo first; head -c 5000 /dev/zero | tr "\\0" x; echo; echo last\n';
    const outcome = await execute(
      "scripts/a.sh",
      { "scripts/a.sh": script },
      {},
      { limits: { outputBytes: 1024 } },
    );
    expect(outcome.truncated).toEqual({ stdout: true, stderr: false });
    expect(outcome.stdout).toMatch(/^first\nx{506}\n\[3988 bytes left out\]\nx{506}\nlast\n$/);
  });

  test("never shows a secret: not live, not kept, not on the edge of the cap, not in pieces", async () => {
    const secret = "s3cr3t-value-0123456789";
    const script = [
      'printf "%s\\n" "$API_TOKEN"; printf "%s" "$API_TOKEN" | base64 >&2',
      'printf "%.0sx" $(seq 480); printf "%s" "$API_TOKEN"; printf "%.0sy" $(seq 4000)',
      'printf "%s" "$API_TOKEN"; printf "%.0sz" $(seq 500)',
      'for part in $(echo "$API_TOKEN" | fold -w 3); do printf "%s\\033[0m" "$part"; done',
    ].join("\n");
    const live: Buffer[] = [];
    const outcome = await execute(
      "scripts/a.sh",
      { "scripts/a.sh": script },
      {
        secrets: { API_TOKEN: secret },
        onOutput: (_stream, bytes) => void live.push(Buffer.from(bytes)),
      },
      { limits: { outputBytes: 1024 } },
    );
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toContain("[redacted API_TOKEN]\n");
    expect(outcome.stdout.endsWith("[redacted API_TOKEN]")).toBe(true);
    expect(outcome.stderr).toMatch(/^\[redacted API_TOKEN\].{0,3}\n$/);
    const shown = outcome.stdout + outcome.stderr + Buffer.concat(live).toString();
    for (let at = 0; at + 8 <= secret.length; at++) expect(shown).not.toContain(secret.slice(at, at + 8));
  });

  test("says which secrets are too short to be taken out", async () => {
    const outcome = await execute(
      "scripts/a.sh",
      { "scripts/a.sh": "echo $PIN\n" },
      { secrets: { PIN: "12" } },
    );
    expect(outcome.stdout).toBe("12\n");
    expect(outcome.diagnostics.map(({ code }) => code)).toEqual(["secret-too-short"]);
  });

  test("without an end kills the script, which has an exit code like every script that was executed", async () => {
    const outcome = await execute("scripts/a.sh", { "scripts/a.sh": "exec yes\n" });
    expect(outcome).toMatchObject({
      status: "executed",
      exitCode: 137,
      limit: "output",
      truncated: { stdout: true, stderr: false },
    });
  });
});

describe("secrets", () => {
  test.each([
    "LD_PRELOAD",
    "DYLD_INSERT_LIBRARIES",
    "PATH",
    "NODE_OPTIONS",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "BASH_ENV",
    "BASH_FUNC_ls",
    "ENV",
    "PERL5OPT",
    "RUBYOPT",
    "GIT_SSH_COMMAND",
    "https_proxy",
    "SKILL_DIR",
    "SKILLET_HOME",
    "HOME",
    "a b",
    "",
  ])("are never taken as %j", async (name) => {
    const script = await prepared(scriptOf("scripts/a.sh", { "scripts/a.sh": "touch ran\n" }));
    expect(await script.run(callOf({ secrets: { [name]: "value" } }))).toMatchObject({
      status: "refused",
      code: "permission-denied",
    });
    expect(readdirSync(workspace)).toEqual([]);
  });

  test.each(["API_TOKEN", "NODE_AUTH_TOKEN", "GITHUB_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS", "__proto__"])(
    "are passed as %s",
    async (name) => {
      const secrets: Record<string, string> = Object.create(null);
      secrets[name] = "value-of-it";
      const outcome = await execute(
        "scripts/a.sh",
        { "scripts/a.sh": `env | grep -c "^${name}=value"\n` },
        { secrets },
      );
      expect(outcome.stdout).toBe("1\n");
    },
  );
});

describe("many runs", () => {
  test("go as many at once as there is room for, the others wait their turn", async () => {
    const tree = { "scripts/a.sh": 'mkdir "$1" && ls | wc -l && sleep 0.05 && rmdir "$1"\n' };
    const script = await prepared(scriptOf("scripts/a.sh", tree), { limits: { concurrentRuns: 2 } });
    const runs = Array.from({ length: 8 }, (_, index) => script.run(callOf({ args: [`r${index}`] })));
    const counts = (await Promise.all(runs)).map((run) => Number(executed(run).stdout));
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
    expect(counts.length).toBe(8);
  });

  test("are refused when too many wait, and can be cancelled while they wait", async () => {
    const script = await prepared(scriptOf("scripts/a.sh", { "scripts/a.sh": "sleep 60\n" }), {
      limits: { concurrentRuns: 1 },
    });
    const first = new AbortController();
    const rest = Array.from({ length: 64 }, () => new AbortController());
    const running = script.run(callOf({ signal: first.signal }));
    const waiting = rest.map(({ signal }) => script.run(callOf({ signal })));
    expect(await script.run(callOf())).toMatchObject({ status: "refused", code: "too-many-runs" });
    for (const abort of rest) abort.abort();
    const outcomes = (await Promise.all(waiting)).map(executed);
    expect(new Set(outcomes.map(({ status, argv }) => `${status} ${argv.length}`))).toEqual(
      new Set(["cancelled 0"]),
    );
    first.abort();
    expect(await running).toMatchObject({ status: "cancelled" });
    // A call that gave up waiting keeps no place.
    expect(await script.run(callOf({ timeoutMs: 100 }))).toMatchObject({ status: "timed-out" });
  });
});

describe("the sandbox", () => {
  const failing = (change: Partial<Sandbox>): Sandbox => ({ ...noSandbox(), ...change });

  test("that does not prove itself refuses scripts, and is asked again", async () => {
    let probes = 0;
    const sandbox = failing({
      probe: async () =>
        probes++ === 0
          ? { ok: false, reason: "bubblewrap is not installed", fix: "apt-get install bubblewrap" }
          : await noSandbox().probe(),
    });
    const runner = runnerWith({ sandbox });
    const script = () => scriptOf("scripts/a.sh", { "scripts/a.sh": "echo x\n" });
    expect(await runner.prepare(script())).toEqual({
      status: "refused",
      code: "sandbox-unavailable",
      message: "Scripts are not run: bubblewrap is not installed. Fix: apt-get install bubblewrap",
    });
    expect(await runner.prepare(script())).toMatchObject({ runtime: "bash" });
    expect(await runner.prepare(script())).toMatchObject({ runtime: "bash" });
    expect(await runner.probe()).toMatchObject({ ok: true });
    expect(probes).toBe(2);
  });

  test("that cannot be set up for a run is a refusal", async () => {
    const sandbox = failing({ run: () => Promise.reject(new SkilletError("sandbox-unavailable", "gone")) });
    const script = await prepared(scriptOf("scripts/a.sh", { "scripts/a.sh": "" }), { sandbox });
    expect(await script.run(callOf())).toEqual({
      status: "refused",
      code: "sandbox-unavailable",
      message: "gone",
    });
  });

  test("is left aside for a script that a profile lets run on the host, and the record says so", async () => {
    const sandbox = failing({ probe: async () => ({ ok: false, reason: "none here" }) });
    const script = scriptOf("scripts/a.sh", { "scripts/a.sh": "echo x\n" }, { target: "host" });
    const ready = await prepared(script, { sandbox });
    expect(ready.target).toBe("host");
    expect(executed(await ready.run(callOf()))).toMatchObject({
      stdout: "x\n",
      sandbox: { backend: "host", strength: "none" },
    });
  });

  test("without an interpreter for it, a script is refused with what to install", async () => {
    const sandbox = failing({ findInterpreter: async () => undefined });
    const script = scriptOf("scripts/a.rb", { "scripts/a.rb": "" });
    expect(await runnerWith({ sandbox }).prepare(script)).toEqual({
      status: "refused",
      code: "unsupported-runtime",
      message: "scripts/a.rb cannot be run: ruby was not found. Install ruby where scripts run.",
    });
  });

  test("on another machine is named with it, for the question to a person", async () => {
    const remote = (strength: "reduced" | "none"): Sandbox => ({
      ...noSandbox(),
      name: "ssh",
      probe: async () => ({
        ok: true,
        report: {
          backend: "ssh",
          place: "anna@build.example",
          strength,
          weaknesses: [],
          memoryLimit: "process",
        },
      }),
    });
    const script = (): ScriptToRun => scriptOf("scripts/a.sh", { "scripts/a.sh": "" });
    expect([
      await prepared(script(), { sandbox: remote("reduced") }),
      await prepared(script(), { sandbox: remote("none") }),
    ]).toMatchObject([
      { sandbox: "ssh", place: "anna@build.example" },
      { sandbox: "none", place: "anna@build.example" },
    ]);
  });
});
