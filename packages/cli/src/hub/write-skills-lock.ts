import { join } from "node:path";
import type { PlanItem } from "@skillet/hub";
import { readBoundedFile, withFileLock, writeAtomic } from "@skillet/kit/files";
import { loadInstalling } from "./load-installing.ts";
import type { CommandHub } from "./open-command-hub.ts";

/** The other tool's lock, in the root of a project. */
export const SKILLS_LOCK = "skills-lock.json";

/** The longest one that is read. */
export const MAX_SKILLS_LOCK_BYTES: number = 16 * 1024 * 1024;

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
