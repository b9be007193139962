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
          ...{ name: "notes", description: "Writes notes.", content: "Take notes." },
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
    ...{ sandbox: sandboxOf(sandbox, { directory: join(root, "stage") }), home: join(root, "home") },
    ...{ allow: ["notes:scripts/echo.sh", "notes:scripts/slow.sh"], ...given },
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
      ...{ status: "executed", exitCode: 3, stdout: "it's [redacted TOKEN]\n" },
      stderr: `a 'b' $(c) sourced ${root}\n`,
      sandbox: { backend: "ai-sdk", strength: "reduced", place: "A folder\\u202e of a test" },
    });
    expect(readdirSync(join(root, "stage"))).toEqual([]);
  });

  test("ends a script that is cancelled, or takes too long", async () => {
    const session = await openSession();
    const stop = new AbortController();
    const cancelled = session.run("notes", "scripts/slow.sh", [], {
      ...{ signal: stop.signal, onOutput: () => stop.abort() },
    });
    expect(await cancelled).toMatchObject({ status: "cancelled", stdout: "begun\n" });
    expect(await session.run("notes", "scripts/slow.sh", [], { timeoutMs: 200 })).toMatchObject({
      status: "timed-out",
    });
    expect(readdirSync(join(root, "stage"))).toEqual([]);
  });

  test("refuses a session that reads this machine's files", async () => {
    const session = await openSession({}, sandboxSession({ isOpen: true }));
    expect(await session.run("notes", "scripts/echo.sh")).toMatchObject({
      ...{ status: "refused", code: "sandbox-unavailable" },
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
      ...{ status: "refused", code: "sandbox-unavailable", message: expect.stringContaining(word) },
    });
  });
});
