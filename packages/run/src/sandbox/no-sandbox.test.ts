import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { expect, onTestFinished, test } from "vitest";
import { DEFAULT_RUN_LIMITS } from "../run-limits.ts";
import { hostSandbox, noSandbox, reportUnconfined } from "./no-sandbox.ts";
import type { SandboxJob } from "./sandbox.ts";

function jobOf(text: string): SandboxJob {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "skillet-unconfined-")));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, "a.sh"), text);
  return {
    skill: { directory, digest: digestBytes(Buffer.from(text)) },
    interpreter: { name: "sh", path: "/bin/sh" },
    flags: [],
    script: "a.sh",
    args: [],
    cwd: "skill",
    writable: [],
    protect: [],
    network: [],
    environment: {},
    limits: DEFAULT_RUN_LIMITS,
  };
}

const { weaknesses, memoryLimit } = reportUnconfined("none");
const isMarked = weaknesses.some((text) => text.includes("hides on purpose"));

test("its report says that nothing holds the script, and what may outlive it", () => {
  expect(weaknesses.slice(0, 2)).toEqual([
    "No sandbox: the script can read, write and reach whatever the user who runs it can.",
    expect.stringMatching(
      /^Processes can outlive the script.*: without a namespace, one that .* is not ended/,
    ),
  ]);
  expect(isMarked ? memoryLimit : "process").toBe("process");
});

test.skipIf(!isMarked).each(["exit 4", "exec sleep 1000"])(
  "a process that left its parent, its session and its environment is gone after: %s",
  async (last) => {
    const sleep = `sleep ${600_000 + process.pid}.${Date.now()}${last.length}`;
    const job = jobOf(`
(setsid env -i /bin/sh -c ': > "$0"; exec ${sleep}' "$TMPDIR/started" &)
until [ -e "$TMPDIR/started" ]; do sleep 0.01; done
${last}
`);
    const timeoutMs = last === "exit 4" ? job.limits.timeoutMs : 1500;
    const outcome = await noSandbox().run({ ...job, limits: { ...job.limits, timeoutMs } });
    expect(outcome).toMatchObject(
      last === "exit 4" ? { status: "executed", exitCode: 4 } : { status: "timed-out" },
    );
    expect(commands().filter((command) => command.includes(sleep))).toEqual([]);
  },
);

test.skipIf(!isMarked)("the mark limits nothing that the script does", async () => {
  const outcome = await hostSandbox().run(jobOf("ulimit -a; sh -c 'exit 3'\n"));
  expect(outcome).toMatchObject({ status: "executed", exitCode: 3 });
});

function commands(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
      } catch (error) {
        if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH"))
          return "";
        throw error;
      }
    });
}
