import { accessSync, constants } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SandboxReport } from "@skillet/core";
import { canonicalPath } from "@skillet/kit/files";
import { createLimitMark, type LimitMark, type ProcessResult, runProcess } from "@skillet/kit/process";
import { findLocalInterpreter } from "../runtime/find-local-interpreter.ts";
import { prlimitArguments } from "./limit-group.ts";
import { nodeVersion } from "./node-version.ts";
import { removeScratch } from "./remove-scratch.ts";
import type { Sandbox, SandboxJob, SandboxOutcome } from "./sandbox.ts";

/**
 * Runs scripts with the rights of whoever calls, in a cleared environment; nothing holds them, and every record says so.
 *
 * @example
 * createRunner({ sandbox: noSandbox(), allow: ["pdf-forms:scripts/fill.py"] });
 */
export function noSandbox(): Sandbox {
  return unconfined("none");
}

/** The same for scripts that a profile names to run beside the host. */
export function hostSandbox(): Sandbox {
  return unconfined("host");
}

function unconfined(backend: "none" | "host"): Sandbox {
  const sandbox: Sandbox = {
    name: backend,
    probe: async () => ({ ok: true, report: reportUnconfined(backend) }),
    findInterpreter: async (name, distrusted) => findLocalInterpreter(name, distrusted),
    nodeVersion: (node) => nodeVersion(sandbox, node),
    run: (job) => runUnconfined(backend, job),
  };
  return sandbox;
}

const PRLIMIT = ["/usr/bin/prlimit", "/bin/prlimit"];
const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

const HIDES_ON_PURPOSE =
  "No namespace ends with the script: a process that hides on purpose can outlive it, its deadline and this host.";
const HIDES =
  "No namespace ends with the script: a process that leaves its session and clears its environment can outlive it.";

/** What there is to say about running a script with nothing around it. */
export function reportUnconfined(backend: "none" | "host"): SandboxReport {
  const limited = findPrlimit() !== undefined;
  return {
    backend,
    strength: "none",
    weaknesses: [
      "No sandbox: the script can read, write and reach whatever the user who runs it can.",
      limited && createLimitMark() !== undefined ? HIDES_ON_PURPOSE : HIDES,
      ...(limited ? [] : ["No limits for memory, processor time and file sizes: prlimit is not there."]),
    ],
    memoryLimit: limited ? "process" : "none",
  };
}

/** Runs a job with the caller's rights, in an environment of its own and a temporary folder that is removed afterwards. */
export async function runUnconfined(backend: "none" | "host", job: SandboxJob): Promise<SandboxOutcome> {
  const root = canonicalPath(await mkdtemp(join(tmpdir(), "skillet-run-")));
  let ended: Omit<SandboxOutcome, "report">;
  try {
    ended = await start(job, root);
  } catch (error) {
    await removeScratch(root);
    throw error;
  }
  const report = reportUnconfined(backend);
  const left = await removeScratch(root);
  return { ...ended, report: { ...report, weaknesses: [...report.weaknesses, ...left] } };
}

async function start(job: SandboxJob, root: string): Promise<Omit<SandboxOutcome, "report">> {
  const folders = {
    home: join(root, "home"),
    temporary: join(root, "tmp"),
    empty: join(root, "workspace"),
  };
  for (const folder of Object.values(folders)) await mkdir(folder, { mode: 0o700 });
  const { directory } = job.skill;
  const cwd = job.cwd === "skill" ? directory : (job.workspace ?? folders.empty);
  const argv = [job.interpreter.path, ...job.flags, join(directory, job.script), ...job.args];
  const limitMark = findPrlimit() === undefined ? undefined : createLimitMark();
  const result = await runProcess({
    argv: withLimits(argv, job, limitMark),
    environment: {
      ...job.environment,
      PATH: searchPath(job.interpreter.path),
      HOME: folders.home,
      TMPDIR: folders.temporary,
      LANG: "C.UTF-8",
      SKILL_DIR: directory,
      // Read-only means nothing to root, and a cache in the staged copy would make it another one.
      PYTHONDONTWRITEBYTECODE: "1",
    },
    cwd,
    deadlineMs: job.limits.timeoutMs,
    maxOutputBytes: job.limits.outputBytes,
    ...(limitMark !== undefined && { limitMark }),
    ...(job.stdin && { stdin: job.stdin }),
    ...(job.signal && { signal: job.signal }),
    ...(job.onOutput && { onOutput: job.onOutput }),
  });
  const limit = limitBehind(result);
  return { result, argv, cwd, ...(limit && { limit }) };
}

// Not the number of processes: the system counts all of the user's, not only the script's.
function withLimits(
  argv: readonly string[],
  { limits }: SandboxJob,
  mark: LimitMark | undefined,
): [string, ...string[]] {
  const prlimit = findPrlimit();
  const [program = "", ...args] = argv;
  if (prlimit === undefined) return [program, ...args];
  const limited = prlimitArguments(limits).filter((argument) => !argument.startsWith("--nproc="));
  const marked = mark === undefined ? [] : [`--rttime=${mark}:${mark}`];
  return [prlimit, ...limited, ...marked, "--", program, ...args];
}

function findPrlimit(): string | undefined {
  return PRLIMIT.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch (error) {
      if (["ENOENT", "EACCES", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
      throw error;
    }
  });
}

// Scripts call `node` or `python3` themselves, and mean the one that runs them.
function searchPath(interpreter: string): string {
  const folder = dirname(interpreter);
  return SYSTEM_PATH.split(":").includes(folder) ? SYSTEM_PATH : `${folder}:${SYSTEM_PATH}`;
}

function limitBehind({ signal }: ProcessResult): SandboxOutcome["limit"] {
  if (signal === "SIGXCPU") return "cpu";
  return signal === "SIGXFSZ" ? "file-size" : undefined;
}
