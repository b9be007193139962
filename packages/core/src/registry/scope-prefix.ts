import type { Scope } from "./skill.ts";

const SCOPES: ReadonlySet<string> = new Set<Scope>([
  "explicit",
  "organisation",
  "plugin",
  "project",
  "claude",
  "user",
  "bundled",
]);

/** Whether a word is a scope's name, whatever its case. */
export function isScopeName(word: string): boolean {
  return SCOPES.has(word.toLowerCase());
}

/** Whether a name begins as qualified names do, such as `user:`; those are given, never declared. */
export function hasScopePrefix(name: string): boolean {
  const colon = name.indexOf(":");
  return colon > 0 && isScopeName(name.slice(0, colon));
}
