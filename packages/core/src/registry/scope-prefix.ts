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

export function isScopeName(word: string): boolean {
  return SCOPES.has(word.toLowerCase());
}

/** Whether a name reads as qualified ones do, by a scope or a plugin, such as `user:pdf`; those are given, never declared. */
export function isQualified(name: string): boolean {
  return name.includes(":");
}
