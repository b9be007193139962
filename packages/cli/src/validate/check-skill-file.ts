import { basename } from "node:path";
import { type Diagnostic, MAX_SKILL_BYTES, parseSkillBytes, SkilletError } from "@skillet/core";
import type { SkillFile } from "./skill-file.ts";

/** One SKILL.md checked against the specification. */
export interface CheckedFile {
  readonly path: string;
  readonly file: string;
  readonly diagnostics: readonly Diagnostic[];
  /** What was read; absent when nothing could be. */
  readonly text?: string;
  readonly bytes?: Uint8Array;
}

/** Reads a SKILL.md through the file gate and holds it against the specification. */
export async function checkSkillFile(skill: SkillFile): Promise<CheckedFile> {
  const { path, file } = skill;
  const read = await readOrExplain(skill);
  if (!("bytes" in read)) return { path, file, diagnostics: [read] };
  const { bytes } = read;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return { path, file, diagnostics: checkBytes(skill, bytes), text, bytes };
}

/** Holds what a SKILL.md holds, or would hold, against the specification. */
export function checkBytes(skill: SkillFile, bytes: Uint8Array): readonly Diagnostic[] {
  const { file, directoryName } = skill;
  const { diagnostics } = parseSkillBytes(bytes, { mode: "strict", file, directoryName });
  return [...spelling(skill), ...diagnostics];
}

function spelling({ file, sourcePath }: SkillFile): readonly Diagnostic[] {
  if (basename(sourcePath) !== "skill.md") return [];
  const message = "The file is called skill.md; not every client reads that.";
  return [
    { code: "lower-case-skill-file", severity: "warning", message, file, hint: "Rename it to SKILL.md." },
  ];
}

async function readOrExplain(skill: SkillFile): Promise<{ readonly bytes: Uint8Array } | Diagnostic> {
  const { file } = skill;
  try {
    const read = await skill.source.read(skill.sourcePath, { maxBytes: MAX_SKILL_BYTES });
    if (!read.truncated) return read;
    return {
      code: "skill-too-large",
      severity: "error",
      message: `The file is larger than ${MAX_SKILL_BYTES} bytes and was not read.`,
      file,
      hint: "Move what is long into files under references/, which are read only when wanted.",
    };
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    const hint = HINTS.get(error.code) ?? "Replace it with a regular file that you may read.";
    return { code: error.code, severity: "error", message: error.message, file, hint };
  }
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ["file-not-found", "Check the spelling: the file is called SKILL.md."],
  ["permission-denied", "Change the file's permissions, or run as a user who may read it."],
  ["path-outside-root", "Put the file into the skill's folder instead of linking to it."],
]);
