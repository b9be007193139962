import { isUtf8 } from "node:buffer";
import { countCharacters } from "./count-characters.ts";
import { FaultList } from "./fault-list.ts";
import { LARGE_SKILL_BYTES } from "./format-limits.ts";
import type { Gating } from "./manifest.ts";
import { readManifest } from "./normalise-manifest.ts";
import { findPlainFences } from "./plain-fences.ts";
import { readPlainHeader } from "./read-plain-header.ts";
import { trimBodyBytes } from "./trim-body.ts";

/** What discovery must know of a skill at once; the rest is read from its header when somebody asks. */
export interface SkimmedSkill {
  readonly name: string;
  readonly gating: Gating;
  readonly bodyCharacters: number;
  /** The header with both its fences, which says everything else. */
  readonly headerBytes: number;
  readonly isFaultless: boolean;
}

/**
 * Reads name and requirements of a plain SKILL.md, as `parseSkillBytes` would; undefined for one that is not plain, or
 * whose body or size says something too.
 */
export function skimSkillBytes(
  bytes: Buffer,
  options: { readonly directoryName: string },
): SkimmedSkill | undefined {
  if (bytes.length > LARGE_SKILL_BYTES || !isUtf8(bytes)) return undefined;
  const fences = findPlainFences(bytes);
  if (fences === undefined) return undefined;
  const header = readPlainHeader(bytes.toString("utf8", fences.headerStart, fences.headerEnd));
  if (header === undefined) return undefined;
  const faults = new FaultList("", "lenient", { isCounting: true });
  let needsBody = false;
  const reading = readManifest(header, {
    faults,
    directoryName: options.directoryName,
    describeBody: () => {
      needsBody = true;
      return {};
    },
  });
  if (reading === undefined || needsBody || faults.hasErrors) return undefined;
  const body = trimBodyBytes(bytes, fences.bodyStart);
  return {
    name: reading.name,
    gating: reading.draft.finishGating(),
    bodyCharacters: countCharacters(bytes, body.start, body.end),
    headerBytes: fences.bodyStart,
    // Fields that are not needed yet may have faults of their own.
    isFaultless: faults.isEmpty && header.notes.length === 0 && reading.fields === undefined,
  };
}
