import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, constants, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import type { Duplex, Readable, Writable } from "node:stream";
import { errorCode, SkilletError, undefinedOn } from "../errors.ts";
import type { ProcessRequest } from "./process-request.ts";
import { MARK_NAME } from "./process-tree.ts";
import { openInputFile, openStandardPipes, type StandardPipes } from "./standard-pipes.ts";

const MAKE_PIPES = "/usr/bin/mkfifo";
const MAKE_PIPES_DEADLINE_MS = 10_000;

export interface SpawnedChild {
  /** Has no process id if it could not be started; then it emits `error`. */
  readonly process: ChildProcess;
  /** Null if all its input is already there. */
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly descriptors: readonly Duplex[];
}

export function spawnChild(request: ProcessRequest, mark: string): SpawnedChild {
  const owner = request.streamsOwner ?? request.user;
  const pipes = pipesFor(owner);
  let input: number | "pipe" = "pipe";
  try {
    input =
      request.stdin === undefined
        ? openSync("/dev/null", constants.O_RDONLY)
        : (openInputFile(request.stdin, owner) ?? "pipe");
    const child = spawnWith(request, mark, { ...pipes?.descriptors, stdin: input });
    const { stdout, stderr } = pipes ?? child;
    // Node declares these as one-way streams, but makes them two-way sockets.
    // If descriptors run out, `stdio` is missing; the error comes as an event, which is awaited.
    const own = (child.stdio ?? []).slice(3, 3 + (request.descriptors?.length ?? 0)) as unknown as Duplex[];
    return { process: child, stdin: child.stdin, stdout, stderr, descriptors: own };
  } catch (error) {
    for (const stream of [pipes?.stdout, pipes?.stderr]) stream?.destroy();
    throw error;
  } finally {
    for (const descriptor of Object.values(pipes?.descriptors ?? {})) closeSync(descriptor);
    if (typeof input === "number") closeSync(input);
  }
}

function pipesFor(owner: ProcessRequest["user"]): StandardPipes | undefined {
  // Elsewhere /dev/stdout duplicates the descriptor, whatever it is.
  if (process.platform !== "linux") return undefined;
  return openStandardPipes({
    owner,
    make: (paths) => {
      const options = { env: {}, stdio: "ignore", timeout: MAKE_PIPES_DEADLINE_MS } as const;
      const made = spawnSync(MAKE_PIPES, ["-m", "600", "--", ...paths], options);
      return made.status === 0 ? "made" : "unsupported";
    },
  });
}

interface Streams {
  readonly stdin: number | "pipe";
  readonly stdout?: number | "pipe";
  readonly stderr?: number | "pipe";
}

function spawnWith(request: ProcessRequest, mark: string, streams: Streams): ChildProcess {
  const [program, ...args] = request.argv;
  const nothing = openSync("/dev/null", constants.O_RDWR);
  try {
    return spawn(program, args, {
      cwd: request.cwd,
      env: Object.assign(Object.create(null), {
        // Node adds its own value of this variable to every child unless the key is there.
        NODE_V8_COVERAGE: undefined,
        ...request.environment,
        [MARK_NAME]: mark,
      }),
      stdio: descriptorTable(request, streams, nothing),
      // Its own session and group, which can be ended as one.
      detached: true,
      shell: false,
      ...(request.user === undefined ? {} : { uid: request.user.uid, gid: request.user.gid }),
    });
  } finally {
    closeSync(nothing);
  }
}

function descriptorTable(
  request: ProcessRequest,
  { stdin, stdout = "pipe", stderr = "pipe" }: Streams,
  nothing: number,
): ("pipe" | "ignore" | number)[] {
  const table: ("pipe" | "ignore" | number)[] = [stdin, stdout, stderr];
  for (const _ of request.descriptors ?? []) table.push("pipe");
  const given = table.length;
  for (const descriptor of inheritedDescriptors()) {
    if (descriptor < given) continue;
    // Above 2, "ignore" leaves the descriptor unchanged.
    while (table.length < descriptor) table.push("ignore");
    table[descriptor] = nothing;
  }
  return table;
}

const CLOSE_ON_EXEC = 0o2000000;
// Each number below the highest costs a slot; numbers this high are never an accident.
const MAX_DESCRIPTOR = 10_000;

/**
 * Descriptors above 2 that a child would inherit unintentionally. Node closes those that it opened itself,
 * but of those that its own parent left open it finds only the low numbers.
 */
function inheritedDescriptors(): number[] {
  // Elsewhere libuv has the kernel close everything that was not named.
  if (process.platform !== "linux") return [];
  const leaking = readdirSync("/proc/self/fd")
    .map(Number)
    .filter((descriptor) => descriptor > 2 && !closesOnExec(descriptor));
  const highest = Math.max(2, ...leaking);
  if (highest <= MAX_DESCRIPTOR) return leaking;
  const message = `Descriptor ${highest} was left open by the parent process and would reach the program; start this process without it.`;
  throw new SkilletError("process-start-failed", message);
}

function closesOnExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch (error) {
    // The descriptor through which the folder was listed is closed by now.
    return undefinedOn("ENOENT")(error) ?? true;
  }
}

export function startError({ argv: [program], cwd }: ProcessRequest, cause: unknown): SkilletError {
  const error = (code: string, message: string): SkilletError => new SkilletError(code, message, { cause });
  // The kernel reports a bad working directory in the same words as a bad program.
  if (!isDirectory(cwd))
    return error("process-cwd-invalid", `There is no folder ${cwd} to work in; make it, or pass another.`);
  const errno = String(errorCode(cause));
  const missing = `${program} was not found, or the interpreter that its first line names; install it.`;
  if (errno === "ENOENT") return error("process-not-found", missing);
  const refused = `${program} cannot be executed here; check what it is and its permissions, and those of ${cwd}.`;
  if (["EACCES", "ENOEXEC", "ENOTDIR"].includes(errno)) return error("process-not-executable", refused);
  const long = `The arguments and the environment of ${program} are too long together; pass long text on standard input.`;
  if (errno === "E2BIG") return error("process-request-invalid", long);
  const full = `No further process can be started (${errno}); wait for others to finish, or raise the limits.`;
  if (["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"].includes(errno)) return error("process-start-failed", full);
  const why = errno === "EPERM" ? "as another user; only root can do that" : `(${errno})`;
  return error("process-start-failed", `${program} could not be started ${why}.`);
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (errorCode(error) !== undefined) return false;
    throw error;
  }
}
