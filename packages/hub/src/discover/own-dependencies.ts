import { asObject, parseJsonObject } from "@skillet/kit/json";
import type { OpenedSource } from "../fetch/opened-source.ts";
import { isAgentFolder, type SkillFolder } from "./skill-folders.ts";

const LOCKS: readonly string[] = ["skills-lock.json", "skillet.lock"];

/** Leaves out what a source only uses itself: skills in agents' folders that its own lock says came from elsewhere. */
export async function withoutOwnDependencies(
  opened: OpenedSource,
  folders: readonly SkillFolder[],
  options: { readonly below: string; readonly signal?: AbortSignal },
): Promise<readonly SkillFolder[]> {
  const { below, signal } = options;
  const prefix = below === "" ? "" : `${below}/`;
  if (!folders.some(({ folder }) => isAgentFolder(folder.slice(prefix.length)))) return folders;
  const wanted = new Set(LOCKS.map((name) => `${prefix}${name}`));
  const present = opened.entries.filter(
    ({ path, mode }) => wanted.has(path) && (mode === "644" || mode === "755"),
  );
  if (present.length === 0) return folders;
  const files = await opened.read(
    present.map(({ path }) => path),
    { ...(signal && { signal }) },
  );
  const names = new Set(
    files.flatMap(({ bytes }) => Object.keys(asObject(parseJsonObject(bytes)?.skills) ?? {})),
  );
  return folders.filter(({ folder }) => {
    const path = folder.slice(prefix.length);
    return !(isAgentFolder(path) && names.has(path.slice(path.lastIndexOf("/") + 1)));
  });
}
