import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { SkilletError } from "../errors.ts";
import { bundleSource } from "../testing/bundle-source.ts";
import { killHard, runNode, startNode, waitForOutput } from "../testing/run-node.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { identifyProcess, type ProcessIdentity } from "./process-identity.ts";
import { withFileLock } from "./with-file-lock.ts";

const NONCE = "0123456789abcdef0123456789abcdef";

describe("withFileLock", () => {
  test("runs the action, returns its result and removes the lock file", async () => {
    const lock = join(temporaryDirectory(), "x.lock");
    const result = await withFileLock(lock, async () => {
      expect(JSON.parse(readFileSync(lock, "utf8"))).toMatchObject({
        ...identifyProcess(),
        pid: process.pid,
      });
      return "done";
    });
    expect(result).toBe("done");
    expect(existsSync(lock)).toBe(false);
  });

  test("an action that throws releases the lock and its error comes through", async () => {
    const directory = temporaryDirectory();
    const lock = join(directory, "x.lock");
    await expect(withFileLock(lock, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(readdirSync(directory)).toEqual([]);
  });

  test("calls of one process take turns", async () => {
    const lock = join(temporaryDirectory(), "x.lock");
    const events: string[] = [];
    const enter = (name: number) =>
      withFileLock(lock, async () => {
        events.push(`enter ${name}`);
        await new Promise(setImmediate);
        events.push(`leave ${name}`);
      });
    await Promise.all(Array.from({ length: 20 }, (_, name) => enter(name)));
    for (let index = 0; index < events.length; index += 2) {
      expect(events[index + 1]).toBe(events[index]!.replace("enter", "leave"));
    }
    expect(events).toHaveLength(40);
  });

  test("a timeout names the owner and says what to do", async () => {
    const lock = join(temporaryDirectory(), "x.lock");
    const error = await withFileLock(lock, () =>
      failureOf(withFileLock(lock, async () => 0, { timeoutMs: 0 })),
    );
    expect(error.code).toBe("lock-timeout");
    expect(error.message).toContain(`${lock} is held by process ${process.pid} on `);
    expect(error.message).toContain("if that process no longer exists, delete the lock file");
    expect(error.data.owner).toMatchObject({ pid: process.pid });
  });

  test("waiting ends with the reason of the signal", async () => {
    const lock = join(temporaryDirectory(), "x.lock");
    const controller = new AbortController();
    await withFileLock(lock, async () => {
      const waiting = withFileLock(lock, async () => 0, { signal: controller.signal });
      controller.abort(new Error("changed my mind"));
      await expect(waiting).rejects.toThrow("changed my mind");
    });
  });

  test("a missing folder is an error that says so", async () => {
    const lock = join(temporaryDirectory(), "absent", "x.lock");
    const error = await failureOf(withFileLock(lock, async () => 0));
    expect([error.code, error.data.errno]).toEqual(["lock-failed", "ENOENT"]);
  });
});

describe("whose lock is taken over", () => {
  const here = identifyProcess();
  const cases: [string, Partial<ProcessIdentity> | string, "taken" | "kept"][] = [
    ["a process that ended", { pid: 2 ** 30 }, "taken"],
    ["this very process", {}, "kept"],
    ["a process of another machine", { pid: 2 ** 30, host: "elsewhere" }, "kept"],
    ["a machine of the same name", { pid: 2 ** 30, machine: "other" }, "kept"],
    ["no one, an empty file,", "", "kept"],
    ["a file cut in half", '{"pid":1,"host":"', "kept"],
    ["a whole process group", { pid: -1 }, "kept"],
  ];
  if (here.boot !== undefined) {
    const isMachineKnown = here.machine !== undefined;
    cases.push(
      ["a process from before the last boot", { boot: "earlier" }, isMachineKnown ? "taken" : "kept"],
      ["a process of another container", { pid: 2 ** 30, pidNamespace: "pid:[1]" }, "kept"],
      ["a process whose id was given to another one", { started: "1" }, "taken"],
    );
  }

  test.each(cases.map(([title, owner, outcome]) => ({ title, owner, outcome })))(
    "the lock of $title is $outcome",
    async ({ owner, outcome }) => {
      const lock = join(temporaryDirectory(), "x.lock");
      const held = { ...here, nonce: NONCE, since: "2026-01-01T00:00:00.000Z" };
      const text = typeof owner === "string" ? owner : JSON.stringify({ ...held, ...owner });
      writeFileSync(lock, text);
      const result = withFileLock(lock, async () => "taken", { timeoutMs: 0 }).catch(() => "kept");
      expect(await result).toBe(outcome);
      expect(existsSync(lock) ? readFileSync(lock, "utf8") : "removed").toBe(
        outcome === "kept" ? text : "removed",
      );
    },
  );

  test("a folder at the lock's place is kept and reported", async () => {
    const lock = join(temporaryDirectory(), "x.lock");
    mkdirSync(lock);
    expect((await failureOf(withFileLock(lock, async () => 0, { timeoutMs: 0 }))).message).toContain(
      "damaged",
    );
  });

  test("of many that find the same dead owner at once, one is let in at a time", async () => {
    const lock = join(temporaryDirectory(), "x.lock");
    let inside = 0;
    const counts: number[] = [];
    for (let round = 0; round < 20; round++) {
      const nonce = NONCE.slice(2) + String(round).padStart(2, "0");
      writeFileSync(
        lock,
        JSON.stringify({ ...here, pid: 2 ** 30, nonce, since: "2026-01-01T00:00:00.000Z" }),
      );
      const enter = () =>
        withFileLock(lock, async () => {
          counts.push(++inside);
          await new Promise(setImmediate);
          inside--;
        });
      await Promise.all(Array.from({ length: 10 }, enter));
    }
    expect(counts).toEqual(counts.map(() => 1));
    expect(counts).toHaveLength(200);
  });

  test("a guard left by a crash in the middle of a takeover does not block", async () => {
    const directory = temporaryDirectory();
    const lock = join(directory, "x.lock");
    const gone = { ...here, pid: 2 ** 30, since: "2026-01-01T00:00:00.000Z" };
    const second = NONCE.replaceAll("0", "f");
    const third = NONCE.replaceAll("0", "e");
    writeFileSync(lock, JSON.stringify({ ...gone, nonce: NONCE }));
    writeFileSync(`${lock}.${NONCE}`, JSON.stringify({ ...gone, nonce: second }));
    writeFileSync(`${lock}.${second}`, JSON.stringify({ ...gone, nonce: third }));
    expect(await withFileLock(lock, async () => "taken", { timeoutMs: 0 })).toBe("taken");
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe("what killed processes leave", () => {
  test.skipIf(identifyProcess().boot === undefined || identifyProcess().machine === undefined)(
    "goes with the next lock, and no one else's does",
    async () => {
      const directory = temporaryDirectory();
      const lock = join(directory, "x.lock");
      const since = new Date(0).toISOString();
      const alive = { ...identifyProcess(), nonce: NONCE, since };
      const gone = { ...alive, boot: "an earlier one" };
      const other = "f".repeat(32);
      const left = [`x.lock.${NONCE}.tmp`, `x.lock.${NONCE}.${other}.tmp`, `x.lock.${other}`];
      const kept = [`x.lock.${other}.tmp`, "x.lock.bak", `y.lock.${NONCE}.tmp`];
      for (const name of left) writeFileSync(join(directory, name), JSON.stringify(gone));
      for (const name of kept.slice(1)) writeFileSync(join(directory, name), JSON.stringify(gone));
      writeFileSync(join(directory, `x.lock.${other}.tmp`), JSON.stringify(alive));
      // Killed before it wrote its name, or still about to: only time tells.
      const [young, old] = [`x.lock.${"1".repeat(32)}.tmp`, `x.lock.${"2".repeat(32)}.tmp`];
      for (const name of [young, old]) writeFileSync(join(directory, name), "");
      utimesSync(join(directory, old), new Date(0), new Date(0));
      await withFileLock(lock, async () => undefined);
      expect(readdirSync(directory)).toEqual([...kept, young].sort());
    },
  );
});

describe("real processes", () => {
  test("a lock whose process was killed is taken over by exactly one of several waiters at a time", async () => {
    const { directory, module } = await compiledLock();
    const lock = join(directory, "x.lock");
    const holder = startNode(HOLD, [module, lock]);
    await waitForOutput(holder, "held");
    const log = join(directory, "log");
    const waiters = Array.from({ length: 4 }, (_, name) =>
      runNode(HAMMER, [module, lock, log, `w${name}`, "15"]),
    );
    await killHard(holder);
    await Promise.all(waiters);
    expect(overlaps(log)).toEqual([]);
    expect(readFileSync(log, "utf8").match(/leave/g)).toHaveLength(60);
    expect(existsSync(lock)).toBe(false);
  });

  test.skipIf(process.platform !== "linux")(
    "a killed process that is never reaped loses its lock all the same",
    async () => {
      const { directory, module } = await compiledLock();
      const lock = join(directory, "x.lock");
      // `sleep` takes the place of the holder's parent and never waits for it.
      const script = '"$0" --input-type=module --eval "$1" -- "$2" "$3" & exec sleep 60';
      const parent = spawn("sh", ["-c", script, process.execPath, HOLD, module, lock], { stdio: "pipe" });
      onTestFinished(() => killHard(parent));
      await waitForOutput(parent, "held");
      process.kill(JSON.parse(readFileSync(lock, "utf8")).pid, "SIGKILL");
      expect(await withFileLock(lock, async () => "taken")).toBe("taken");
    },
  );

  test("processes killed at any moment, also while taking over, never let two in", async () => {
    const { directory, module } = await compiledLock();
    const lock = join(directory, "x.lock");
    const log = join(directory, "log");
    const survivors = [0, 1].map((name) => runNode(HAMMER, [module, lock, log, `s${name}`, "40"]));
    const victims = [0, 1].map(async (lane) => {
      for (let round = 0; round < 8; round++) {
        const victim = startNode(HAMMER, [module, lock, log, `v${lane}.${round}`, "100000"]);
        await waitForOutput(victim, "entered");
        await killHard(victim);
      }
    });
    await Promise.all([...survivors, ...victims]);
    expect(overlaps(log)).toEqual([]);
    expect(readFileSync(log, "utf8").match(/leave s/g)).toHaveLength(80);
  });
});

const HOLD = `
const [, module, lock] = process.argv;
const { withFileLock } = await import(module);
await withFileLock(lock, () => { console.log("held"); return new Promise(() => setInterval(() => {}, 1000)); });
`;

const HAMMER = `
const [, module, lock, log, name, rounds] = process.argv;
const { appendFileSync } = await import("node:fs");
const { withFileLock } = await import(module);
for (let round = 0; round < Number(rounds); round++) {
  await withFileLock(lock, async () => {
    appendFileSync(log, "enter " + name + " " + round + "\\n");
    if (round === 1) process.stdout.write("entered");
    await new Promise(setImmediate);
    appendFileSync(log, "leave " + name + " " + round + "\\n");
  }, { timeoutMs: 50000 });
}
`;

async function compiledLock(): Promise<{ directory: string; module: string }> {
  const directory = temporaryDirectory();
  const [module] = await bundleSource(join(directory, "bundled"), "kit/src/files/with-file-lock.ts");
  return { directory, module };
}

// A killed process enters and never leaves; leaving after someone else entered is what must not happen.
function overlaps(log: string): string[] {
  let inside = "";
  const found: string[] = [];
  for (const line of readFileSync(log, "utf8").split("\n")) {
    if (line.startsWith("enter ")) inside = line.slice(6);
    if (line.startsWith("leave ") && line.slice(6) !== inside)
      found.push(`${line} while ${inside} was inside`);
  }
  return found;
}

async function failureOf(promise: Promise<unknown>): Promise<SkilletError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!SkilletError.isInstance(error)) throw new Error(`expected a SkilletError, but got ${String(error)}`);
  return error;
}
