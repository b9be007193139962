import type { RuleDirectories } from "./tool-rule.ts";

/** Puts folders in the place of the variables that stand for them; undefined when one has no value. */
export function resolveVariables(text: string, directories: RuleDirectories): string | undefined {
  let resolved = "";
  let position = 0;
  for (const { 0: variable, 1: name = "CLAUDE_SKILL_DIR", index } of text.matchAll(
    /\$\{(\w+)\}|\{baseDir\}/g,
  )) {
    const which = VARIABLES.get(name);
    const directory = which && directories[which];
    if (directory === undefined) return undefined;
    resolved += text.slice(position, index) + directory;
    position = index + variable.length;
  }
  return resolved + text.slice(position);
}

const VARIABLES: ReadonlyMap<string, keyof RuleDirectories> = new Map([
  ["CLAUDE_SKILL_DIR", "skill"],
  ["HERMES_SKILL_DIR", "skill"],
  ["CLAUDE_PROJECT_DIR", "project"],
]);
