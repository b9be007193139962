import { SCOPES } from "./skill.ts";

export function isScopeName(word: string): boolean {
  const scopes: readonly string[] = SCOPES;
  return scopes.includes(word.toLowerCase());
}

/** Whether a name reads as qualified ones do, by a scope or a plugin, such as `user:pdf`; those are given, never declared. */
export function isQualified(name: string): boolean {
  return name.includes(":");
}
