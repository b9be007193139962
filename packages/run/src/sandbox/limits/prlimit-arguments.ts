import type { RunLimits } from "../../run-limits.ts";

// The soft limit sends SIGXCPU, which tells why; whoever ignores it is ended this much later.
const CPU_GRACE_SECONDS = 1;
const LOCKED_BYTES = 64 * 1024;
// bubblewrap's own first process in the namespace.
const REAPER = 1;

/** Arguments for prlimit that hold every process which comes after it. */
export function prlimitArguments(limits: RunLimits): string[] {
  const processes = limits.processes + REAPER;
  return [
    // RLIMIT_AS breaks V8, which reserves far more address space than it uses.
    `--data=${limits.memoryBytes}:${limits.memoryBytes}`,
    `--nproc=${processes}:${processes}`,
    `--fsize=${limits.fileBytes}:${limits.fileBytes}`,
    `--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + CPU_GRACE_SECONDS}`,
    `--nofile=${limits.openFiles}:${limits.openFiles}`,
    // The kernel hands a core to a program of root's whatever the limit is, save this one; and to a file it is none.
    "--core=1:1",
    // Memory that cannot be moved to a disk, and of which a script needs none.
    `--memlock=${LOCKED_BYTES}:${LOCKED_BYTES}`,
  ];
}
