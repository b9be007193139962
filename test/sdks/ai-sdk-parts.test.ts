import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { Session } from "@skillet/core";
import { testSkills } from "@skillet/core/testing";
import { createRunner } from "@skillet/run";
import { afterAll, describe, expect, test } from "vitest";
import { harnessSkills, type SandboxSession, sandboxOf } from "../../packages/adapters/src/ai-sdk.ts";

const root = mkdtempSync(join(tmpdir(), "skillet-ai-sdk-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const NOTES = "---\nname: notes\ndescription: Writes notes.\nlicense: MIT\n---\nTake notes.\n";

describe("harnessSkills", () => {
  test("gives the body and the text files of every skill that a model may use", async () => {
    const session = await testSkills(
      {
        "notes/SKILL.md": NOTES,
        "notes/references/guide.md": "Ten lines.\n",
        "payroll/SKILL.md": "---\nname: payroll\ndescription: Pays.\n---\nPay.\n",
      },
      { open: { config: { policy: { rules: [{ skill: "payroll", action: "deny" }] } } } },
    );
    expect(await harnessSkills(session)).toEqual({
      skills: [
        {
          name: "notes",
          description: "Writes notes.",
          content: "Take notes.",
          files: [{ path: "references/guide.md", content: "Ten lines.\n" }],
        },
      ],
      notPortable: [],
    });
  });

  test("leaves out a skill with a file that is not text, or that is too long, and says why", async () => {
    const session = await testSkills({
      "notes/SKILL.md": NOTES,
      "notes/assets/logo.png": Buffer.from("89504e470d0a1a0a00ff", "hex"),
      "long/SKILL.md": NOTES.replace("notes", "long"),
      "long/references/all.md": "x".repeat(300_000),
    });
    expect(await harnessSkills(session)).toEqual({
      skills: [],
      notPortable: [
        { name: "long", reason: "references/all.md has more than 256000 bytes" },
        { name: "notes", reason: "assets/logo.png is binary, and a harness takes text files alone" },
      ],
    });
  });

  test("leaves out all skills of one name, and one that changed since it was found, and says why", async () => {
    const plugin = mkdtempSync(join(root, "plugin-"));
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(plugin, path)), { recursive: true });
      writeFileSync(join(plugin, path), text);
    };
    const named = (name: string): string => NOTES.replace("notes", name);
    write(".claude-plugin/plugin.json", '{ "name": "kit" }');
    for (const name of ["chart", "changed", "notes", "slides"]) write(`skills/${name}/SKILL.md`, named(name));
    const session = await testSkills(
      { "notes/SKILL.md": named("notes"), "slides/SKILL.md": named("slides") },
      { open: { roots: [plugin] } },
    );
    write("skills/changed/SKILL.md", named("changed").replace("Take", "Steal"));
    const { skills, notPortable } = await harnessSkills(session);
    expect(skills.map(({ name }) => name)).toEqual(["chart"]);
    expect(notPortable.map(({ name, reason }) => `${name}: ${reason.slice(0, 33)}`)).toEqual([
      "kit:changed: kit:changed was not loaded: it ha",
      "kit:notes: another skill has the same name, ",
      "kit:slides: another skill has the same name, ",
      "notes: another skill has the same name, ",
      "slides: another skill has the same name, ",
    ]);
  });

  test("leaves out a skill whose name would lead out of the folder of skills", async () => {
    const named = (name: string): string => NOTES.replace("notes", `"${name}"`);
    const session = await testSkills({ "a/SKILL.md": named("../../evil"), "b/SKILL.md": named(".") });
    const { skills, notPortable } = await harnessSkills(session);
    expect([skills.map(({ name }) => name), notPortable.length]).toEqual([[], 2]);
  });

  test("what the operator must fix is thrown, and is not taken for a fault of the skill", async () => {
    const session = await testSkills({ "notes/SKILL.md": NOTES });
    await session.close();
    await expect(harnessSkills(session)).rejects.toThrow(/session has ended/i);
  });
});

/** A session as vendors implement it, over a folder; `isOpen`: its files are those of this machine. */
function sandboxSession({ isOpen = false }: { readonly isOpen?: boolean } = {}): SandboxSession {
  const start: SandboxSession["spawn"] = async ({ command, workingDirectory = root, env, stdin }) => {
    const environment = { PATH: process.env.PATH, ...env };
    const child = spawn("sh", ["-c", command], { cwd: workingDirectory, env: environment, detached: true });
    const ended = new Promise<{ exitCode: number }>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ exitCode: code ?? 137 }));
    });
    if (stdin !== true) child.stdin.end();
    return {
      stdout: Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      stderr: Readable.toWeb(child.stderr) as ReadableStream<Uint8Array>,
      ...(stdin === true && { stdin: Writable.toWeb(child.stdin) }),
      wait: () => ended,
      kill: async () => {
        process.kill(-(child.pid ?? 0), "SIGKILL");
      },
    };
  };
  return {
    description: "A folder\u202e of a test",
    readTextFile: async ({ path }) => (isOpen || path.startsWith(root) ? readFileSync(path, "utf8") : null),
    writeBinaryFile: async ({ path, content }) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    },
    spawn: start,
    run: async (options) => {
      const child = await start(options);
      const [stdout, { exitCode }] = await Promise.all([new Response(child.stdout).text(), child.wait()]);
      return { stdout, exitCode };
    },
  };
}

const SCRIPTS = {
  "notes/SKILL.md": `${NOTES.replace("license", "required_environment_variables: [TOKEN]\nlicense")}`,
  "notes/scripts/echo.sh":
    '#!/bin/sh\n. "$SKILL_DIR/scripts/part.sh"\ncat\necho "$1 $PART $PWD" >&2\nexit 3\n',
  "notes/scripts/part.sh": "PART=sourced\n",
  "notes/scripts/slow.sh": "#!/bin/sh\necho begun\nsleep 600\n",
};

async function openSession(
  given: Partial<Parameters<typeof createRunner>[0]> = {},
  sandbox: SandboxSession = sandboxSession(),
): Promise<Session> {
  const runner = createRunner({
    sandbox: sandboxOf(sandbox, { directory: join(root, "stage") }),
    home: join(root, "home"),
    allow: ["notes:scripts/echo.sh", "notes:scripts/slow.sh"],
    ...given,
  });
  const session = await testSkills(SCRIPTS, { runner, secrets: { notes: { TOKEN: "hunter2-hunter2" } } });
  await session.activate("notes", { source: "user" });
  return session;
}

describe("sandboxOf", () => {
  test("runs a script there with its arguments, its input and the rest of the skill, and leaves nothing there", async () => {
    const session = await openSession();
    const stdin = "it's hunter2-hunter2\n";
    const run = await session.run("notes", "scripts/echo.sh", ["a 'b' $(c)"], { stdin });
    expect(run).toMatchObject({
      status: "executed",
      exitCode: 3,
      stdout: "it's [redacted TOKEN]\n",
      stderr: `a 'b' $(c) sourced ${root}\n`,
      sandbox: { backend: "ai-sdk", strength: "reduced", place: "A folder\\u202e of a test" },
    });
    expect(readdirSync(join(root, "stage"))).toEqual([]);
  });

  test("ends a script that is cancelled, or takes too long", async () => {
    const session = await openSession();
    const stop = new AbortController();
    const cancelled = session.run("notes", "scripts/slow.sh", [], {
      signal: stop.signal,
      onOutput: () => stop.abort(),
    });
    expect(await cancelled).toMatchObject({ status: "cancelled", stdout: "begun\n" });
    expect(await session.run("notes", "scripts/slow.sh", [], { timeoutMs: 200 })).toMatchObject({
      status: "timed-out",
    });
    expect(readdirSync(join(root, "stage"))).toEqual([]);
  });

  const bytes = (text: string): Uint8Array => Buffer.from(text);
  /** A process that a vendor tells of, with this output. */
  const processOf = (...chunks: readonly Uint8Array[]): Awaited<ReturnType<SandboxSession["spawn"]>> => ({
    stdout: ReadableStream.from(chunks),
    stderr: ReadableStream.from([]),
    wait: async () => ({ exitCode: 0 }),
    kill: async () => undefined,
  });

  test("ends a script that is cancelled while the vendor still starts it, or sends its files", async () => {
    for (const during of ["spawn", "writeBinaryFile"] as const) {
      const stop = new AbortController();
      const real = sandboxSession();
      let child: ReturnType<SandboxSession["spawn"]> | undefined;
      const session = await openSession(undefined, {
        ...real,
        writeBinaryFile: async (file) => {
          if (during === "writeBinaryFile") stop.abort();
          file.abortSignal?.throwIfAborted();
          await real.writeBinaryFile(file);
        },
        spawn: (options) => {
          if (during === "spawn") stop.abort();
          child = real.spawn(options);
          return child;
        },
      });
      const run = session.run("notes", "scripts/slow.sh", [], { signal: stop.signal });
      expect(await run, during).toMatchObject({ status: "cancelled" });
      expect((await (await child)?.wait())?.exitCode).toBe(during === "spawn" ? 137 : undefined);
    }
    expect(readdirSync(join(root, "stage"))).toEqual([]);
  });

  test("says so where the script goes on, or its files stay, and does not lose how it ended", async () => {
    const stop = new AbortController();
    const endless = { ...processOf(), wait: () => new Promise<never>(() => undefined) };
    const session = await openSession(undefined, {
      ...sandboxSession(),
      run: async ({ command }) =>
        command.startsWith("rm") ? Promise.reject(new Error("gone")) : sandboxSession().run({ command }),
      spawn: async () => ({
        ...endless,
        stdout: new ReadableStream({ start: () => stop.abort() }),
        kill: () => Promise.reject(new Error("no such process")),
      }),
    });
    const run = await session.run("notes", "scripts/slow.sh", [], { signal: stop.signal });
    expect(run).toMatchObject({ status: "cancelled" });
    expect(JSON.stringify(run)).toMatch(
      /may still be running.*could not be removed|could not be removed.*may still be running/,
    );
  });

  test("gives characters whole that arrive in parts, and bounds what it keeps", async () => {
    const parts = [
      bytes("a€").subarray(0, 2),
      bytes("a€").subarray(2),
      bytes("b".repeat(5000)),
      bytes("end€"),
    ];
    const session = await openSession(
      { limits: { outputBytes: 1024 } },
      { ...sandboxSession(), spawn: async () => processOf(...parts) },
    );
    const run = await session.run("notes", "scripts/echo.sh");
    expect(run).toMatchObject({
      status: "executed",
      exitCode: 0,
      truncated: { stdout: true, stderr: false },
      stdout: expect.stringMatching(/^a€b+\n\[\d+ bytes left out\]\nb+end€$/),
    });
  });

  test("ends a script that writes without end", async () => {
    let killed = false;
    const session = await openSession(undefined, {
      ...sandboxSession(),
      spawn: async () => ({
        ...processOf(new Uint8Array(65 * 1024 * 1024)),
        wait: () => new Promise(() => undefined),
        kill: async () => {
          killed = true;
          throw new Error("slow");
        },
      }),
    });
    const run = await session.run("notes", "scripts/echo.sh");
    expect(run).toMatchObject({ status: "executed", exitCode: 137, limit: "output" });
    expect(killed).toBe(true);
  });

  test("refuses a session that reads this machine's files", async () => {
    const session = await openSession({}, sandboxSession({ isOpen: true }));
    expect(await session.run("notes", "scripts/echo.sh")).toMatchObject({
      status: "refused",
      code: "sandbox-unavailable",
      message: expect.stringContaining("reads the files of this machine"),
    });
  });

  test.each([
    [{ network: ["example.org"] }, "network"],
    [{ writable: [join(root, "work")] }, "folders"],
  ])("refuses what was granted for this machine: %o", async (grants, word) => {
    mkdirSync(join(root, "work"), { recursive: true });
    const session = await openSession(grants);
    expect(await session.run("notes", "scripts/echo.sh")).toMatchObject({
      status: "refused",
      code: "sandbox-unavailable",
      message: expect.stringContaining(word),
    });
  });
});
