import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { ScriptOutcome } from "@skillet/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { longEnough } from "../../../../kit/src/testing/long-enough.ts";
import type { Sandbox, SandboxJob } from "../sandbox.ts";
import { ssh } from "./ssh.ts";
import type { SshOptions } from "./ssh-options.ts";
import { jobFor, removeTemporaryFolders, stageForTest, temporaryFolder } from "./testing/remote-skill.ts";
import { processesWith, SshServer, sshServerMissing, until } from "./testing/ssh-server.ts";

const missing = sshServerMissing();
if (missing !== undefined) console.warn(`The ssh sandbox is not tested: ${missing}.`);

const REPORT = {
  backend: "ssh",
  place: `${userInfo().username}@127.0.0.1`,
  strength: "reduced",
  weaknesses: [
    "Only the private memory of each process is limited, not shared memory, files in memory or the total.",
  ],
  memoryLimit: "process",
};

/** An outcome, and what the script wrote, byte for byte. */
interface Ran extends ScriptOutcome {
  readonly written: { readonly stdout: string; readonly stderr: string };
}

const stdout = ({ written }: Ran): string => written.stdout;
const readable = ({ status, exitCode, signal, written }: Ran): object => ({
  status,
  ...(exitCode === undefined ? {} : { exitCode }),
  ...(signal === undefined ? {} : { signal }),
  ...written,
});
// A number that no other process has on its command line.
const oddSeconds = (): string => `${randomInt(1_000_000, 9_999_999)}.${randomInt(1_000_000, 9_999_999)}`;

describe.skipIf(missing !== undefined)("against a real sshd", () => {
  let server: SshServer;
  beforeAll(async () => {
    server = await SshServer.start();
  });
  afterAll(() => {
    server.stop();
    removeTemporaryFolders();
  });

  // One for each setting: a survey of the machine is needed once.
  const sandboxes = new Map<string, Sandbox>();
  const run = async (job: SandboxJob, more: Partial<SshOptions> = {}): Promise<Ran> => {
    const key = JSON.stringify(more);
    const sandbox = sandboxes.get(key) ?? ssh(server.options(more));
    sandboxes.set(key, sandbox);
    const chunks: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
    const outcome = await sandbox.run({
      ...job,
      onOutput: (stream, bytes) => {
        chunks[stream].push(Buffer.from(bytes));
        job.onOutput?.(stream, bytes);
      },
    });
    const text = (stream: "stdout" | "stderr"): string => Buffer.concat(chunks[stream]).toString();
    return { ...outcome, written: { stdout: text("stdout"), stderr: text("stderr") } };
  };
  test("the probe proves that the remote sandbox holds", async () => {
    expect(await ssh(server.options()).probe()).toEqual({ ok: true, report: REPORT });
  });

  test("a script runs there with its arguments, its environment, its input and both outputs", async () => {
    const outcome = await run(
      jobFor('cat; printf "%s|" "$@" "$GREETING" "$SKILL_DIR" "$PWD" "$HOME"; echo oops >&2; exit 7', {
        args: ["one", "two words"],
        environment: { GREETING: "hello" },
        stdin: Buffer.from("from \0 outside\n"),
      }),
    );
    const text = "one|two words|hello|/skill|/run/skillet/workspace|/run/skillet/home|";
    expect(outcome).toEqual({
      status: "executed",
      exitCode: 7,
      stdout: `from  outside\n${text}`,
      stderr: "oops\n",
      truncated: { stdout: false, stderr: false },
      written: { stdout: `from \0 outside\n${text}`, stderr: "oops\n" },
      sandbox: REPORT,
      durationMs: expect.any(Number),
      argv: ["/bin/sh", "/skill/scripts/run.sh", "one", "two words"],
      cwd: "/run/skillet/workspace",
      diagnostics: [],
    });
  });

  test("values that a shell would read as something else arrive as they are", async () => {
    const hostile = [
      "'; touch /tmp/x; '",
      "$(id)",
      "`id`",
      'a"b',
      "two\nlines\n",
      "-n",
      "",
      "\\",
      "*",
      "!x",
      "é\u{1F600}\r\t",
    ];
    const outcome = await run(
      jobFor('printf "%s\\0" "$@" "$SECRET"', {
        args: hostile,
        environment: { SECRET: hostile.join("~") },
      }),
    );
    expect(stdout(outcome)).toBe([...hostile, hostile.join("~"), ""].join("\0"));
  });

  test("nothing of a run is left in the remote folder, nor what a machine that went down left there", async () => {
    const directory = join(temporaryFolder(), "deep", "staged");
    await run(jobFor("echo fine"), { directory });
    expect(readdirSync(directory)).toEqual([]);
    const old = join(directory, "run.old");
    mkdirSync(join(old, "tree"), { recursive: true });
    chmodSync(join(old, "tree"), 0o555);
    utimesSync(old, new Date("2026-01-01"), new Date("2026-01-01"));
    expect(stdout(await run(jobFor("echo again"), { directory }))).toBe("again\n");
    expect(readdirSync(directory)).toEqual([]);
  });

  test("a script cannot change the copy of the skill, and its modes are kept", async () => {
    const skill = stageForTest({ "scripts/run.sh": "#!/bin/sh\n", "scripts/data": "x" });
    const script = "scripts/run.sh";
    const outcome = await run(
      jobFor("", { skill, script, interpreter: { name: "sh", path: "/bin/sh" }, args: [] }),
    );
    expect(outcome.exitCode).toBe(0);
    const list = jobFor('cd /skill/scripts; echo x >more; stat -c "%n %a" . *');
    expect(stdout(await run(list))).toBe(". 555\nrun.sh 444\n");
  });

  test("relative imports, long names, links and binary files are all there", async () => {
    const long = `scripts/${"deep/".repeat(30)}${"n".repeat(120)}.txt`;
    const skill = stageForTest({
      "scripts/main.py":
        "from lib.helper import answer\nimport sys\nprint(answer(), open(sys.argv[1]).read())\n",
      "scripts/lib/helper.py": "def answer():\n    return 42\n",
      "SKILL.md": "x",
      "assets/a b'c\"d$é": Buffer.from([0, 255, 10, 13]),
      [long]: "far away",
    });
    symlinkSync(`../${long}`, join(skill.directory, "scripts", "link.txt"));
    const sandbox = ssh(server.options());
    const interpreter = await sandbox.findInterpreter("python3");
    expect(interpreter?.path).toMatch(/^\/.*python3/);
    const outcome = await sandbox.run(
      jobFor("", {
        skill,
        interpreter: interpreter ?? { name: "", path: "" },
        script: "scripts/main.py",
        args: ["/skill/scripts/link.txt"],
      }),
    );
    expect([outcome.stdout, outcome.stderr]).toEqual(["42 far away\n", ""]);
  });

  test("an interpreter of the system needs no folder besides the system's", async () => {
    const path = realpathSync("/bin/bash");
    expect(await ssh(server.options()).findInterpreter("bash")).toEqual({ name: "bash", path });
  });

  test("an interpreter that is not there is not found", async () => {
    const sandbox = ssh(server.options());
    expect(await sandbox.findInterpreter("no-such-interpreter")).toBeUndefined();
    expect(await sandbox.findInterpreter("$(id)")).toBeUndefined();
  });

  test("a script that a signal ends has the exit code of a shell, and limits are told", async () => {
    const killed = await run(jobFor("kill -INT $$"));
    const busy = await run(
      jobFor("while :; do :; done", { limits: { ...jobFor("").limits, cpuSeconds: 1 } }),
    );
    expect([killed.exitCode, busy.exitCode, busy.limit]).toEqual([130, 152, "cpu"]);
  });

  test("of long output head and tail are kept, and all of it is streamed", async () => {
    let streamed = 0;
    const outcome = await run(
      jobFor("head -c 100000 /dev/zero | tr '\\0' a; printf END", {
        limits: { ...jobFor("").limits, outputBytes: 100 },
        onOutput: (_, bytes) => {
          streamed += bytes.length;
        },
      }),
    );
    expect(outcome.stdout).toBe(`${"a".repeat(50)}\n[99903 bytes left out]\n${"a".repeat(47)}END`);
    expect(streamed).toBe(100_003);
  });

  test("a flood of output ends the script", async () => {
    const outcome = await run(jobFor("yes"));
    expect(outcome).toMatchObject({ status: "executed", exitCode: 137, limit: "output" });
  });

  test("at the deadline the whole tree is gone", async () => {
    const seconds = oddSeconds();
    const script = `echo begun; setsid sleep ${seconds} & sleep ${seconds} & wait`;
    const outcome = await longEnough(
      (timeoutMs) => run(jobFor(script, { limits: { ...jobFor("").limits, timeoutMs } })),
      (ended) => stdout(ended).length > 0,
    );
    expect(processesWith(seconds)).toEqual([]);
    expect(readable(outcome)).toEqual({
      status: "timed-out",
      signal: "SIGKILL",
      stdout: "begun\n",
      stderr: "",
    });
  });

  test("what outlives the script is ended with it", async () => {
    const seconds = oddSeconds();
    const outcome = await run(jobFor(`setsid sleep ${seconds} & echo done`));
    expect(processesWith(seconds)).toEqual([]);
    expect(readable(outcome)).toEqual({ status: "executed", exitCode: 0, stdout: "done\n", stderr: "" });
  });

  test("a cancelled script is gone when the call settles", async () => {
    const seconds = oddSeconds();
    const controller = new AbortController();
    const outcome = await run(
      jobFor(`setsid sleep ${seconds} & echo begun; sleep ${seconds}`, {
        signal: controller.signal,
        onOutput: () => controller.abort(),
      }),
    );
    expect(processesWith(seconds)).toEqual([]);
    expect(readable(outcome)).toEqual({
      status: "cancelled",
      signal: "SIGKILL",
      stdout: "begun\n",
      stderr: "",
    });
  });

  test("a signal that fired before is a cancellation without a connection", async () => {
    const outcome = await run(jobFor("echo no", { signal: AbortSignal.abort() }));
    expect(readable(outcome)).toEqual({ status: "cancelled", stdout: "", stderr: "" });
  });

  test("several runs at once do not disturb one another", async () => {
    const directory = join(temporaryFolder(), "staged");
    const job = jobFor("echo fine");
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => run(job, { directory })));
    expect(outcomes.map(stdout)).toEqual(Array.from({ length: 4 }, () => "fine\n"));
    expect(readdirSync(directory)).toEqual([]);
  });

  test("a peer that stands still is given up after the deadline, by this side", async () => {
    const seconds = oddSeconds();
    const ending = await longEnough(
      (timeoutMs) =>
        run(
          jobFor(`echo begun; sleep ${seconds}`, {
            limits: { ...jobFor("").limits, timeoutMs },
            onOutput: () => server.stopSessions(),
          }),
        ).catch((error: unknown) => error),
      (outcome) => outcome instanceof Error,
    );
    expect(ending).toMatchObject({
      code: "sandbox-connection-lost",
      message: expect.stringContaining("after it was told to end (deadline)"),
    });
    server.endSessions();
    await until(() => processesWith(seconds).length === 0);
  });

  test.each(["the server's side", "the local ssh"])(
    "a connection that is lost at %s in mid-run is an error, and the remote tree ends",
    async (side) => {
      const seconds = oddSeconds();
      const running = run(
        jobFor(`setsid sleep ${seconds} & echo begun; sleep ${seconds}`, {
          onOutput: () => {
            if (side === "the local ssh") server.endClients();
            else server.endSessions();
          },
        }),
      );
      await expect(running).rejects.toMatchObject({
        code: "sandbox-connection-lost",
        message: expect.stringContaining("may have run in part"),
        data: { how: "cut", seenBytes: { stdout: 6 } },
      });
      await until(() => processesWith(seconds).length === 0);
      await until(() =>
        readdirSync(server.options().directory ?? "").every((name) => !name.startsWith("run.")),
      );
    },
  );

  test("nothing of a secret stands in a list of processes or on the disk while the script runs", async () => {
    const secret = `secret-${oddSeconds()}`;
    const look = (): unknown => ({
      processes: processesWith(secret),
      files: spawnSync("/bin/grep", ["-rl", secret, server.folder], { encoding: "utf8" }).stdout,
    });
    let shown: unknown;
    const outcome = await run(
      jobFor('echo begun; read line; [ -n "$TOKEN" ] && echo "has it"', {
        environment: { TOKEN: secret },
        onOutput: () => {
          shown ??= look();
        },
      }),
    );
    expect([stdout(outcome), shown]).toEqual(["begun\nhas it\n", { processes: [], files: "" }]);
  });

  test("the script cannot see the connection's own descriptors or files", async () => {
    const outcome = await run(jobFor("ls /proc/self/fd; ls -A / | tr '\\n' ' '"));
    expect(stdout(outcome)).toMatch(/^0\n1\n2\n3\nbin /);
    expect(stdout(outcome)).not.toContain("var/cache");
  });

  test("a script cannot write the end of its own run", async () => {
    const outcome = await run(
      jobFor("printf '0123456789abcdef end 0 exit 1 0\\n'; cat /proc/*/cmdline | tr '\\0' ' '; exit 3"),
    );
    expect(outcome.exitCode).toBe(3);
    expect(stdout(outcome)).toMatch(/^0123456789abcdef end 0 exit 1 0\n/);
  });

  describe("with a remote workspace", () => {
    const workspaceForTest = (): string => {
      const workspace = realpathSync(temporaryFolder());
      chmodSync(workspace, 0o777);
      mkdirSync(join(workspace, ".git"), { mode: 0o777 });
      mkdirSync(join(workspace, ".ssh"), { mode: 0o755 });
      writeFileSync(join(workspace, ".ssh", "id"), "key");
      writeFileSync(join(workspace, "notes.txt"), "notes");
      return workspace;
    };

    test("a script starts in a folder of it, and in none that lies elsewhere", async () => {
      const workspace = workspaceForTest();
      mkdirSync(join(workspace, "labs"), { mode: 0o755 });
      symlinkSync("/root", join(workspace, "away"));
      const started = await run(jobFor("pwd", { folder: "labs" }), { workspace });
      expect([stdout(started), started.cwd]).toEqual([`${workspace}/labs\n`, `${workspace}/labs`]);
      for (const folder of ["away", "gone"])
        await expect(run(jobFor("pwd", { folder }), { workspace }), folder).rejects.toMatchObject({
          code: "sandbox-unavailable",
        });
      await expect(run(jobFor("pwd", { folder: "labs" }))).rejects.toMatchObject({
        code: "sandbox-folder-refused",
      });
    });
    const script =
      'cat notes.txt; (echo new >made.txt) 2>/dev/null && echo " written"; (: >.git/hook) 2>/dev/null && echo hooked; cat .ssh/id; pwd';

    test("scripts read it, and neither write there nor see its keys", async () => {
      const workspace = workspaceForTest();
      const outcome = await run(jobFor(script), { workspace });
      expect([stdout(outcome), existsSync(join(workspace, "made.txt"))]).toEqual([
        `notes${workspace}\n`,
        false,
      ]);
    });

    test("scripts write there when the backend says so, but not what others obey", async () => {
      const workspace = workspaceForTest();
      const outcome = await run(jobFor(script), { workspace, writableWorkspace: true });
      expect(stdout(outcome)).toBe(`notes written\n${workspace}\n`);
      expect(readFileSync(join(workspace, "made.txt"), "utf8")).toBe("new\n");
    });

    test("nothing that begins with a dot is seen of the remote home, and it cannot be made writable", async () => {
      const workspace = realpathSync(join(server.folder, "home"));
      mkdirSync(join(workspace, ".config", "tool"), { recursive: true });
      writeFileSync(join(workspace, ".config", "tool", "token"), "HIDDEN");
      writeFileSync(join(workspace, ".toolrc"), "HIDDEN");
      writeFileSync(join(workspace, "notes.txt"), "notes");
      const outcome = await run(jobFor("cat notes.txt; grep -rl HIDDEN . 2>/dev/null; echo .*rc .config/*"), {
        workspace,
      });
      expect(stdout(outcome)).toBe("notes.toolrc .config/*\n");
      await expect(run(jobFor("true"), { workspace, writableWorkspace: true })).rejects.toMatchObject({
        code: "sandbox-folder-refused",
        message: expect.stringContaining("it is a user's home"),
      });
    });

    test.skipIf(process.getuid?.() !== 0)(
      "a folder that only root can use brings no rights over the devices along",
      async () => {
        const workspace = workspaceForTest();
        chmodSync(workspace, 0o700);
        // The rights it has anyway: where this is let through, the machine is as it was.
        const outcome = await run(
          jobFor("echo x >/dev/null && LC_ALL=C chmod 666 /dev/full 2>&1; echo made >made.txt"),
          {
            workspace,
            writableWorkspace: true,
          },
        );
        expect(stdout(outcome)).toMatch(/^chmod: .*Read-only file system\n$/);
        expect(readFileSync(join(workspace, "made.txt"), "utf8")).toBe("made\n");
      },
    );

    test("a folder that is not there is told with what makes it", async () => {
      expect(await ssh(server.options({ workspace: "/no/such/folder" })).probe()).toMatchObject({
        ok: false,
        reason: "there is no folder /no/such/folder there",
        fix: expect.stringContaining("mkdir -p '/no/such/folder'"),
      });
    });

    test.each([
      ["the network", { network: [{ host: "example.org" }] }, "no network"],
      ["another folder", { writable: ["/srv/other"] }, "folders of this machine"],
      ["the local workspace", { workspace: "/srv/here", writable: ["/srv/here"] }, "writableWorkspace"],
    ])("a grant for %s is refused with its reason", async (_, grant, reason) => {
      await expect(run(jobFor("echo no", grant))).rejects.toMatchObject({
        code: "sandbox-unavailable",
        message: expect.stringContaining(reason),
      });
    });
  });

  test("a host whose key is another one is refused, and so is an unknown one", async () => {
    const known = join(temporaryFolder(), "known");
    writeFileSync(
      known,
      `[127.0.0.1]:${server.port} ${readFileSync(join(server.folder, "user.pub"), "utf8")}`,
    );
    const changed = await ssh(server.options({ knownHostsFile: known })).probe();
    expect(changed).toMatchObject({
      ok: false,
      reason: expect.stringContaining("is not the one that is known"),
    });
    writeFileSync(known, "");
    const unknown = await ssh(server.options({ knownHostsFile: known })).probe();
    expect(unknown).toMatchObject({ ok: false, reason: expect.stringContaining("is not known here") });
    await expect(run(jobFor("echo no"), { knownHostsFile: known })).rejects.toMatchObject({
      code: "sandbox-unavailable",
    });
  });

  test("a key that the server does not take and a server that is not there are told apart", async () => {
    const refused = await ssh(server.options({ identityFile: join(server.folder, "host") })).probe();
    expect(refused).toMatchObject({
      ok: false,
      reason: expect.stringContaining("accepted none of the keys"),
    });
    const absent = await ssh(server.options({ port: 1, knownHostsFile: "/dev/null" })).probe();
    expect(absent).toMatchObject({ ok: false, reason: expect.stringContaining("no ssh server answers") });
  });

  test("a remote machine without bubblewrap is refused with the one command", async () => {
    const tools = temporaryFolder();
    for (const name of readdirSync("/usr/bin").filter((tool) => tool !== "bwrap"))
      symlinkSync(`/usr/bin/${name}`, join(tools, name));
    const bare = await SshServer.start({ environment: { PATH: tools } });
    try {
      const sandbox = ssh(bare.options());
      const probe = await sandbox.probe();
      expect(probe).toMatchObject({
        ok: false,
        reason: "bwrap is not installed there",
        fix: expect.stringMatching(/^ssh -t \S+@127\.0\.0\.1 .*install bubblewrap$/),
      });
      await expect(sandbox.run(jobFor("echo no"))).rejects.toMatchObject({ code: "sandbox-unavailable" });
    } finally {
      bare.stop();
    }
  });

  test("nothing runs where what needs care in the workspace cannot be looked at", async () => {
    const tools = temporaryFolder();
    for (const name of readdirSync("/usr/bin").filter((tool) => tool !== "stat"))
      symlinkSync(`/usr/bin/${name}`, join(tools, name));
    writeFileSync(join(tools, "stat"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const odd = await SshServer.start({ environment: { PATH: tools } });
    try {
      const workspace = realpathSync(temporaryFolder());
      await expect(ssh(odd.options({ workspace })).run(jobFor("echo no"))).rejects.toMatchObject({
        code: "sandbox-unavailable",
        message: expect.stringContaining("could not be looked at"),
      });
    } finally {
      odd.stop();
    }
  });

  test("a remote folder that others can write is refused", async () => {
    const directory = temporaryFolder();
    chmodSync(directory, 0o777);
    await expect(run(jobFor("echo no"), { directory })).rejects.toMatchObject({
      code: "sandbox-unavailable",
      message: expect.stringContaining("can be written by others"),
    });
  });
});
