import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { lstatSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { type SandboxReport, type ScriptOutcome, SkilletError } from "@skillet/core";
import { readBoundedFile } from "@skillet/kit/files";
import { cutText, quoteShell, showLine } from "@skillet/kit/text";

/** What is used of the AI SDK's sandbox session; Vercel, E2B, Daytona, Cloudflare and just-bash have it. */
export interface SandboxSession {
  readonly description: string;
  readTextFile(options: { path: string }): PromiseLike<string | null>;
  writeBinaryFile(file: { path: string; content: Uint8Array; abortSignal?: AbortSignal }): PromiseLike<void>;
  run(options: { command: string }): PromiseLike<{ exitCode: number; stdout: string }>;
  spawn(options: {
    command: string;
    workingDirectory?: string;
    env?: Record<string, string>;
    stdin?: boolean;
  }): PromiseLike<SandboxProcess>;
}

interface SandboxProcess {
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly stdin?: WritableStream<Uint8Array>;
  wait(): PromiseLike<{ exitCode: number }>;
  kill(): PromiseLike<void>;
}

/** Where scripts are put and run in such a sandbox. */
export interface SandboxOptions {
  /** The project's folder there; default: the session's own base directory. */
  readonly workspace?: string | undefined;
  /** Where skills are put during a run; default: `/tmp`. */
  readonly directory?: string | undefined;
}

/** One run of a script, as requested by `createRunner` of `@skillet/run`. */
interface Job {
  readonly skill: { readonly directory: string };
  readonly interpreter: { readonly path: string };
  readonly flags: readonly string[];
  readonly script: string;
  readonly args: readonly string[];
  readonly cwd: "workspace" | "skill";
  readonly folder?: string;
  readonly writable: readonly string[];
  readonly network: readonly unknown[];
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: { readonly timeoutMs: number; readonly outputBytes: number };
  readonly stdin?: Uint8Array;
  readonly signal?: AbortSignal;
  readonly onOutput?: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
}

/** A sandbox for `createRunner` of `@skillet/run`. */
export interface AiSdkSandbox {
  readonly name: string;
  probe(): Promise<
    { readonly ok: true; readonly report: SandboxReport } | { readonly ok: false; readonly reason: string }
  >;
  findInterpreter(name: string): Promise<{ readonly name: string; readonly path: string } | undefined>;
  run(job: Job): Promise<ScriptOutcome>;
}

/**
 * Runs scripts in a sandbox session of the AI SDK: verified files are sent for each run and removed after it.
 *
 * The vendor decides how well it confines scripts; the only check is that it does not read this machine's
 * files. Grants of folders or of the network are about this machine, so jobs with grants are refused.
 *
 * @example
 * const runner = createRunner({ sandbox: sandboxOf(sandboxSession), allow: ["pdf-forms:scripts/fill.py"] });
 */
export function sandboxOf(session: SandboxSession, options: SandboxOptions = {}): AiSdkSandbox {
  return {
    name: NAME,
    probe: async () =>
      (await readsThisMachine(session))
        ? { ok: false, reason: "this sandbox session reads the files of this machine, and contains nothing" }
        : { ok: true, report: reportOf(session) },
    findInterpreter: async (name) => {
      if (!INTERPRETER_NAME.test(name)) return undefined;
      const { exitCode, stdout } = await session.run({ command: `command -v ${name}` });
      const path = stdout.trim();
      return exitCode === 0 && PLAIN_PATH.test(path) ? { name, path } : undefined;
    },
    run: (job) => runJob(session, options, job),
  };
}

const NAME = "ai-sdk";
const INTERPRETER_NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
const PLAIN_PATH = /^\/[A-Za-z0-9._+/-]{1,1000}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
// These make a shell or the loader run something else first.
const RUNS_CODE = /^(?:LD_.*|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|NODE_OPTIONS|BASH_FUNC_.*)$/;
const MAX_SENT_BYTES = 64 * 1024 * 1024;
const MAX_SEEN_BYTES = 64 * 1024 * 1024;
// Time for a vendor to end a process.
const GRACE_MS = 5_000;
const MAX_PLACE_CHARACTERS = 200;

function reportOf({ description }: SandboxSession): SandboxReport {
  return {
    backend: NAME,
    place: cutText(showLine(description), MAX_PLACE_CHARACTERS),
    strength: "reduced",
    weaknesses: [
      "Its vendor limits files, network, memory and processes, or does not; only that it is not this machine was proved.",
      "Scripts share it with each other and with the agent.",
    ],
    memoryLimit: "none",
  };
}

/** Tries to read a file with an unguessable name and content. */
async function readsThisMachine(session: SandboxSession): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "skillet-probe-"));
  const [path, text] = [join(folder, "probe"), randomUUID()];
  try {
    writeFileSync(path, text);
    return (await session.readTextFile({ path })) === text;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runJob(session: SandboxSession, options: SandboxOptions, job: Job): Promise<ScriptOutcome> {
  checkJob(job);
  const { directory = "/tmp", workspace } = options;
  const place = posix.join(directory, `skillet-${randomUUID()}`);
  const argv = [job.interpreter.path, ...job.flags, posix.join(place, job.script), ...job.args];
  const base = job.cwd === "skill" ? place : workspace;
  const cwd = job.folder === undefined ? base : posix.join(base ?? ".", job.folder);
  const started = performance.now();
  const weaknesses: string[] = [...reportOf(session).weaknesses];
  let end: Ended = { status: "cancelled" };
  try {
    await send(session, job, place);
    end = await runProcess(session, job, {
      command: `exec ${argv.map(quoteShell).join(" ")}`,
      ...(cwd !== undefined && { workingDirectory: cwd }),
      env: { ...job.environment, SKILL_DIR: place },
    });
  } catch (error) {
    // Vendors throw all kinds of errors for an abort.
    if (job.signal?.aborted !== true) throw error;
  } finally {
    // Must not throw: the script's outcome is known by now, and must not be lost.
    const removing = (async () => session.run({ command: `rm -rf ${quoteShell(place)}` }))();
    const { exitCode } = await removing.catch(() => ({ exitCode: 1 }));
    if (exitCode !== 0) weaknesses.push(`The skill's files could not be removed there, from ${place}.`);
  }
  const { isGoingOn, ...rest } = end;
  if (isGoingOn) weaknesses.push("The script could not be ended there, and may still be running.");
  return {
    ...rest,
    sandbox: { ...reportOf(session), weaknesses },
    diagnostics: [],
    argv,
    cwd: cwd ?? ".",
    durationMs: Math.round(performance.now() - started),
    // The runner keeps what `onOutput` got, and redacts its secrets.
    stdout: "",
    stderr: "",
    truncated: { stdout: false, stderr: false },
  };
}

function checkJob({ network, writable, environment }: Job): void {
  const variable = Object.keys(environment).find((name) => !VARIABLE.test(name) || RUNS_CODE.test(name));
  const reason =
    network.length > 0
      ? "the network that it was granted cannot be limited there; leave out the grant"
      : writable.length > 0
        ? "the folders that it was granted are of this machine; leave out the grant"
        : variable && `the variable ${JSON.stringify(variable)} changes how programs start`;
  const message = `The script was not run in the AI SDK's sandbox: ${reason}.`;
  if (reason !== undefined) throw new SkilletError("sandbox-unavailable", message);
}

/** Repeated for each run, because an earlier script may have changed the files there. */
async function send(session: SandboxSession, { skill, signal }: Job, place: string): Promise<void> {
  const programs: string[] = [];
  let room = MAX_SENT_BYTES;
  const files = readdirSync(skill.directory, { recursive: true, encoding: "utf8" }).sort();
  for (const name of files) {
    signal?.throwIfAborted();
    const from = join(skill.directory, name);
    // Links in a staged skill lead only into the skill.
    if (lstatSync(from).isDirectory() || !statSync(from).isFile()) continue;
    const content = readBoundedFile(from, { maxBytes: room });
    if (content === undefined) continue;
    room -= content.length;
    const path = posix.join(place, ...name.split(/[\\/]/));
    await session.writeBinaryFile({ path, content, ...(signal && { abortSignal: signal }) });
    if ((statSync(from).mode & 0o111) !== 0) programs.push(path);
  }
  if (programs.length > 0) await session.run({ command: `chmod +x ${programs.map(quoteShell).join(" ")}` });
}

interface Ended extends Pick<ScriptOutcome, "status" | "exitCode" | "limit"> {
  /** It was told to end, but did not. */
  readonly isGoingOn?: boolean;
}

const ENDED = {
  cancelled: { status: "cancelled" },
  "timed-out": { status: "timed-out" },
  // The way a shell reports a process that was killed.
  output: { status: "executed", exitCode: 137, limit: "output" },
} as const satisfies Record<string, Ended>;
type Stop = keyof typeof ENDED;

async function runProcess(
  session: SandboxSession,
  { limits, stdin, signal, onOutput }: Job,
  command: Parameters<SandboxSession["spawn"]>[0],
): Promise<Ended> {
  // Set up before the process exists: a vendor may take long to start one.
  const stop = new AbortController();
  const stopping = once(stop.signal, "abort").then(() => undefined);
  const cancel = (): void => stop.abort("cancelled" satisfies Stop);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", cancel, { once: true });
  const timer = setTimeout(() => stop.abort("timed-out" satisfies Stop), limits.timeoutMs);
  const read = async (name: "stdout" | "stderr", stream: ReadableStream<Uint8Array>): Promise<void> => {
    let seen = 0;
    for await (const bytes of stream) {
      seen += bytes.length;
      if (seen > MAX_SEEN_BYTES) return stop.abort("output" satisfies Stop);
      onOutput?.(name, bytes);
    }
  };
  const follow = async (child: SandboxProcess): Promise<Ended> => {
    const reading = [read("stdout", child.stdout), read("stderr", child.stderr), feed(child, stdin)];
    const [{ exitCode }] = await Promise.all([child.wait(), ...reading]);
    return { status: "executed", exitCode };
  };
  try {
    const spawning = Promise.resolve(session.spawn({ ...command, ...(stdin && { stdin: true }) }));
    const following = spawning.then(follow);
    const ended = await Promise.race([following, stopping]);
    if (ended !== undefined) return ended;
    const ending = endProcess(spawning, following).catch(() => false);
    const isEnded = await Promise.race([ending, later(GRACE_MS, false)]);
    return { ...ENDED[stop.signal.reason as Stop], isGoingOn: !isEnded };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

async function feed(child: SandboxProcess, stdin: Uint8Array | undefined): Promise<void> {
  const writer = stdin && child.stdin?.getWriter();
  // A script may end without reading all of it.
  if (writer) await Promise.allSettled([writer.write(stdin), writer.close()]);
}

async function endProcess(spawning: Promise<SandboxProcess>, following: Promise<unknown>): Promise<boolean> {
  // If it did not start, it has ended; if it starts late, it is ended then.
  const child = await spawning.catch(() => undefined);
  await child?.kill();
  // Waits for what it wrote until then.
  await following.catch(() => undefined);
  return true;
}
