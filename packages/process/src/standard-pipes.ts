import { closeSync, fchownSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { type MakeNamedPipes, openNamedPipes, type PipeEnds } from "./named-pipes.ts";

// A pipe costs a process to make it, so they are made ahead; a run needs two.
const BATCH_PIPES = 8;
const spare: PipeEnds[] = [];

/** What a program writes to: the descriptors that it gets, and our ends of them. */
export interface StandardPipes {
  readonly descriptors: { readonly stdout: number; readonly stderr: number };
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/**
 * Opens real pipes, which Node cannot make: its own are sockets, and with those `echo problem > /dev/stderr` fails.
 * Undefined where they cannot be made.
 */
export function openStandardPipes(options: {
  readonly make: MakeNamedPipes;
  /** Who may open them again through `/dev/stdout` and the like; default: this user. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}): StandardPipes | undefined {
  if (spare.length < 2) spare.push(...openNamedPipes(BATCH_PIPES, options.make));
  // Never used again: what is left of one program's tree must not meet the next one's output.
  const [stdout, stderr] = spare.splice(0, 2);
  if (stdout === undefined || stderr === undefined) return undefined;
  giveTo(options.owner, [stdout, stderr]);
  return {
    descriptors: { stdout: stdout.write, stderr: stderr.write },
    stdout: new Socket({ fd: stdout.read, readable: true, writable: false }),
    stderr: new Socket({ fd: stderr.read, readable: true, writable: false }),
  };
}

function giveTo(
  owner: { readonly uid: number; readonly gid: number } | undefined,
  pipes: readonly PipeEnds[],
): void {
  if (owner === undefined) return;
  try {
    for (const { read } of pipes) fchownSync(read, owner.uid, owner.gid);
  } catch (error) {
    for (const descriptor of pipes.flatMap(({ read, write }) => [read, write])) closeSync(descriptor);
    throw error;
  }
}
