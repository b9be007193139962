import { repairSkill } from "@skillet/core";
import { changedLines } from "./changed-lines.ts";
import { checkBytes, checkSkillFile } from "./check-skill-file.ts";
import { replaceFile } from "./replace-file.ts";
import type { SkillFile } from "./skill-file.ts";
import type { ValidationResult } from "./validation-result.ts";

/** Makes the repairs that cannot change what a skill says, and checks the result; `write: false` only shows them. */
export async function fixSkillFile(
  skill: SkillFile,
  options: { readonly write: boolean },
): Promise<ValidationResult> {
  const checked = await checkSkillFile(skill);
  // Bytes that are no text would be lost in writing it back.
  if (checked.text === undefined || checked.bytes === undefined || !isUtf8(checked.bytes)) return checked;
  const { file, directoryName } = skill;
  const { text, applied } = repairSkill(checked.text, { file, directoryName });
  if (text === checked.text) return checked;
  const content = Buffer.from(text);
  const repairs = { applied, changes: changedLines(checked.text, text) };
  if (!options.write) return { ...checked, repairs: { ...repairs, remaining: checkBytes(skill, content) } };
  await replaceFile(skill.source.toolPath(skill.sourcePath), { expected: checked.bytes, content });
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
