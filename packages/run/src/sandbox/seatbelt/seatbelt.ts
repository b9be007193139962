import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type SandboxReport, SkilletError } from "@skillet/core";
import { runProcess } from "@skillet/process";
import { findLocalInterpreter } from "../../runtime/find-local-interpreter.ts";
import { canStart } from "../bubblewrap/find-program.ts";
import { userHomes } from "../bubblewrap/user-homes.ts";
import { folderRefusal } from "../folder-refusal.ts";
import { probeSandbox } from "../probe-sandbox.ts";
import type { Sandbox, SandboxJob, SandboxOutcome } from "../sandbox.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";
import { shellLimits } from "./shell-limits.ts";

const PROGRAM = "/usr/bin/sandbox-exec";
const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

const REPORT: SandboxReport = {
  backend: "seatbelt",
  strength: "reduced",
  weaknesses: [
    "macOS has no process namespace: other processes of the user can be seen.",
    "macOS does not limit memory: only time, file size and open files are bounded.",
  ],
  memoryLimit: "none",
};

/**
 * The sandbox of macOS, by `sandbox-exec`. Its profile is generated and tested as text; it has not been run on a Mac, so
 * rely on its probe: where that does not prove a denied write and a denied connection, scripts are refused.
 */
export function seatbelt(): Sandbox {
  const sandbox: Sandbox = {
    name: "seatbelt",
    probe: async () => {
      if (process.platform !== "darwin") return { ok: false, reason: "seatbelt is the sandbox of macOS" };
      return probeSandbox(sandbox);
    },
    findInterpreter: (name) => findLocalInterpreter(name),
    run: runInSeatbelt,
  };
  return sandbox;
}

async function runInSeatbelt(job: SandboxJob): Promise<SandboxOutcome> {
  await checkJob(job);
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "skillet-run-")));
  try {
    const home = join(scratch, "home");
    await mkdir(home, { mode: 0o700 });
    const profile = seatbeltProfile(job, { scratch, homes: userHomes() });
    const { interpreter, skill, limits } = job;
    const argv = [interpreter.path, ...job.flags, join(skill.directory, job.script), ...job.args];
    const cwd = job.cwd === "skill" ? skill.directory : (job.workspace ?? scratch);
    const result = await runProcess({
      argv: ["/bin/sh", "-c", shellLimits(limits), "sh", PROGRAM, "-p", profile, ...argv],
      environment: {
        ...job.environment,
        PATH: interpreter.home === undefined ? SYSTEM_PATH : `${dirname(interpreter.path)}:${SYSTEM_PATH}`,
        HOME: home,
        TMPDIR: scratch,
        LANG: "C.UTF-8",
        SKILL_DIR: skill.directory,
      },
      cwd,
      deadlineMs: limits.timeoutMs,
      maxOutputBytes: limits.outputBytes,
      ...(job.stdin && { stdin: job.stdin }),
      ...(job.signal && { signal: job.signal }),
      ...(job.onOutput && { onOutput: job.onOutput }),
    });
    return { result, report: REPORT, argv, cwd };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function checkJob(job: SandboxJob): Promise<void> {
  if (process.platform !== "darwin" || !(await canStart(PROGRAM)))
    throw new SkilletError(
      "sandbox-unavailable",
      "seatbelt is the sandbox of macOS; use bubblewrap on Linux.",
    );
  if (job.network.length > 0)
    throw new SkilletError(
      "sandbox-unavailable",
      "seatbelt has no network grants: run the script without them, or on Linux.",
    );
  for (const folder of [...(job.workspace === undefined ? [] : [job.workspace]), ...job.writable]) {
    const reason =
      folder === "/Users" || folder === "/private" ? "it belongs to everybody" : folderRefusal(folder);
    if (reason !== undefined)
      throw new SkilletError("sandbox-folder-refused", `A script cannot be given ${folder}: ${reason}.`, {
        data: { folder },
      });
  }
}
