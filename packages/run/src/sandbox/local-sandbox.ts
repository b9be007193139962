import { statSync } from "node:fs";
import { mkdtemp, realpath } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SandboxReport, ScriptOutcome } from "@skillet/core";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside, removeTree } from "@skillet/kit/files";
import { present } from "@skillet/kit/json";
import { OutputCapture, type ProcessRequest, type ProcessResult } from "@skillet/kit/process";
import { showOutput } from "../output/watch-output.ts";
import { findLocalInterpreter } from "../runtime/find-local-interpreter.ts";
import { folderRefused } from "./folder-refusal.ts";
import { nodeVersion } from "./probe-sandbox.ts";
import type { Sandbox, SandboxJob } from "./sandbox.ts";

export function localSandbox(
  name: string,
  run: Sandbox["run"],
  probe: (sandbox: Sandbox, distrusted: readonly string[] | undefined) => ReturnType<Sandbox["probe"]>,
): Sandbox {
  const sandbox: Sandbox = {
    name,
    probe: (distrusted) => probe(sandbox, distrusted),
    findInterpreter: async (interpreter, distrusted) => findLocalInterpreter(interpreter, distrusted),
    nodeVersion: (node) => nodeVersion(sandbox, node),
    run,
  };
  return sandbox;
}

export function processOptions(
  job: SandboxJob,
): Pick<ProcessRequest, "deadlineMs" | "maxOutputBytes" | "stdin" | "signal" | "onOutput"> {
  const { limits, stdin, signal, onOutput } = job;
  return {
    deadlineMs: limits.timeoutMs,
    maxOutputBytes: limits.outputBytes,
    ...present({ stdin, signal, onOutput }),
  };
}

const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
// They make a shell or the loader run code before the limits are set and the mounts are checked.
const RUNS_CODE =
  /^(?:LD_.*|GCONV_PATH|GLIBC_TUNABLES|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|NODE_OPTIONS|BASH_FUNC_.*)$/;

/** The variables that a script gets in every sandbox; it gets no others from the host. */
export function scriptVariables(
  { interpreter, environment }: SandboxJob,
  places: { readonly home: string; readonly temporary: string; readonly skill: string },
): Record<string, string> {
  for (const name of Object.keys(environment))
    if (!NAME.test(name) || RUNS_CODE.test(name)) {
      const message = `A script cannot be given the variable ${JSON.stringify(name)}: it is not a valid name, or it changes how programs start. Declare another.`;
      throw new SkilletError("sandbox-argument-invalid", message, { data: { name } });
    }
  return {
    ...environment,
    // Scripts that call `node` or `python3` themselves mean the one that runs them.
    PATH: interpreter.home === undefined ? SYSTEM_PATH : `${dirname(interpreter.path)}:${SYSTEM_PATH}`,
    HOME: places.home,
    TMPDIR: places.temporary,
    LANG: "C.UTF-8",
    SKILL_DIR: places.skill,
  };
}

/**
 * The folder a script starts in. Since the session's check, a script or a user may have put a link there.
 *
 * @param places The skill as this sandbox shows it, and the folder used if there is no workspace.
 */
export function startFolder(
  { cwd, folder, workspace }: SandboxJob,
  places: { readonly skill: string; readonly empty: string },
): string {
  if (cwd === "skill") return places.skill;
  if (folder === undefined) return workspace ?? places.empty;
  if (workspace === undefined) throw folderRefused(folder, "there is no workspace");
  const place = canonicalPath(join(workspace, folder));
  if (!isInside(place, workspace)) throw folderRefused(folder, "it leads out of the workspace");
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw folderRefused(folder, "it is not a folder of the workspace");
  return place;
}

export interface EndedProcess extends Pick<ScriptOutcome, "argv" | "cwd"> {
  readonly result: ProcessResult;
  readonly limit?: ScriptOutcome["limit"] | undefined;
}

const MAX_SEEN_BYTES = 64 * 1024 * 1024;

/** Passes on the output of a remote script, and keeps what fits; calls `onTooMuch` at MAX_SEEN_BYTES. */
export function collectOutput(
  { limits, onOutput }: Pick<SandboxJob, "limits" | "onOutput">,
  onTooMuch: () => void,
): {
  readonly seenBytes: { readonly stdout: number; readonly stderr: number };
  readonly take: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
  finish(ending: Pick<ProcessResult, "ending" | "exitCode" | "signal">, durationMs: number): ProcessResult;
} {
  const create = (): OutputCapture => new OutputCapture(limits.outputBytes);
  const captured = { stdout: create(), stderr: create() };
  const seenBytes = { stdout: 0, stderr: 0 };
  return {
    seenBytes,
    take: (stream, bytes) => {
      const taken = bytes.subarray(0, MAX_SEEN_BYTES - seenBytes[stream]);
      seenBytes[stream] += taken.length;
      captured[stream].add(taken);
      if (taken.length > 0) onOutput?.(stream, taken);
      if (taken.length < bytes.length) onTooMuch();
    },
    finish: (ending, durationMs) => {
      const [stdout, stderr] = [captured.stdout.finish(), captured.stderr.finish()];
      return { ...ending, stdout, stderr, collected: new Map(), durationMs };
    },
  };
}

const STATUS = {
  exit: "executed",
  deadline: "timed-out",
  cancelled: "cancelled",
  "output-limit": "executed",
} as const satisfies Record<ProcessResult["ending"], ScriptOutcome["status"]>;

export function outcomeOf(
  { result, argv, cwd, limit: named }: EndedProcess,
  sandbox: SandboxReport,
  diagnostics: ScriptOutcome["diagnostics"] = [],
): ScriptOutcome {
  const { signal, stdout, stderr } = result;
  const limit = result.ending === "output-limit" ? "output" : named;
  const status = STATUS[result.ending];
  // The exit code a shell would give, so that an executed script always has one.
  const killed = status === "executed" && signal !== undefined ? 128 + constants.signals[signal] : undefined;
  const exitCode = result.exitCode ?? killed;
  return present<ScriptOutcome>({
    status,
    exitCode,
    signal,
    stdout: showOutput(stdout),
    stderr: showOutput(stderr),
    truncated: { stdout: stdout.omittedBytes > 0, stderr: stderr.omittedBytes > 0 },
    sandbox,
    durationMs: result.durationMs,
    argv,
    cwd,
    limit,
    diagnostics,
  });
}

// Bubblewrap, shells and a container's first process exit with 128 plus the signal number: SIGXCPU, SIGXFSZ.
const LIMITS: ReadonlyMap<number, "cpu" | "file-size"> = new Map([
  [128 + 24, "cpu"],
  [128 + 25, "file-size"],
]);

export function limitOf({ exitCode }: Pick<ProcessResult, "exitCode">): ScriptOutcome["limit"] {
  return exitCode === undefined ? undefined : LIMITS.get(exitCode);
}

export async function withScratch(
  { weaknesses, ...report }: SandboxReport,
  run: (folder: string) => Promise<EndedProcess>,
): Promise<ScriptOutcome> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "skillet-run-")));
  let ended: EndedProcess;
  try {
    ended = await run(folder);
  } catch (error) {
    await removeScratch(folder);
    throw error;
  }
  return outcomeOf(ended, { ...report, weaknesses: [...weaknesses, ...(await removeScratch(folder))] });
}

/** Reports a folder that remains as a weakness, so that the script's outcome, known by then, is not lost. */
export async function removeScratch(folder: string): Promise<readonly string[]> {
  try {
    await removeTree(folder);
    return [];
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [`Its private folder ${folder} could not be removed (${errorCode(error)}); remove it by hand.`];
  }
}
