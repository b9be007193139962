import type { TreeFile } from "@skillet/core";
import { quoteName } from "@skillet/kit/text";
import type { HubLimits } from "../../hub-limits.ts";
import { checkEntryPath, findCollisions } from "../check-entry-path.ts";
import { archiveKind } from "./archive-kind.ts";
import { archiveRefusal } from "./archive-refusal.ts";
import type { ArchivedEntry } from "./archived-entry.ts";
import { inflateBounded } from "./inflate-bounded.ts";
import { readTar } from "./read-tar.ts";
import { readZip } from "./read-zip.ts";
import { stripTopFolder } from "./strip-top-folder.ts";
import { UnpackBudget } from "./unpack-budget.ts";

export interface UnpackOptions {
  /** For messages: the address or the path that it came from. */
  readonly name: string;
  /** As its server called it; for messages only, since the bytes themselves say what they are. */
  readonly contentType?: string;
  readonly limits: HubLimits;
}

/**
 * Reads a zip, tar or tar.gz whole, in memory. One entry that should not be there and nothing is returned: whoever
 * packs a link to `/etc` beside a skill is not to be trusted with the rest.
 *
 * One folder around everything is taken off unless SKILL.md lies at the root.
 *
 * @example
 * const files = await unpackArchive(bytes, { name: "skill.zip", limits: DEFAULT_HUB_LIMITS });
 */
export async function unpackArchive(bytes: Uint8Array, options: UnpackOptions): Promise<readonly TreeFile[]> {
  const budget = new UnpackBudget({ name: options.name, packedBytes: bytes.length, limits: options.limits });
  const entries = await readEntries(bytes, { options, budget });
  for (const { path } of entries) {
    const problem = checkEntryPath(path);
    if (problem !== undefined) throw archiveRefusal(options.name, `its path ${problem}`, path);
  }
  const files = entries.flatMap((entry) => (entry.kind === "file" ? [entry.file] : []));
  const collision = findCollisions([...files.map(({ path }) => path), ...markFolders(entries)]);
  if (collision !== undefined) throw archiveRefusal(options.name, collision);
  if (files.length === 0) throw archiveRefusal(options.name, "it has no files");
  return stripTopFolder(files.filter(({ path }) => !isAppleFork(path)));
}

async function readEntries(
  bytes: Uint8Array,
  { options, budget }: { readonly options: UnpackOptions; readonly budget: UnpackBudget },
): Promise<readonly ArchivedEntry[]> {
  switch (archiveKind(bytes)) {
    case "zip":
      return readZip(bytes, budget);
    case "tar":
      return readTar(bytes, budget);
    case "gzip":
      return readTar(await gunzip(bytes, budget), budget);
    default: {
      const served =
        options.contentType === undefined
          ? ""
          : `, but came as ${quoteName(options.contentType.slice(0, 80))}`;
      throw archiveRefusal(
        options.name,
        `it is neither a zip nor a tar or tar.gz${served}; pack it as one of these`,
      );
    }
  }
}

async function gunzip(bytes: Uint8Array, budget: UnpackBudget): Promise<Uint8Array> {
  const inflated = await inflateBounded(bytes, { format: "gzip", maxBytes: budget.remainingBytes() });
  if ("fault" in inflated) throw budget.refuse(inflated.fault);
  // Tapes are filled up with zeros; anything else is something that only some programs would see.
  if (bytes.subarray(inflated.consumedBytes).some((byte) => byte !== 0))
    throw budget.refuse("bytes follow its end, where a second archive could hide");
  if (archiveKind(inflated.bytes) !== "tar") throw budget.refuse("what was compressed is not a tar");
  return inflated.bytes;
}

// A folder holds at least a name that no file can have, so that a file of the folder's name is seen.
function markFolders(entries: readonly ArchivedEntry[]): readonly string[] {
  const folders = new Set(entries.filter(({ kind }) => kind === "folder").map(({ path }) => path));
  return [...folders].map((path) => `${path}/:`);
}

// What one system's archiver adds beside each file: its icons and dates, never part of a skill.
function isAppleFork(path: string): boolean {
  return path.startsWith("__MACOSX/");
}
