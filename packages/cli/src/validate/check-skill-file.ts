import { basename } from "node:path";
import { MAX_SKILL_BYTES, parseSkillBytes } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { checkToolsets } from "./check-toolsets.ts";
import type { SkillFile } from "./skill-file.ts";
import type { ValidationResult } from "./validation-result.ts";

/** Reads a file through the file gate and holds it against the specification, or what commands are read by. */
export async function checkSkillFile(skill: SkillFile): Promise<ValidationResult> {
  const { kind, path, file } = skill;
  const read = await readOrExplain(skill);
  if (!("bytes" in read)) return { kind, path, diagnostics: [read] };
  const { bytes } = read;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const diagnostics = [...checkBytes(skill, bytes), ...(await checkToolsets(skill, bytes))];
  return { kind, path, diagnostics, file, text, bytes };
}

/** Holds what a file holds, or would hold, against the specification. */
export function checkBytes(skill: SkillFile, bytes: Uint8Array): readonly Diagnostic[] {
  const { file, directoryName } = skill;
  if (skill.kind === "command") return checkCommand(skill, bytes);
  const { diagnostics } = parseSkillBytes(bytes, { mode: "strict", file, directoryName });
  return [...spelling(skill), ...diagnostics];
}

// The specification is about skills. A command only has to load, and is named and described without a header.
function checkCommand({ file, directoryName }: SkillFile, bytes: Uint8Array): readonly Diagnostic[] {
  const { manifest, diagnostics } = parseSkillBytes(bytes, { mode: "lenient", file, directoryName });
  return manifest === undefined ? diagnostics : diagnostics.filter(({ code }) => !NOT_FOR_COMMANDS.has(code));
}

const NOT_FOR_COMMANDS: ReadonlySet<string> = new Set([
  "missing-name",
  "name-directory-mismatch",
  "missing-frontmatter",
  "missing-description",
]);

function spelling({ file, sourcePath }: SkillFile): readonly Diagnostic[] {
  const hint = "Rename it to SKILL.md.";
  switch (basename(sourcePath)) {
    case "SKILL.md":
      return [];
    case "skill.md": {
      const message = "The file is called skill.md; not every client reads that.";
      return [{ code: "lower-case-skill-file", severity: "warning", message, file, hint }];
    }
    default: {
      const message = "A skill's file is called SKILL.md.";
      return [{ code: "not-a-skill-file", severity: "error", message, file, hint }];
    }
  }
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
