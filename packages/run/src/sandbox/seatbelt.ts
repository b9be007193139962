import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxReport, ScriptOutcome } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { OBEYED_PATHS } from "@skillet/kit/files";
import { runProcess } from "@skillet/kit/process";
import { isProgram } from "@skillet/kit/program";
import type { RunLimits } from "../run-limits.ts";
import { homeEntries } from "./bubblewrap/plan-mounts.ts";
import { checkGiven, homesSeenIn, secretPaths, userHomes, words } from "./folder-refusal.ts";
import {
  type EndedProcess,
  localSandbox,
  processOptions,
  scriptVariables,
  startFolder,
  withScratch,
} from "./local-sandbox.ts";
import { probeSandbox } from "./probe-sandbox.ts";
import type { Sandbox, SandboxJob } from "./sandbox.ts";

const PROGRAM = "/usr/bin/sandbox-exec";

const REPORT: SandboxReport = {
  backend: "seatbelt",
  strength: "reduced",
  weaknesses: [
    "macOS has no process namespace: other processes of the user can be seen.",
    "macOS does not limit memory, the number of processes or what they write together: only time, the size of a file and open files are bounded.",
    "Processes that leave the script's session survive it and its deadline: macOS ends only the process group.",
  ],
  memoryLimit: "none",
};

/**
 * The sandbox of macOS, by `sandbox-exec`. Its profile is tested as text but has not been run on a Mac, so
 * rely on its probe: scripts are refused unless the probe proves a denied write and a denied connection.
 *
 * @example
 * const runner = createRunner({ sandbox: seatbelt(), allow: ["pdf-forms:scripts/fill.py"] });
 */
export function seatbelt(): Sandbox {
  return localSandbox("seatbelt", runInSeatbelt, async (sandbox, distrusted) =>
    process.platform === "darwin"
      ? probeSandbox(sandbox, distrusted)
      : { ok: false, reason: "seatbelt is the sandbox of macOS" },
  );
}

async function runInSeatbelt(job: SandboxJob): Promise<ScriptOutcome> {
  checkJob(job);
  return withScratch(REPORT, (scratch) => start(job, scratch));
}

async function start(job: SandboxJob, scratch: string): Promise<EndedProcess> {
  const home = join(scratch, "home");
  await mkdir(home, { mode: 0o700 });
  const homes = userHomes();
  const seen = visibleFolders(job).flatMap((folder) => homesSeenIn(folder, homes));
  const hidden = (await Promise.all([...new Set(seen)].map(homeEntries))).flat();
  const profile = seatbeltProfile(job, { scratch, homes, hidden });
  const { directory } = job.skill;
  const argv = [job.interpreter.path, ...job.flags, join(directory, job.script), ...job.args];
  const cwd = startFolder(job, { skill: directory, empty: scratch });
  const result = await runProcess({
    argv: ["/bin/sh", "-c", shellLimits(job.limits), "sh", PROGRAM, "-p", profile, ...argv],
    environment: scriptVariables(job, { home, temporary: scratch, skill: directory }),
    cwd,
    ...processOptions(job),
  });
  return { result, argv, cwd };
}

function checkJob(job: SandboxJob): void {
  const refuse = (reason: string): never => {
    throw new SkilletError("sandbox-unavailable", reason);
  };
  if (process.platform !== "darwin" || !isProgram(PROGRAM))
    refuse("seatbelt is the sandbox of macOS; use bubblewrap on Linux.");
  if (job.network.length > 0)
    refuse("seatbelt has no network grants: run the script without them, or on Linux.");
  const homes = userHomes();
  for (const folder of visibleFolders(job))
    checkGiven(folder, { isWritable: job.writable.includes(folder), homes });
}

interface SeatbeltPlaces {
  readonly scratch: string;
  readonly homes: readonly string[];
  /** Further private entries of the homes that the job sees: those that begin with a dot. */
  readonly hidden: readonly string[];
}

// Public settings, and what a process needs to start at all; nothing that belongs to a user.
const READABLE_SYSTEM = words(`
  /usr /bin /sbin /System /Library/Apple /Library/Developer/CommandLineTools
  /private/etc/ssl /private/etc/localtime /private/etc/protocols /private/etc/services
  /private/var/db/dyld /private/var/db/timezone /dev/null /dev/zero /dev/random /dev/urandom`);
// Contains keychains, cookies, mail and messages.
const PRIVATE_OF_A_HOME = "Library";
const WRITABLE_DEVICES = ["/dev/null", "/dev/zero"];

/** Later rules override earlier ones. Checked only as text: it has not been run on a Mac. */
export function seatbeltProfile(job: SandboxJob, places: SeatbeltPlaces): string {
  const home = job.interpreter.home === undefined ? [] : [job.interpreter.home];
  const visible = visibleFolders(job);
  const readable = [job.skill.directory, places.scratch, ...home, ...visible];
  const guarded = job.writable.flatMap((folder) => OBEYED_PATHS.map((name) => `${folder}/${name}`));
  const libraries = visible.flatMap((folder) =>
    homesSeenIn(folder, places.homes).map((one) => `${one}/${PRIVATE_OF_A_HOME}`),
  );
  const secrets = visible.flatMap((folder) => secretPaths(folder, places.homes));
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow file-read-metadata)",
    '(allow file-read* (literal "/"))',
    rule("allow file-read*", [...READABLE_SYSTEM, ...readable]),
    rule("allow process-exec*", [...READABLE_SYSTEM, ...readable]),
    rule("allow file-write*", [...WRITABLE_DEVICES, places.scratch, ...job.writable]),
    rule("deny file-write*", [...guarded, ...job.protect, job.skill.directory, ...home]),
    rule("deny file-read* file-write*", [...secrets, ...libraries, ...places.hidden]),
    // If a home is the workspace, the paths of both begin with a dot and are hidden above.
    rule("allow file-read*", [job.skill.directory, ...home]),
    "(deny file-write-setugid)",
    "(deny network*)",
    "",
  ]
    .filter((line) => line !== undefined)
    .join("\n");
}

function visibleFolders({ workspace, writable }: SandboxJob): readonly string[] {
  return [...new Set([...(workspace === undefined ? [] : [workspace]), ...writable])];
}

function rule(what: string, paths: readonly string[]): string | undefined {
  const filters = [...new Set(paths)].map((path) => `  (subpath ${quoteProfileString(path)})`);
  return filters.length === 0 ? undefined : `(${what}\n${filters.join("\n")})`;
}

/** Quotes a string of the profile language, so that no path can end the string and begin a rule. */
export function quoteProfileString(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

const POSIX_BLOCK_BYTES = 512;

/** A shell program that sets limits and then executes its arguments; macOS has no prlimit. */
export function shellLimits(limits: RunLimits): string {
  return [
    "ulimit -c 0",
    `ulimit -t ${limits.cpuSeconds}`,
    `ulimit -n ${limits.openFiles}`,
    `ulimit -f ${Math.floor(limits.fileBytes / POSIX_BLOCK_BYTES)}`,
    'exec "$@"',
  ].join(" && ");
}
