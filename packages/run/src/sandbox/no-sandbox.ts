import { statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxReport } from "@skillet/core";
import { createLimitMark, runProcess } from "@skillet/kit/process";
import { isProgram } from "@skillet/kit/program";
import { prlimitArguments } from "./limit-group.ts";
import {
  type EndedProcess,
  localSandbox,
  processOptions,
  scriptVariables,
  startFolder,
  withScratch,
} from "./local-sandbox.ts";
import type { Sandbox, SandboxJob } from "./sandbox.ts";

/**
 * Runs scripts uncontained, with the caller's rights, in a cleared environment; every record says so.
 *
 * @example
 * createRunner({ sandbox: noSandbox(), allow: ["pdf-forms:scripts/fill.py"] });
 */
export function noSandbox(): Sandbox {
  return unconfined("none");
}

/** The same, for scripts that a profile lets run on the host. */
export function hostSandbox(): Sandbox {
  return unconfined("host");
}

function unconfined(backend: "none" | "host"): Sandbox {
  return localSandbox(
    backend,
    (job) => withScratch(reportUnconfined(backend), (scratch) => start(job, scratch)),
    async () => ({ ok: true, report: reportUnconfined(backend) }),
  );
}

const HIDES_ON_PURPOSE =
  "Processes can outlive the script, its deadline and this host: without a namespace, one that hides on purpose is not ended.";
const HIDES =
  "Processes can outlive the script: without a namespace, one that leaves its session and clears its environment is not ended.";

export function reportUnconfined(backend: "none" | "host"): SandboxReport {
  const limited = findPrlimit() !== undefined;
  return {
    backend,
    strength: "none",
    weaknesses: [
      "No sandbox: the script can read, write and reach whatever the user who runs it can.",
      limited && createLimitMark() !== undefined ? HIDES_ON_PURPOSE : HIDES,
      ...(limited ? [] : ["No limits for memory, processor time and file sizes: prlimit is not installed."]),
    ],
    memoryLimit: limited ? "process" : "none",
  };
}

async function start(job: SandboxJob, scratch: string): Promise<EndedProcess> {
  const [home, temporary, empty] = [join(scratch, "home"), join(scratch, "tmp"), join(scratch, "workspace")];
  for (const folder of [home, temporary, empty]) await mkdir(folder, { mode: 0o700 });
  const { directory } = job.skill;
  const cwd = startFolder(job, { skill: directory, empty });
  const argv = [job.interpreter.path, ...job.flags, join(directory, job.script), ...job.args] as const;
  const prlimit = findPrlimit();
  const limitMark = prlimit === undefined ? undefined : createLimitMark();
  const result = await runProcess({
    argv: prlimit === undefined ? argv : [prlimit, ...ownLimits(job, limitMark), "--", ...argv],
    environment: {
      ...scriptVariables(job, { home, temporary, skill: directory }),
      // Read-only modes do not stop root, and a cache written into the staged copy would change it.
      PYTHONDONTWRITEBYTECODE: "1",
    },
    cwd,
    limitMark,
    ...processOptions(job),
  });
  const limits: Partial<Record<NodeJS.Signals, "cpu" | "file-size">> = {
    SIGXCPU: "cpu",
    SIGXFSZ: "file-size",
  };
  return { result, argv, cwd, limit: result.signal && limits[result.signal] };
}

/** Without a namespace the number of processes is not limited: the system counts all of the user's. */
function ownLimits({ limits }: SandboxJob, mark?: string): string[] {
  return prlimitArguments(limits, mark).filter((argument) => !argument.startsWith("--nproc="));
}

export function findPrlimit(): string | undefined {
  const paths = ["/usr/bin/prlimit", "/bin/prlimit"];
  // stat first: it throws on a disk error, which must not pass for "not installed" and lift the limits.
  return paths.find((path) => statSync(path, { throwIfNoEntry: false }) !== undefined && isProgram(path));
}
