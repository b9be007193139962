import { type ChildProcess, spawn } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { longEnough } from "../testing/long-enough.ts";
import type { ProcessRequest } from "./process-request.ts";
import { createLimitMark } from "./process-tree.ts";
import { processesWith, processWith, readable, shell, textOf, uniqueSleep } from "./testing/shell.ts";

const linux = process.platform === "linux";
const asRoot = process.getuid?.() === 0;
const PRLIMIT = "/usr/bin/prlimit";
const canMark = existsSync(PRLIMIT) && createLimitMark() !== undefined;

// Each starts a child of the program that outlives it if nobody looks; %s is its command.
const children: [string, string][] = [
  ["in the background", "%s &"],
  ["that ignores every signal it can", "(trap '' HUP INT TERM; exec %s) &"],
  ["in its own session", "setsid %s &"],
  ["that lost its parent", "(%s &)"],
  ["that lost its parent, in its own session", "(setsid %s &)"],
  ["that lost its parent and its environment", "(env -i %s &)"],
  ["below a parent that was stopped", "setsid sh -c '%s & kill -STOP $$' &"],
];
// These are known by their parents alone, so they are found while those live.
const hiddenChildren: [string, string][] = [
  ["in its own session, without environment", "setsid env -i %s &"],
  ["below a parent in its own session without environment", "setsid env -i /bin/sh -c '%s & wait' &"],
  ["that is many sessions deep", "setsid env -i setsid -w env -i setsid -w env -i %s &"],
];

describe.skipIf(!linux)("a child", () => {
  test.each(children)("%s is gone when the program has exited", async (_what, start) => {
    const sleep = uniqueSleep();
    const result = await shell(`${start.replace("%s", sleep)}\nread line <&3; echo out; exit 4`, {
      descriptors: [
        { kind: "channel", connect: (channel) => onceStarted(sleep, () => channel.write("go\n")) },
      ],
    });
    expect(readable(result)).toEqual({ ending: "exit", exitCode: 4, stdout: "out\n", stderr: "" });
    expect(processesWith(sleep)).toEqual([]);
  });

  test.each([...children, ...hiddenChildren])(
    "%s is gone when the program is cancelled",
    async (_what, start) => {
      const sleep = uniqueSleep();
      const stop = new AbortController();
      onceStarted(sleep, () => {
        stop.abort();
        stop.abort();
      });
      const result = await shell(`${start.replace("%s", sleep)}\nexec sleep 1000`, { signal: stop.signal });
      expect(readable(result)).toEqual({ ending: "cancelled", signal: "SIGKILL", stdout: "", stderr: "" });
      expect(processesWith(sleep)).toEqual([]);
    },
  );
});

describe.skipIf(!linux)("a child that lost its parent, its session and its environment", () => {
  const start = (sleep: string): string => `(setsid env -i ${sleep} &)`;
  /** The shell with a limit by which what it starts is known. */
  const marked = (script: string, limitMark: string): Pick<ProcessRequest, "argv" | "limitMark"> => ({
    argv: [PRLIMIT, `--rttime=${limitMark}:${limitMark}`, "--", "/bin/sh", "-c", script],
    limitMark,
  });

  test.skipIf(!canMark).each(["exit", "cancelled"] as const)(
    "is known by its limit, and gone after the ending %s",
    async (ending) => {
      const limitMark = createLimitMark() ?? "";
      const sleep = uniqueSleep();
      const script = `${start(sleep)}\nread line <&3${ending === "exit" ? "" : "; exec sleep 1000"}`;
      const stop = new AbortController();
      const result = await shell("", {
        ...marked(script, limitMark),
        ...(ending === "cancelled" && { signal: stop.signal }),
        descriptors: [
          {
            kind: "channel",
            connect: (channel) =>
              onceStarted(sleep, () => {
                channel.write("go\n");
                stop.abort();
              }),
          },
        ],
      });
      expect(result.ending).toBe(ending);
      expect(processesWith(sleep)).toEqual([]);
    },
  );

  test("is not known by anything else, and outlives the program", async () => {
    const sleep = uniqueSleep();
    onTestFinished(() => {
      for (const pid of processesWith(sleep)) process.kill(pid, "SIGKILL");
    });
    await shell(`${start(sleep)}\nread line <&3`, {
      descriptors: [
        { kind: "channel", connect: (channel) => onceStarted(sleep, () => channel.write("go\n")) },
      ],
    });
    expect(processesWith(sleep)).toHaveLength(1);
  });

  test.skipIf(!canMark)("is left alone when it has the limit of another run", async () => {
    const [one = "", other = ""] = [createLimitMark(), createLimitMark()];
    const sleep = uniqueSleep();
    const stop = new AbortController();
    const running = shell("", {
      ...marked(`${start(sleep)}\nexec sleep 1000`, one),
      signal: stop.signal,
    });
    await processWith(sleep);
    await shell("", marked("true", other));
    expect(processesWith(sleep)).toHaveLength(1);
    stop.abort();
    await running;
    expect(processesWith(sleep)).toEqual([]);
  });
});

function onceStarted(command: string, then: () => void): void {
  processWith(command).then(then);
}

describe.skipIf(!linux)("a deadline", () => {
  test.each([["sh -c '%s & wait'"], ["setsid %s & wait"], ["(setsid %s &); exec %s"]])(
    "ends all of: %s",
    async (script) => {
      const sleep = uniqueSleep();
      const line = `echo ready; ${script.replaceAll("%s", sleep)}`;
      const result = await longEnough(
        (deadlineMs) => shell(line, { deadlineMs }),
        ({ stdout }) => stdout.head.length > 0,
      );
      expect(readable(result)).toEqual({
        ending: "deadline",
        signal: "SIGKILL",
        stdout: "ready\n",
        stderr: "",
      });
      expect(processesWith(sleep)).toEqual([]);
    },
  );

  test("that races with the exit settles once, as one or the other", async () => {
    for (let round = 0; round < 30; round += 1) {
      const { ending, exitCode, signal } = await shell("exit 0", { deadlineMs: 1 + (round % 6) });
      expect([
        { ending: "exit", exitCode: 0 },
        { ending: "deadline", signal: "SIGKILL" },
        { ending: "deadline", exitCode: 0 },
      ]).toContainEqual({ ending, ...(exitCode === undefined ? { signal } : { exitCode }) });
    }
  });
});

describe.skipIf(!linux)("a tree that resists", () => {
  test.skipIf(!asRoot)("by starting sessions as fast as it can is ended all the same", async () => {
    const sleep = uniqueSleep();
    const script = `ulimit -u 60; echo ready; while :; do setsid ${sleep} 2>/dev/null & done`;
    const result = await shell(script, {
      argv: ["/bin/bash", "-c", script],
      cwd: "/",
      user: { uid: 61_234, gid: 61_234 },
      deadlineMs: 700,
    });
    expect(result.ending).toBe("deadline");
    expect(processesWith(sleep)).toEqual([]);
  });

  test("by a name that looks like the end of its line in the table is ended", async () => {
    const folder = await mkdtemp(join(tmpdir(), "skillet-tree-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await copyFile("/bin/sleep", join(folder, "a) Z 1 ("));
    const command = uniqueSleep().replace("sleep", `${folder}/a) Z 1 (`);
    await shell(`(setsid ${command.replace("a) Z 1 (", "'a) Z 1 ('")} &)\nread line <&3`, {
      descriptors: [
        { kind: "channel", connect: (channel) => onceStarted(command, () => channel.write("go\n")) },
      ],
    });
    expect(processesWith(command)).toEqual([]);
  });

  test("by ending its first thread, which makes it look dead, is ended", async ({ skip }) => {
    const probe = await shell("command -v python3");
    skip(probe.exitCode !== 0, "python3 is not installed");
    const python = [
      "import ctypes, os, threading, time",
      "threading.Thread(target=lambda: (time.sleep(0.05), print(os.getpid(), flush=True), time.sleep(1000))).start()",
      "ctypes.CDLL(None).pthread_exit(None)",
    ].join("\n");
    const stop = new AbortController();
    const result = await shell("", {
      argv: ["/bin/sh", "-c", 'python3 -c "$1" & wait', "sh", python],
      signal: stop.signal,
      onOutput: () => stop.abort(),
    });
    expect(result.ending).toBe("cancelled");
    const tasks = `/proc/${textOf(result.stdout.head).trim()}/task`;
    expect(existsSync(tasks) ? readdirSync(tasks).length : 0).toBeLessThan(2);
  });
});

describe.skipIf(!linux)("others", () => {
  test("of the caller's processes and other runs are left alone", async () => {
    const [own, other, doomed] = [uniqueSleep(), uniqueSleep(), uniqueSleep()];
    const bystander = spawn("/bin/sh", ["-c", `exec ${own}`]);
    const stop = new AbortController();
    const running = shell(`setsid ${other} & echo ready; wait`, { signal: stop.signal });
    await Promise.all([processWith(own), processWith(other)]);
    await Promise.all([
      shell(`setsid ${doomed} & sleep 0.3`, { deadlineMs: 100 }),
      shell(`setsid ${doomed} & sleep 0.1`),
    ]);
    expect([own, other, doomed].map((command) => processesWith(command).length)).toEqual([1, 1, 0]);
    stop.abort();
    expect(readable(await running)).toMatchObject({ ending: "cancelled", stdout: "ready\n" });
    expect([own, other].map((command) => processesWith(command).length)).toEqual([1, 0]);
    bystander.kill("SIGKILL");
    await once(bystander, "close");
  });

  test("who hold the program's pipe open are not waited for", async () => {
    const holders: ChildProcess[] = [];
    let held = "";
    let release = (): void => undefined;
    const result = await shell("echo $$; read line <&3; echo last", {
      descriptors: [
        {
          kind: "channel",
          connect: (channel) => {
            release = () => channel.write("go\n");
          },
        },
      ],
      onOutput: (_stream, bytes) => {
        if (holders.length > 0) return;
        const pipe = `/proc/${textOf(bytes).trim()}/fd/1`;
        held = readlinkSync(pipe);
        const holder = spawn("/bin/sh", ["-c", `exec > ${pipe}; echo held >&2; exec sleep 1000`]);
        holder.stderr.once("data", () => release());
        holders.push(holder);
      },
    });
    expect(readable(result)).toMatchObject({
      ending: "exit",
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\nlast\n$/),
    });
    expect(held).toContain("skillet-stdio-");
    expect(openPipes()).not.toContain(held);
    expect(holders.map(({ exitCode, signalCode }) => [exitCode, signalCode])).toEqual([[null, null]]);
    for (const holder of holders) {
      holder.kill("SIGKILL");
      await once(holder, "close");
    }
  });
});

test.skipIf(!linux)("fifty runs leave no descriptor, handle, listener or folder behind", async () => {
  const { signal } = new AbortController();
  const temporary = await mkdtemp(join(tmpdir(), "skillet-tree-"));
  onTestFinished(() => rm(temporary, { recursive: true }));
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  // Those of other files that the same worker tests.
  const foreign = openPipes().length;
  await shell("true", { cwd: "/" });
  const before = await resources(signal, foreign);
  expect(before).toMatchObject({ pipes: true, abort: 0, guards: 0, folders: [] });
  for (let round = 0; round < 25; round += 1) {
    await Promise.all([
      shell("cat; exit 1", { signal, stdin: Buffer.from("x"), descriptors: [{ kind: "collect" }] }),
      shell("setsid sleep 1000 & exec sleep 1000", { signal, deadlineMs: 5 }),
      shell("", { signal, argv: ["/nowhere"] }).catch(() => undefined),
      shell("", { signal, argv: ["/usr"], stdin: Buffer.from("x") }).catch(() => undefined),
    ]);
  }
  expect(await resources(signal, foreign)).toEqual(before);
});

/** What a run could forget to give back. */
async function resources(signal: AbortSignal, foreign: number): Promise<object> {
  // Node closes what was destroyed in the turns that follow.
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  return {
    descriptors: readdirSync("/proc/self/fd").length - openPipes().length,
    // Made ahead: at most one or two left over and eight new ones, with two ends each.
    pipes: openPipes().length - foreign <= 20,
    handles: process
      .getActiveResourcesInfo()
      .filter((name) => name === "PipeWrap" || name === "ProcessWrap")
      .toSorted(),
    abort: getEventListeners(signal, "abort").length,
    guards: process.listeners("exit").filter(({ name }) => name === "killRunning").length,
    folders: readdirSync(tmpdir()),
  };
}

function openPipes(): string[] {
  return readdirSync("/proc/self/fd")
    .map((name) => `/proc/self/fd/${name}`)
    .filter((path) => existsSync(path))
    .map((path) => readlinkSync(path))
    .filter((target) => target.includes("skillet-stdio-"));
}
