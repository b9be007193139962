import { closeSync, constants, fchownSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { undefinedOn } from "../errors.ts";
import type { ProcessRequest } from "./process-request.ts";

// Making a pipe costs a process, so pipes are made ahead; a run needs two.
const BATCH_PIPES = 8;
const spare: PipeEnds[] = [];

export interface StandardPipes {
  readonly descriptors: { readonly stdout: number; readonly stderr: number };
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/**
 * Opens real pipes, which Node cannot make: its own are sockets, with which `echo problem > /dev/stderr`
 * fails. Undefined if they cannot be made.
 */
export function openStandardPipes(options: {
  readonly make: MakeNamedPipes;
  /** Who may open them again through `/dev/stdout` and the like; default: this user. */
  readonly owner: ProcessRequest["user"];
}): StandardPipes | undefined {
  if (spare.length < 2) spare.push(...openNamedPipes(BATCH_PIPES, options.make));
  // Never reused: leftovers of one program's tree must not mix with the next one's output.
  const [stdout, stderr] = spare.splice(0, 2);
  if (stdout === undefined || stderr === undefined) return undefined;
  giveTo(options.owner, [stdout, stderr]);
  return {
    descriptors: { stdout: stdout.write, stderr: stderr.write },
    stdout: new Socket({ fd: stdout.read, readable: true, writable: false }),
    stderr: new Socket({ fd: stderr.read, readable: true, writable: false }),
  };
}

function giveTo(owner: ProcessRequest["user"], pipes: readonly PipeEnds[]): void {
  if (owner === undefined) return;
  try {
    for (const { read } of pipes) fchownSync(read, owner.uid, owner.gid);
  } catch (error) {
    for (const descriptor of pipes.flatMap(({ read, write }) => [read, write])) closeSync(descriptor);
    throw error;
  }
}

interface PipeEnds {
  readonly read: number;
  readonly write: number;
}

export type MakeNamedPipes = (paths: readonly string[]) => "made" | "unsupported";

/** Opens pipes at both ends, and leaves nothing of them in the file system; none if they cannot be made. */
function openNamedPipes(count: number, make: MakeNamedPipes): PipeEnds[] {
  const folder = makeFolder();
  if (folder === undefined) return [];
  const opened: number[] = [];
  const open = (path: string, flags: number): number => {
    const descriptor = openSync(path, flags);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const paths = Array.from({ length: count }, (_, index) => join(folder, String(index)));
    if (make(paths) === "unsupported") return [];
    return paths.map((path) => ({
      // The read end first and without blocking, or each end would wait for the other.
      read: open(path, constants.O_RDONLY | constants.O_NONBLOCK),
      write: open(path, constants.O_WRONLY),
    }));
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeFolder(): string | undefined {
  try {
    return mkdtempSync(join(tmpdir(), "skillet-stdio-"));
  } catch (error) {
    return unlessUnwritable(error);
  }
}

/**
 * Opens a file that contains these bytes and no longer has a name; undefined if nothing can be written.
 *
 * A pipe cannot be reopened by `/dev/stdin` after its writer is done: the second reader would wait forever.
 */
export function openInputFile(bytes: Uint8Array, owner: ProcessRequest["user"]): number | undefined {
  const folder = makeFolder();
  if (folder === undefined) return undefined;
  const opened: number[] = [];
  const open = (flags: number): number => {
    const descriptor = openSync(join(folder, "input"), flags, 0o600);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const writer = open(constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
    const reader = open(constants.O_RDONLY);
    // The name is removed before the content is written, because the content may be secret.
    rmSync(folder, { recursive: true });
    if (owner !== undefined) fchownSync(reader, owner.uid, owner.gid);
    for (let done = 0; done < bytes.length; ) done += writeSync(writer, bytes, done);
    closeSync(writer);
    return reader;
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
    return unlessUnwritable(error);
  }
}

// The temporary folder cannot be written to.
const unlessUnwritable = undefinedOn("ENOENT", "ENOTDIR", "EACCES", "EROFS", "ENOSPC", "EDQUOT");
