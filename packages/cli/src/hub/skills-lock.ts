import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LockEntry, PlanItem } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile, withFileLock, writeAtomic } from "@skillet/kit/files";
import { loadInstalling } from "../load-beside.ts";
import type { CommandHub } from "./with-hub.ts";

/** The lock of another tool, in the root of a project. */
const SKILLS_LOCK = "skills-lock.json";
const MAX_SKILLS_LOCK_BYTES = 16 * 1024 * 1024;

/** Writes what was just installed into the project's `skills-lock.json` too, for people who use that tool. */
export async function writeSkillsLock({ hub }: CommandHub, items: readonly PlanItem[]): Promise<void> {
  await changeSkillsLock(hub.root, items, async (hashes, existing) =>
    loadInstalling().formatSkillsLock(await hub.list(), {
      hashes,
      ...(existing !== undefined && { existing }),
    }),
  );
}

/** Lets a project's `skills-lock.json` follow a change to skills that it names; a diagnostic says why it could not. */
export async function keepSkillsLock(
  { hub, scope }: CommandHub,
  before: ReadonlyMap<string, LockEntry>,
  items: readonly PlanItem[],
): Promise<readonly Diagnostic[]> {
  const file = join(hub.root, SKILLS_LOCK);
  if (scope.kind !== "project" || before.size === 0 || !existsSync(file)) return [];
  try {
    await changeSkillsLock(hub.root, items, async (hashes, existing) =>
      existing === undefined
        ? undefined
        : loadInstalling().followSkillsLock(existing, { lock: await hub.list(), before, hashes }),
    );
    return [];
  } catch (error) {
    // The skills are changed already, and nothing asked for this file just now.
    if (!SkilletError.isInstance(error)) throw error;
    const message = `${SKILLS_LOCK} does not follow this change: ${error.message}`;
    const hint = "When that is put right: skillet install --project --skills-lock";
    return [{ code: "skills-lock-behind", severity: "warning", message, file, hint }];
  }
}

async function changeSkillsLock(
  root: string,
  items: readonly PlanItem[],
  change: (hashes: ReadonlyMap<string, string>, existing: string | undefined) => Promise<string | undefined>,
): Promise<void> {
  const file = join(root, SKILLS_LOCK);
  const { skillsHash } = loadInstalling();
  const hashes = new Map(items.map(({ name, candidate }) => [name, skillsHash(candidate.files)]));
  await withFileLock(`${file}.lock`, async () => {
    const bytes = readBoundedFile(file, { maxBytes: MAX_SKILLS_LOCK_BYTES });
    const existing = bytes && Buffer.from(bytes).toString();
    const text = await change(hashes, existing);
    if (text !== undefined && text !== existing) await writeAtomic(file, text, { links: "refuse" });
  });
}
