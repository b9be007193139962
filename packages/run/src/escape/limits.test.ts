import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attackProgram } from "./testing/attack-program.ts";
import { Attacker } from "./testing/attacker.ts";
import { IDENTITIES, OBSTACLE } from "./testing/identities.ts";

const MEBIBYTE = 1024 * 1024;

describe.skipIf(OBSTACLE !== undefined).each(IDENTITIES)("as %s", (identity) => {
  let attacker: Attacker;
  beforeAll(async () => {
    attacker = await Attacker.open(identity);
  });
  afterAll(() => attacker?.close());

  test("a fork bomb stops at the limit, and nothing of it is left", async () => {
    const mark = `fork-bomb-${process.pid}-${identity === "root" ? "r" : "u"}`;
    const outcome = await attacker.attack(
      `
import os, sys, time
made = 0
while made < 3000:
    try:
        child = os.fork()
    except OSError:
        break
    if child == 0:
        os.execv("/bin/sh", ["sh", "-c", "sleep 100; :", "${mark}"]) if made == 0 else time.sleep(100)
        os._exit(0)
    made += 1
print(made)
`,
      { limits: { processes: 64 } },
    );
    expect(outcome.status).toBe("executed");
    expect(Number(outcome.stdout)).toBeGreaterThan(3);
    expect(Number(outcome.stdout)).toBeLessThanOrEqual(64);
    expect(commandLines().filter((line) => line.includes(mark))).toEqual([]);
  });

  test("a memory bomb in one process gets no more than the limit", async () => {
    const outcome = await attacker.attack(
      `
kept = []
try:
    for step in range(64):
        kept.append(bytearray(32 * 1024 * 1024))
        for place in range(0, len(kept[-1]), 4096):
            kept[-1][place] = 1
        print(len(kept) * 32, flush=True)
except MemoryError:
    print("refused")
`,
      { limits: { memoryBytes: 256 * MEBIBYTE } },
    );
    const steps = outcome.stdout.split("\n").filter((line) => /^\d+$/.test(line));
    expect(Number(steps.at(-1) ?? 0)).toBeLessThanOrEqual(256);
    expect(outcome.stdout.endsWith("refused\n") || outcome.limit === "memory").toBe(true);
  });

  test("a memory bomb of many processes is bounded for all of them, or the report says that it is not", async () => {
    const outcome = await attacker.attack(
      `
import os, signal, time
reader, writer = os.pipe()
children = []
for step in range(12):
    child = os.fork()
    if child == 0:
        try:
            block = bytearray(64 * 1024 * 1024)
            for place in range(0, len(block), 4096):
                block[place] = 1
            os.write(writer, b"x")
        except MemoryError:
            os.write(writer, b"-")
        signal.pause()
    children.append(child)
os.close(writer)
os.set_blocking(reader, False)
told = b""
while len(children) > len(told):
    time.sleep(0.01)
    try:
        told += os.read(reader, 100)
    except BlockingIOError:
        pass
    children = [child for child in children if os.waitpid(child, os.WNOHANG) == (0, 0)]
print(len(children), told.count(b"x"))
for child in children:
    os.kill(child, 9)
`,
      { limits: { memoryBytes: 256 * MEBIBYTE } },
    );
    if (outcome.sandbox.memoryLimit === "tree") {
      // Twelve times 64 MiB do not fit: some were ended, or all of them with their parent.
      const [alive = 0] = outcome.stdout.split(" ").map(Number);
      expect(outcome.limit === "memory" || alive < 12).toBe(true);
    } else {
      expect(outcome.sandbox).toMatchObject({ memoryLimit: "process" });
      expect(outcome.sandbox.weaknesses.join("\n")).toMatch(/memory/i);
    }
  });

  test.each([
    [
      "shared memory",
      "block = mmap.mmap(-1, 32 << 20)\n    for place in range(0, len(block), 4096): block[place] = 1\n    kept.append(block)",
    ],
    [
      "files in memory",
      'handle = os.memfd_create("x")\n    for step in range(32): os.write(handle, b"x" * (1 << 20))\n    kept.append(handle)',
    ],
    [
      "room for a stack",
      "block = mmap.mmap(-1, 32 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100)\n    for place in range(0, len(block), 4096): block[place] = 1\n    kept.append(block)",
    ],
  ])("%s is bounded as memory is, or the report says that it is not", async (_name, take) => {
    const outcome = await attacker.attack(
      `
import mmap, os
kept = []
try:
  for step in range(16):
    ${take}
    print(len(kept) * 32, flush=True)
except (MemoryError, OSError):
  print("refused")
`,
      { limits: { memoryBytes: 128 * MEBIBYTE } },
    );
    const steps = outcome.stdout.split("\n").filter((line) => /^\d+$/.test(line));
    if (outcome.sandbox.memoryLimit === "tree") expect(Number(steps.at(-1) ?? 0)).toBeLessThanOrEqual(128);
    else expect(outcome.sandbox.weaknesses.join("\n")).toMatch(/not shared memory, files in memory/);
  });

  test("a crash leaves no core, neither in a folder nor with a program that collects them", async () => {
    const outcome = await attacker.attack(
      `
import os, resource
print(resource.getrlimit(resource.RLIMIT_CORE))
child = os.fork()
if child == 0:
    os.abort()
print(os.WCOREDUMP(os.waitpid(child, 0)[1]), os.listdir("."))
`,
      { writable: [attacker.workspace] },
    );
    expect(outcome.stdout).toBe("(1, 1)\nFalse []\n");
  });

  test("a disk bomb fills its private folders and nothing else", async () => {
    const outcome = await attacker.attack(
      attackProgram(
        Object.fromEntries(
          ["/tmp", "/dev/shm", "/var/tmp", "/run", "/", "/dev", "os.environ['HOME']"].map((folder) => [
            folder,
            `
total = 0
folder = ${folder.startsWith("os.") ? folder : JSON.stringify(folder)}
try:
    for step in range(64):
        with open(folder + "/bomb-%d" % step, "wb") as file:
            for block in range(8):
                file.write(b"x" * (1024 * 1024))
                total += 1
except OSError as problem:
    print(folder, total, problem, file=sys.stderr)
must(total > 40)`,
          ]),
        ),
      ),
      { limits: { temporaryBytes: 32 * MEBIBYTE } },
    );
    expect(new Set(Object.values(JSON.parse(outcome.stdout)))).toEqual(new Set(["held"]));
  });

  test("one file in a writable folder grows to the limit and no further", async () => {
    const outcome = await attacker.attack(
      `
import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
written = 0
try:
    with open("big", "wb", buffering=0) as file:
        for step in range(64):
            written += file.write(b"x" * (1024 * 1024))
except OSError:
    pass
os.unlink("big")
print(written)
`,
      { writable: [attacker.workspace], limits: { fileBytes: 8 * MEBIBYTE } },
    );
    expect(outcome.stdout).toBe(`${8 * MEBIBYTE}\n`);
  });

  test("a busy loop ends at its share of the processor", async () => {
    const outcome = await attacker.attack("while True:\n    pass\n", { limits: { cpuSeconds: 1 } });
    expect(outcome).toMatchObject({ status: "executed", limit: "cpu" });
  });

  test("ending by itself as if the processor had been used up is not taken for that limit", async () => {
    const outcome = await attacker.attack("import os\nos._exit(152)\n");
    expect([outcome.exitCode, outcome.limit]).toEqual([152, undefined]);
  });

  test("a flood of output is cut, and said so", async () => {
    const outcome = await attacker.attack(
      `
import os
while True:
    os.write(1, b"flood" * 10000)
`,
      { limits: { outputBytes: 10_000 } },
    );
    expect(outcome).toMatchObject({ truncated: { stdout: true, stderr: false }, limit: "output" });
    expect(outcome.stdout.length).toBeLessThan(11_000);
    expect(outcome.stdout).toMatch(/left out/);
  });

  test("output cannot steer a terminal", async () => {
    const outcome = await attacker.attack(
      `
import sys
sys.stdout.buffer.write(b"a\\x1b[2J\\x1b]0;title\\x07\\x1bP+q\\x1b\\\\b\\x9b31mc\\x08\\x7f\\rd\\xe2\\x80\\xaee\\n")
sys.stdout.buffer.write("\\u009b1mf\\n".encode())
`,
    );
    expect(outcome.stdout).toMatch(/^a/);
    expect(outcome.stdout).not.toMatch(CONTROL);
  });
});

// Everything but tabs and line ends, and what turns the direction of writing.
const CONTROL = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/u;

function commandLines(): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8");
      } catch (_ended) {
        return "";
      }
    });
}
