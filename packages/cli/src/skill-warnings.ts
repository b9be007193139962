import type { Skill } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";

/** What was read past when a skill was loaded; that another one has its name is a matter of its state. */
export function skillWarnings(skill: Skill): readonly Diagnostic[] {
  return skill.diagnostics.filter(({ severity, code }) => severity === "warning" && code !== "name-conflict");
}
