import type { FaultList } from "./fault-list.ts";
import { LARGE_SKILL_BYTES, MAX_SKILL_BYTES } from "./format-limits.ts";

/** Whether a file is small enough to be read; reports large ones. */
export function checkSize(content: string | Uint8Array, faults: FaultList): boolean {
  // A UTF-16 unit has at most three bytes, so most texts need not be measured.
  if (content.length * 3 <= LARGE_SKILL_BYTES) return true;
  const bytes = typeof content === "string" ? Buffer.byteLength(content) : content.length;
  if (bytes > MAX_SKILL_BYTES) {
    faults.add(
      {
        code: "skill-too-large",
        severity: "error",
        message: `The file has ${bytes} bytes; at most ${MAX_SKILL_BYTES} are read.`,
        hint: "Move most of it to files below references/.",
      },
      1,
      1,
    );
    return false;
  }
  if (bytes > LARGE_SKILL_BYTES) {
    faults.add(
      {
        code: "file-large",
        severity: "warning",
        message: `The file has ${bytes} bytes; some clients refuse more than ${LARGE_SKILL_BYTES}.`,
        hint: "Move parts of it to files below references/.",
      },
      1,
      1,
    );
  }
  return true;
}
