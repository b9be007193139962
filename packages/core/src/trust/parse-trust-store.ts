import { isAbsolute } from "node:path";
import { isDigest, parseJson, readObject } from "./parse-store.ts";
import type { TrustedFolder, TrustedSkill } from "./trust-store.ts";

const VERSION = 2;
// Version 1 knew SKILL.md alone: a digest stood where a skill stands now.
const OLDER_VERSION = 1;

/** Reads the text of a trust store, or throws a SyntaxError that says what is wrong and where. */
export function parseTrustStore(bytes: Uint8Array): Map<string, TrustedFolder> {
  const store = readObject(parseJson(bytes), "the store", ["version", "folders"]);
  if (store.version !== VERSION && store.version !== OLDER_VERSION) {
    throw new SyntaxError(
      `Its version is ${JSON.stringify(store.version)}, but only ${OLDER_VERSION} and ${VERSION} are known; a newer Skillet may have written it.`,
    );
  }
  const folders = new Map<string, TrustedFolder>();
  for (const [root, value] of Object.entries(readObject(store.folders, "folders"))) {
    if (!isAbsolute(root))
      throw new SyntaxError(`The folder ${JSON.stringify(root)} is not an absolute path.`);
    folders.set(root, readFolder(root, value));
  }
  return folders;
}

/** The text of a trust store; the same folders always give the same bytes. */
export function formatTrustStore(folders: readonly TrustedFolder[]): string {
  const byRoot = folders.map(({ root, trustedAt, skills }) => [
    root,
    { trustedAt, skills: Object.fromEntries(skills) },
  ]);
  return `${JSON.stringify({ version: VERSION, folders: Object.fromEntries(byRoot) }, undefined, 2)}\n`;
}

function readFolder(root: string, value: unknown): TrustedFolder {
  const where = JSON.stringify(root);
  const { trustedAt, skills } = readObject(value, where, ["trustedAt", "skills"]);
  if (typeof trustedAt !== "string" || Number.isNaN(Date.parse(trustedAt))) {
    throw new SyntaxError(`${where} has no valid time in trustedAt.`);
  }
  const held = new Map<string, TrustedSkill>();
  for (const [folder, skill] of Object.entries(readObject(skills, `skills of ${where}`)))
    held.set(folder, readSkill(skill, `${JSON.stringify(folder)} in ${where}`));
  return { root, trustedAt, skills: held };
}

function readSkill(value: unknown, where: string): TrustedSkill {
  const { digest, tree } =
    typeof value === "string" ? { digest: value } : readObject(value, where, ["digest", "tree"]);
  if (!isDigest(digest) || (tree !== undefined && !isDigest(tree)))
    throw new SyntaxError(`${where} has no valid digest.`);
  return { digest, ...(tree !== undefined && { tree }) };
}
