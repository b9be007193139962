import type { Stats } from "node:fs";
import { readInto, withRegularFile } from "@skillet/kit/files";
import { MAX_SKILL_BYTES } from "../../format/format-limits.ts";

/** The bytes and status of a SKILL.md; the bytes are valid until the next call. */
export interface SkillFileBytes {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

// One buffer for all reads of a scan: allocating per file costs as much as the read.
let shared: Buffer | undefined;

/** Reads a SKILL.md whole, or only its status when it is larger than `MAX_SKILL_BYTES`. */
export function readSkillFile(absolute: string): SkillFileBytes {
  shared ??= Buffer.allocUnsafeSlow(MAX_SKILL_BYTES);
  const buffer = shared;
  return withRegularFile(absolute, ({ descriptor, stats }) => {
    if (stats.size > MAX_SKILL_BYTES) return { bytes: buffer.subarray(0, 0), stats };
    const length = readInto(descriptor, buffer, stats.size);
    return { bytes: buffer.subarray(0, length), stats };
  });
}
