import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";
import type { ProcessRequest, ProcessResult } from "../process-request.ts";
import { runProcess } from "../run-process.ts";

export function shell(script: string, changes: Partial<ProcessRequest> = {}): Promise<ProcessResult> {
  return runProcess({
    argv: ["/bin/sh", "-c", script],
    environment: { PATH: "/usr/bin:/bin" },
    cwd: tmpdir(),
    deadlineMs: 60_000,
    ...changes,
  });
}

/** The result as text, without what differs from run to run. */
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

/** A command that runs for days and that no other process in the world has. */
export function uniqueSleep(): string {
  sleeps += 1;
  return `sleep ${500_000 + process.pid}.${Date.now()}${sleeps}`;
}

/** The living processes with exactly this command line; a process that waits to be reaped has none. */
export function processesWith(command: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && commandOf(pid) === command);
}

export async function processWith(command: string): Promise<void> {
  while (processesWith(command).length === 0) await setTimeout(2);
}

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
