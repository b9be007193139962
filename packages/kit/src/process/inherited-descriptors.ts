import { readdirSync, readFileSync } from "node:fs";
import { SkilletError } from "../errors.ts";

const CLOSE_ON_EXEC = 0o2000000;
// Each number below the highest costs a slot; nobody has such numbers without meaning to.
const MAX_DESCRIPTOR = 10_000;

/**
 * Descriptors above 2 that a child would get without being given them. Node closes what it opened itself, but of what
 * its own parent left open it only finds the low numbers.
 */
export function inheritedDescriptors(): number[] {
  // Elsewhere libuv has the kernel close everything that was not named.
  if (process.platform !== "linux") return [];
  const leaking = readdirSync("/proc/self/fd")
    .map(Number)
    .filter((descriptor) => descriptor > 2 && !closesOnExec(descriptor));
  const highest = Math.max(2, ...leaking);
  if (highest <= MAX_DESCRIPTOR) return leaking;
  throw new SkilletError(
    "process-start-failed",
    `Descriptor ${highest} was left open by whoever started this process and would reach the program; start this process without it.`,
  );
}

function closesOnExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch (error) {
    // The one through which the folder was listed is closed by now.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return true;
    throw error;
  }
}
