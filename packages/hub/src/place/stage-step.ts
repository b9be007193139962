import { symlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { TreeFile } from "@skillet/core";
import { errorCode } from "@skillet/kit/errors";
import { syncDirectory } from "@skillet/kit/files";
import type { LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import { linkDestination, linkText } from "./link-destination.ts";
import type { TargetBounds } from "./locate-target.ts";
import { makeRealFolder } from "./real-folder.ts";
import { stageTree } from "./stage-tree.ts";

/** What to stage for one target. */
export interface StageOptions {
  readonly stage: string;
  readonly place: string;
  readonly target: LockedTarget;
  readonly entry: LockEntry;
  readonly files: readonly TreeFile[];
  readonly bounds: TargetBounds;
}

/** Writes the new content of one target beside its place; says what it is in the end, since not every disk has links. */
export async function stageStep(options: StageOptions): Promise<LockedTarget["how"]> {
  const { stage, place, target, entry, files, bounds } = options;
  await makeRealFolder(dirname(place));
  const destination = target.how === "link" ? linkDestination(entry, bounds) : undefined;
  if (destination !== undefined && (await makeLink(stage, place, destination, entry))) return "link";
  await stageTree(stage, files);
  return "copy";
}

async function makeLink(
  stage: string,
  place: string,
  destination: string,
  entry: LockEntry,
): Promise<boolean> {
  try {
    // Junctions need no privilege, and must be absolute.
    if (process.platform === "win32") await symlink(destination, stage, "junction");
    else await symlink(linkText(place, destination, entry), stage, "dir");
  } catch (error) {
    const code = errorCode(error);
    // A copy of a linked source would silently stop following it.
    if (entry.linked === true || !NO_LINKS.has(code ?? "")) throw error;
    return false;
  }
  await syncDirectory(dirname(stage));
  return true;
}

const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);
