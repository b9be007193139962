import { join } from "node:path";
import type { LockEntry, PlanItem } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile, withFileLock, writeAtomic } from "@skillet/kit/files";
import { loadInstalling } from "../load-beside.ts";
import type { CommandHub } from "./with-hub.ts";

/** Lets a project's `skills-lock.json` follow what was just changed, where it names these skills; says why it could not. */
export async function keepSkillsLock(
  { hub, scope }: Pick<CommandHub, "hub" | "scope">,
  change: { readonly before: ReadonlyMap<string, LockEntry>; readonly items: readonly PlanItem[] },
): Promise<readonly Diagnostic[]> {
  if (scope.kind !== "project" || change.before.size === 0) return [];
  const file = join(hub.root, SKILLS_LOCK);
  try {
    if (readText(file) === undefined) return [];
    await withFileLock(`${file}.lock`, async () => {
      const existing = readText(file);
      if (existing === undefined) return;
      const { followSkillsLock, skillsHash } = loadInstalling();
      const { before, items } = change;
      const hashes = new Map(items.map(({ name, candidate }) => [name, skillsHash(candidate.files)]));
      const text = followSkillsLock(existing, { lock: await hub.list(), before, hashes });
      if (text !== existing) await writeAtomic(file, text, { links: "refuse" });
    });
    return [];
  } catch (error) {
    // The skills are changed already, and nobody asked for this file just now.
    if (!SkilletError.isInstance(error)) throw error;
    return [behind(file, error)];
  }
}

function readText(file: string): string | undefined {
  const bytes = readBoundedFile(file, { maxBytes: MAX_SKILLS_LOCK_BYTES });
  return bytes && Buffer.from(bytes).toString();
}

function behind(file: string, { message }: SkilletError): Diagnostic {
  return {
    code: "skills-lock-behind",
    severity: "warning",
    message: `${SKILLS_LOCK} does not follow this change: ${message}`,
    file,
    hint: "When that is put right: skillet install --project --skills-lock",
  };
}

/** The other tool's lock, in the root of a project. */
const SKILLS_LOCK = "skills-lock.json";

/** The longest one that is read. */
const MAX_SKILLS_LOCK_BYTES: number = 16 * 1024 * 1024;

/** Writes what was just installed into the project's `skills-lock.json` too, for people who use that tool. */
export async function writeSkillsLock(
  { hub }: Pick<CommandHub, "hub">,
  items: readonly PlanItem[],
): Promise<void> {
  const { formatSkillsLock, skillsHash } = loadInstalling();
  const file = join(hub.root, SKILLS_LOCK);
  const hashes = new Map(items.map(({ name, candidate }) => [name, skillsHash(candidate.files)]));
  await withFileLock(`${file}.lock`, async () => {
    const bytes = readBoundedFile(file, { maxBytes: MAX_SKILLS_LOCK_BYTES });
    const existing = bytes && { existing: Buffer.from(bytes).toString() };
    await writeAtomic(file, formatSkillsLock(await hub.list(), { hashes, ...existing }), { links: "refuse" });
  });
}
