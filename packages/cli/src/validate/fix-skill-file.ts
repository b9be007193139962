import { MAX_SKILL_BYTES, repairSkill } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { writeAtomic } from "@skillet/kit/files";
import { changedLines } from "./changed-lines.ts";
import { checkBytes, checkSkillFile } from "./check-skill-file.ts";
import { checkToolsets } from "./check-toolsets.ts";
import type { SkillFile } from "./skill-file.ts";
import type { ValidationResult } from "./validation-result.ts";

/** Makes the repairs that cannot change what a skill says, and checks the result; `write: false` only shows them. */
export async function fixSkillFile(
  skill: SkillFile,
  options: { readonly write: boolean },
): Promise<ValidationResult> {
  const checked = await checkSkillFile(skill);
  const { text: before, bytes } = checked;
  // Bytes that are no text would be lost in writing it back, and what is a fault of a skill may be none of a command.
  if (before === undefined || bytes === undefined || !isUtf8(bytes) || skill.kind === "command")
    return checked;
  const { file, directoryName } = skill;
  const { text, applied } = repairSkill(before, { file, directoryName });
  if (text === before) return checked;
  const content = Buffer.from(text);
  const refusal = skill.isLink ? linkRefused(file) : options.write && (await replace(skill, bytes, content));
  if (refusal) return { ...checked, diagnostics: [...checked.diagnostics, refusal] };
  const repairs = { applied, changes: changedLines(before, text), written: options.write };
  if (!options.write) {
    const remaining = [...checkBytes(skill, content), ...(await checkToolsets(skill, content))];
    return { ...checked, repairs: { ...repairs, remaining } };
  }
  const after = await checkSkillFile(skill);
  return { ...after, repairs: { ...repairs, remaining: after.diagnostics } };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function linkRefused(file: string): Diagnostic {
  return {
    code: "link-refused",
    severity: "warning",
    message:
      "It is reached through a link, so it was not repaired: what a link leads to may be somebody else's.",
    file,
    hint: "Run the command on the file itself.",
  };
}

/** Writes a file that still holds what was read from it; what keeps it from that must not keep others from theirs. */
async function replace(
  { source, sourcePath, file }: SkillFile,
  expected: Uint8Array,
  content: Uint8Array,
): Promise<Diagnostic | undefined> {
  try {
    const now = await source.read(sourcePath, { maxBytes: MAX_SKILL_BYTES });
    if (now.truncated || !Buffer.from(now.bytes).equals(expected)) return changedMeanwhile(file);
    await writeAtomic(source.toolPath(sourcePath), content, { links: "refuse" });
    return undefined;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    const hint = "Check the permissions of the file and its folder, and the space on the disk.";
    return { code: error.code, severity: "error", message: error.message, file, hint };
  }
}

function changedMeanwhile(file: string): Diagnostic {
  return {
    code: "file-changed",
    severity: "error",
    message: "It changed while it was being repaired, so it was left alone.",
    file,
    hint: "Run the command again.",
  };
}
