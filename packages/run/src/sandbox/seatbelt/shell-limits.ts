import type { RunLimits } from "../../run-limits.ts";

const POSIX_BLOCK_BYTES = 512;

/** A program for a shell that sets limits and becomes what follows; macOS has no prlimit. */
export function shellLimits(limits: RunLimits): string {
  return [
    "ulimit -c 0",
    `ulimit -t ${limits.cpuSeconds}`,
    `ulimit -n ${limits.openFiles}`,
    `ulimit -f ${Math.floor(limits.fileBytes / POSIX_BLOCK_BYTES)}`,
    'exec "$@"',
  ].join(" && ");
}
