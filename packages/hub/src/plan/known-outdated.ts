import { join } from "node:path";
import { readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { fieldOf, parseJsonObject } from "@skillet/kit/json";
import type { Lock } from "../lock/lock-entry.ts";
import type { Standing } from "./plan-update.ts";

const FILE = "cache/outdated.json";
const MAX_BYTES = 1024 * 1024;

/** Stores the answers of sources, so that a screen can show them without the network. */
export async function keepOutdated(
  home: string,
  { lockFile, skills }: Pick<Lock, "skills"> & { readonly lockFile: string },
  standings: readonly Standing[],
): Promise<void> {
  const behind = standings.filter(({ state }) => state === "outdated");
  const pins = Object.fromEntries(behind.map(({ name }) => [name, skills.get(name)?.digest]));
  await writeAtomic(join(home, FILE), JSON.stringify({ ...readKnown(home), [lockFile]: pins }), {
    mode: 0o600,
  });
}

/** The skills of a lock that were outdated at the last check and are still at that version. */
export function knownOutdated(home: string, lockFile: string, lock: Lock): readonly string[] {
  const pins = fieldOf(readKnown(home), lockFile);
  return [...lock.skills].flatMap(([name, { digest }]) => (fieldOf(pins, name) === digest ? [name] : []));
}

function readKnown(home: string): Readonly<Record<string, unknown>> {
  const bytes = readBoundedFile(join(home, FILE), { maxBytes: MAX_BYTES });
  return (bytes && parseJsonObject(bytes)) ?? {};
}
