import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import type { Duplex, Readable, Writable } from "node:stream";
import { inheritedDescriptors } from "./inherited-descriptors.ts";
import { MARK_NAME } from "./process-mark.ts";
import type { ProcessRequest } from "./process-request.ts";
import { openInputFile, openStandardPipes, type StandardPipes } from "./standard-pipes.ts";

const MAKE_PIPES = "/usr/bin/mkfifo";
const MAKE_PIPES_DEADLINE_MS = 10_000;

/** A process that was started, and our ends of its streams. */
export interface SpawnedChild {
  /** Without a number when it could not be started; then it emits `error`. */
  readonly process: ChildProcess;
  /** Null when its input is all there already. */
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** In the order of the request. */
  readonly descriptors: readonly Duplex[];
}

/** Starts a program as the leader of its own session, with the request's descriptors and environment alone. */
export function spawnChild(request: ProcessRequest, mark: string): SpawnedChild {
  const owner = request.streamsOwner ?? request.user;
  const pipes = pipesFor(owner);
  let input: number | "pipe" = "pipe";
  try {
    input = inputFor(request, owner);
    const child = spawnWith(request, mark, { ...pipes?.descriptors, stdin: input });
    const { stdout, stderr } = pipes ?? child;
    return {
      process: child,
      stdin: child.stdin,
      stdout,
      stderr,
      descriptors: ownDescriptors(child, request),
    };
  } catch (error) {
    for (const stream of [pipes?.stdout, pipes?.stderr]) stream?.destroy();
    throw error;
  } finally {
    for (const descriptor of Object.values(pipes?.descriptors ?? {})) closeSync(descriptor);
    if (typeof input === "number") closeSync(input);
  }
}

type Owner = ProcessRequest["user"];

function pipesFor(owner: Owner): StandardPipes | undefined {
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

function inputFor({ stdin }: ProcessRequest, owner: Owner): number | "pipe" {
  if (stdin === undefined) return openSync("/dev/null", constants.O_RDONLY);
  return openInputFile(stdin, owner) ?? "pipe";
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
      env: exactEnvironment(request.environment, mark),
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

function exactEnvironment(environment: Readonly<Record<string, string>>, mark: string): NodeJS.ProcessEnv {
  return Object.assign(Object.create(null), {
    // Node adds its own value of this one to every child unless the key is there.
    NODE_V8_COVERAGE: undefined,
    ...environment,
    [MARK_NAME]: mark,
  });
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
    // Above 2 this leaves the number as it is.
    while (table.length < descriptor) table.push("ignore");
    table[descriptor] = nothing;
  }
  return table;
}

function ownDescriptors(child: ChildProcess, request: ProcessRequest): Duplex[] {
  // Node declares these as one-way streams, but makes them two-way sockets.
  // Where descriptors ran out there is no list at all; the error comes as an event, which is waited for.
  return (child.stdio ?? []).slice(3, 3 + (request.descriptors?.length ?? 0)) as unknown as Duplex[];
}
