import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";
import type { ProcessRequest, ProcessResult } from "../process-request.ts";
import { runProcess } from "../run-process.ts";

/** Runs a line of shell, with what a test changes of the request. */
export function shell(script: string, changes: Partial<ProcessRequest> = {}): Promise<ProcessResult> {
  return runProcess({
    argv: ["/bin/sh", "-c", script],
    environment: { PATH: "/usr/bin:/bin" },
    cwd: tmpdir(),
    deadlineMs: 60_000,
    ...changes,
  });
}

/** The result without what differs from run to run, as text. */
export function readable(result: ProcessResult): object {
  const { durationMs: _, stdout, stderr, collected, ...rest } = result;
  const kept = { stdout: textOf(stdout.head), stderr: textOf(stderr.head) };
  return collected.size === 0
    ? { ...rest, ...kept }
    : { ...rest, ...kept, collected: [...collected].map(([number, bytes]) => [number, textOf(bytes)]) };
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

let sleeps = 0;

/** A command that ends after days and that no other process in the world has. */
export function uniqueSleep(): string {
  sleeps += 1;
  return `sleep ${500_000 + process.pid}.${Date.now()}${sleeps}`;
}

/** The living processes with exactly this command line; what has ended and waits to be asked has none. */
export function processesWith(command: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && commandOf(pid) === command);
}

/** Settles when there is such a process. */
export async function processWith(command: string): Promise<void> {
  while (processesWith(command).length === 0) await setTimeout(2);
}

/** Settles when there is none any more. */
export async function noProcessWith(command: string): Promise<void> {
  while (processesWith(command).length > 0) await setTimeout(2);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ").trimEnd();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH"))
      return "";
    throw error;
  }
}
