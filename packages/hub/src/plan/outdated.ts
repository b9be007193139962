import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { FetchContext } from "../sources/fetch-context.ts";
import { resolveSource } from "../sources/open-source.ts";
import { parseSource } from "../sources/parse-source.ts";
import type { Resolved } from "../sources/source.ts";

export interface Standing {
  readonly name: string;
  readonly source: string;
  readonly installed: Resolved;
  readonly newest?: Resolved;
  readonly state: "current" | "outdated" | "pinned" | "linked" | "unavailable";
  readonly reason?: string;
}

/** Asks a skill's source for its newest pin, and reads it where that alone does not tell; nothing changes. */
export async function standingOf(
  name: string,
  entry: LockEntry,
  options: {
    readonly fetching: FetchContext;
    readonly root: string;
    readonly userHome: string;
    readonly checkSource: () => Promise<void>;
    /** Reads what the source holds now, for pins that say nothing of the bytes. */
    readonly newestDigest: () => Promise<Digest | undefined>;
  },
): Promise<Standing> {
  const { source, resolved: installed } = entry;
  const known = { name, source, installed };
  if (entry.linked === true) return { ...known, state: "linked", reason: "the folder itself is used" };
  const pin = entry.pinned && { reason: `pinned: ${entry.pinned.reason}` };
  try {
    await options.checkSource();
    const newest = await resolveSource(
      parseSource(source, { workspace: options.root, userHome: options.userHome }),
      options.fetching,
      installed,
    );
    if (pin !== undefined) return { ...known, newest, state: "pinned", ...pin };
    const isCurrent = isTelling(newest, installed)
      ? samePin(newest, installed)
      : (await options.newestDigest()) === entry.digest;
    return { ...known, newest, state: isCurrent ? "current" : "outdated" };
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return { ...known, state: "unavailable", reason: error.message };
  }
}

// A folder may have changed, and so may the files of an index without digests; another commit may change other skills.
function isTelling(newest: Resolved, installed: Resolved): boolean {
  if (newest.kind === "git") return samePin(newest, installed);
  return newest.kind !== "local" && !(newest.kind === "well-known" && newest.digest === undefined);
}

// A branch that was renamed still leads to the same commit.
function samePin(left: Resolved, right: Resolved): boolean {
  if (left.kind === "git" && right.kind === "git") return left.commit === right.commit;
  if (left.kind === "npm" && right.kind === "npm") return left.integrity === right.integrity;
  return "digest" in left && "digest" in right && left.digest !== undefined && left.digest === right.digest;
}
