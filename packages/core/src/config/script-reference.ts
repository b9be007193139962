/** A script as operators write it: `skill:scripts/path`. */
export interface ScriptReference {
  readonly skill: string;
  /** Relative to the skill's folder, normalised. */
  readonly path: string;
}

const MAX_REFERENCE_CHARACTERS = 4096;

/** Reads exactly `skill:scripts/path`; undefined for a pattern or a path that is not normalised. */
export function parseScriptReference(text: string): ScriptReference | undefined {
  // Qualified names have colons too, so the last one separates; a path with a colon cannot be named.
  const colon = text.lastIndexOf(":");
  const skill = text.slice(0, Math.max(0, colon));
  const path = text.slice(colon + 1);
  if (text.length > MAX_REFERENCE_CHARACTERS || /[\p{Cc}*?\\]/u.test(text)) return undefined;
  if (skill === "" || skill.trim() !== skill || skill.startsWith(":") || skill.endsWith(":"))
    return undefined;
  const [folder, ...rest] = path.split("/");
  const isPlain = rest.length > 0 && rest.every((part) => part !== "" && part !== "." && part !== "..");
  return folder === "scripts" && isPlain && path.trim() === path ? { skill, path } : undefined;
}
