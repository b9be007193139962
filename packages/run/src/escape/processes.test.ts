import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { longEnough } from "../../../kit/src/testing/long-enough.ts";
import { all, attackProgram } from "./testing/attack-program.ts";
import { Attacker } from "./testing/attacker.ts";
import { IDENTITIES, OBSTACLE } from "./testing/identities.ts";

describe.skipIf(OBSTACLE !== undefined).each(IDENTITIES)("as %s", (identity) => {
  let attacker: Attacker;
  beforeAll(async () => {
    attacker = await Attacker.open(identity);
  });
  afterAll(() => attacker?.close());

  test("another process can be neither seen, read nor ended", async () => {
    const victim = attacker.startVictim();
    try {
      const attempts = {
        "its environment": `must(b"VICTIM-SECRET" in read("/proc/${victim.pid}/environ"))`,
        "any environment with a secret": `
for path in glob.glob("/proc/[0-9]*/environ"):
    try:
        text = read(path)
    except OSError:
        continue
    if b"VICTIM-SECRET" in text or b"DRIVER-SECRET" in text:
        sys.exit("a secret was found in " + path)
must(os.path.exists("/proc/${victim.pid}/cmdline") and b"sleep" in read("/proc/${victim.pid}/cmdline"))`,
        "its memory": `
maps = read("/proc/${victim.pid}/maps").decode()
start = int(maps.split("-")[0], 16)
memory = os.open("/proc/${victim.pid}/mem", os.O_RDONLY)
os.pread(memory, 4, start)`,
        "a signal": `
os.kill(${victim.pid}, 0)
must(b"sleep" in read("/proc/${victim.pid}/cmdline"))`,
      };
      const program = attackProgram(attempts);
      expect(JSON.parse((await attacker.attack(program)).stdout)).toEqual(all(attempts, "held"));
      const { "any environment with a secret": _seen, "its memory": _memory, ...effective } = attempts;
      const free = await attacker.attack(attackProgram(effective), { sandbox: "none" });
      expect(JSON.parse(free.stdout)).toEqual(all(effective, "through"));
    } finally {
      victim.end();
    }
  });

  test("killing the parent, or every process, kills nothing outside", async () => {
    const victim = attacker.startVictim();
    try {
      const outcome = await attacker.attack(
        attackProgram({
          everybody: `
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for target in (os.getppid(), ${victim.pid}, 1, -1):
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.kill(target, number)
        except OSError as problem:
            print(target, problem, file=sys.stderr)`,
        }),
      );
      // The driver itself is alive: it reported this.
      expect(outcome.status).toBe("executed");
      expect(victim.isAlive()).toBe(true);
    } finally {
      victim.end();
    }
  });

  test("a child that starts a session of its own is gone when the call settles", async () => {
    const mark = `skillet-escape-${process.pid}-${identity === "root" ? "r" : "u"}`;
    const outcome = await attacker.attack(
      `
import os, sys, time
for step in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv("/bin/sh", ["sh", "-c", "sleep 300; :", "${mark}"])
        os._exit(0)
print("left")
sys.stdout.flush()
`,
    );
    expect(outcome.stdout).toBe("left\n");
    expect(outcome.status).toBe("executed");
    expect(processesWith(mark)).toEqual([]);
    // It would have been found.
    const sleeper = spawn("sh", ["-c", "sleep 300; :", mark], { stdio: "ignore", detached: true });
    await once(sleeper, "spawn");
    // Its child has its command line too, until it becomes the command.
    expect(processesWith(mark)).toContain(String(sleeper.pid));
    process.kill(-(sleeper.pid ?? 0), "SIGKILL");
    await once(sleeper, "exit");
  });

  test("at the deadline nothing is left, though a child holds the pipe and left the session", async () => {
    const mark = `skillet-deadline-${process.pid}-${identity === "root" ? "r" : "u"}`;
    const outliving = `
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv("/bin/sh", ["sh", "-c", "trap '' TERM HUP INT; while :; do sleep 1; done", "${mark}"])
    os._exit(0)
print("started", flush=True)
while True:
    time.sleep(1)
`;
    const outcome = await longEnough(
      (timeoutMs) => attacker.attack(outliving, { timeoutMs }),
      ({ stdout }) => stdout !== "",
    );
    expect(outcome.status).toBe("timed-out");
    expect(outcome.stdout).toBe("started\n");
    expect(processesWith(mark)).toEqual([]);
  });
});

function processesWith(mark: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(mark);
    } catch (_ended) {
      return false;
    }
  });
}
