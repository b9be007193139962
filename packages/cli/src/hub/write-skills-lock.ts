import { join } from "node:path";
import { readBoundedFile, writeAtomic } from "@skillet/core";
import type { PlanItem } from "@skillet/hub";
import { loadInstalling } from "./load-installing.ts";
import type { CommandHub } from "./open-command-hub.ts";

const MAX_LOCK_BYTES = 16 * 1024 * 1024;

/** Writes what was just installed into the project's `skills-lock.json` too, for people who use that tool. */
export async function writeSkillsLock(
  { hub }: Pick<CommandHub, "hub">,
  items: readonly PlanItem[],
): Promise<void> {
  const { formatSkillsLock, skillsHash } = loadInstalling();
  const file = join(hub.root, "skills-lock.json");
  const bytes = readBoundedFile(file, { maxBytes: MAX_LOCK_BYTES });
  const hashes = new Map(items.map(({ name, candidate }) => [name, skillsHash(candidate.files)]));
  const text = formatSkillsLock(await hub.list(), {
    hashes,
    ...(bytes !== undefined && { existing: Buffer.from(bytes).toString() }),
  });
  await writeAtomic(file, text, { links: "refuse" });
}
