import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SandboxReport } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { runProcess } from "@skillet/kit/process";
import { findLocalInterpreter } from "../../runtime/find-local-interpreter.ts";
import { nodeVersion } from "../../runtime/node-version.ts";
import { homeEntries } from "../bubblewrap/home-entries.ts";
import { canStart } from "../find-program.ts";
import { folderRefusal, folderRefused, homeRefusal } from "../folder-refusal.ts";
import { probeSandbox } from "../probe-sandbox.ts";
import { removeScratch } from "../remove-scratch.ts";
import type { Sandbox, SandboxJob, SandboxOutcome } from "../sandbox.ts";
import { homesSeenIn } from "../sensitive-paths.ts";
import { userHomes } from "../user-homes.ts";
import { seatbeltProfile, visibleFolders } from "./seatbelt-profile.ts";
import { shellLimits } from "./shell-limits.ts";

const PROGRAM = "/usr/bin/sandbox-exec";
const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

const REPORT: SandboxReport = {
  backend: "seatbelt",
  strength: "reduced",
  weaknesses: [
    "macOS has no process namespace: other processes of the user can be seen.",
    "macOS does not limit memory, the number of processes or what they write together: only time, the size of a file and open files are bounded.",
    "What leaves its session is not ended with the script, nor at its deadline: macOS ends a process group, and no more.",
  ],
  memoryLimit: "none",
};

/**
 * The sandbox of macOS, by `sandbox-exec`. Its profile is generated and tested as text; it has not been run on a Mac, so
 * rely on its probe: where that does not prove a denied write and a denied connection, scripts are refused.
 *
 * @example
 * const runner = createRunner({ sandbox: seatbelt(), allow: ["pdf-forms:scripts/fill.py"] });
 */
export function seatbelt(): Sandbox {
  const sandbox: Sandbox = {
    name: "seatbelt",
    probe: async (distrusted) => {
      if (process.platform !== "darwin") return { ok: false, reason: "seatbelt is the sandbox of macOS" };
      return probeSandbox(sandbox, distrusted);
    },
    findInterpreter: async (name, distrusted) => findLocalInterpreter(name, distrusted),
    nodeVersion: (node) => nodeVersion(sandbox, node),
    run: runInSeatbelt,
  };
  return sandbox;
}

async function runInSeatbelt(job: SandboxJob): Promise<SandboxOutcome> {
  await checkJob(job);
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "skillet-run-")));
  let ended: Omit<SandboxOutcome, "report">;
  try {
    ended = await start(job, scratch);
  } catch (error) {
    await removeScratch(scratch);
    throw error;
  }
  const left = await removeScratch(scratch);
  return { ...ended, report: { ...REPORT, weaknesses: [...REPORT.weaknesses, ...left] } };
}

async function start(job: SandboxJob, scratch: string): Promise<Omit<SandboxOutcome, "report">> {
  const home = join(scratch, "home");
  await mkdir(home, { mode: 0o700 });
  const homes = userHomes();
  const seen = visibleFolders(job).flatMap((folder) => homesSeenIn(folder, homes));
  const hidden = (await Promise.all([...new Set(seen)].map(homeEntries))).flat();
  const profile = seatbeltProfile(job, { scratch, homes, hidden });
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
  return { result, argv, cwd };
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
  const homes = userHomes();
  for (const folder of visibleFolders(job)) {
    const isWritable = job.writable.includes(folder);
    const reason = folderRefusal(folder) ?? (isWritable ? homeRefusal(folder, homes) : undefined);
    if (reason !== undefined) throw folderRefused(folder, reason);
  }
}
