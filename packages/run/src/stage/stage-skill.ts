import { rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";
import { SkilletError, undefinedOn } from "@skillet/kit/errors";
import { removeTree } from "@skillet/kit/files";
import { readStagedTree, spelledDigest } from "./read-staged-tree.ts";
import {
  ensurePrivateFolder,
  markUsed,
  randomPlace,
  setAside,
  stagedPlace,
  stagingFailed,
  TEMPORARY,
} from "./staging-places.ts";
import { TreeLedger, TreeWriter } from "./tree-writer.ts";

interface StageRequest {
  readonly digest: Digest;
  /**
   * Read to the end even when the skill is staged already: that is the check of the skill on disk. Read once more when
   * the staged copy turns out to be spelled differently.
   */
  readonly files: AsyncIterable<TreeFile> | readonly TreeFile[];
  /** The folder of all staged skills; made, and made private, where needed. */
  readonly directory: string;
  readonly clock?: () => Date;
}

/** A verified, read-only copy of a whole skill. */
export interface StagedSkill {
  readonly digest: Digest;
  readonly directory: string;
}

export interface StagedTree {
  readonly skill: StagedSkill;
  /** Over what is in the folder, with its paths as they are spelled. */
  readonly keptDigest: Digest;
  /** Links that lead out of the skill and were left out. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The files are digested here again; a tree that is not the expected one leaves nothing on disk. */
export async function stageSkill(request: StageRequest): Promise<StagedTree> {
  const { digest, directory, clock = () => new Date() } = request;
  ensurePrivateFolder(directory);
  const place = stagedPlace(directory, digest);
  markUsed(place, clock());
  // Another process of the same user could have changed the copy, so its name alone proves nothing.
  const present = await readStagedTree(place);
  if (present !== undefined && digestTree(present) === digest) {
    const keptDigest = spelledDigest(await readFiles(request));
    // Paths that are spelled differently from those of the copy have the same digest, but are not the same files.
    if (spelledDigest(present) === keptDigest)
      return { skill: { digest, directory: place }, keptDigest, diagnostics: [] };
  }
  const staged = await write(request, place, randomPlace(directory, TEMPORARY));
  markUsed(place, clock());
  return staged;
}

/** Reads all files, checks that they are the expected tree, and gives each to the writer. */
async function readFiles({ digest, files }: StageRequest, writer?: TreeWriter): Promise<TreeEntry[]> {
  const ledger = new TreeLedger();
  const entries: TreeEntry[] = [];
  for await (const file of files) {
    ledger.add(file);
    const { path, mode, bytes } = file;
    entries.push({ path, mode, digest: digestBytes(bytes), size: bytes.length });
    await writer?.add(file);
  }
  const found = digestTree(entries);
  if (found === digest) return entries;
  const message = `The skill's files come to ${found}, not to ${digest}, so nothing was staged; reload the skills and look at what changed.`;
  throw new SkilletError("staging-mismatch", message, { data: { expected: digest, found } });
}

async function write(request: StageRequest, place: string, temporary: string): Promise<StagedTree> {
  const writer = new TreeWriter(temporary);
  try {
    const entries = await readFiles(request, writer);
    const { leftOut, diagnostics } = writer.finish();
    const keptDigest = spelledDigest(entries.filter(({ path }) => !leftOut.has(path)));
    await moveIntoPlace(temporary, place, keptDigest);
    return { skill: { digest: request.digest, directory: place }, keptDigest, diagnostics };
  } finally {
    // Gone when all went well; otherwise nothing of it may stay.
    await removeTree(temporary);
  }
}

/** Verifies all of a staged skill again and uses it, marked so that cleaning leaves it alone; else says `changed`. */
export async function withStagedSkill<Result>(
  tree: StagedTree,
  clock: () => Date,
  action: () => Promise<Result>,
): Promise<Result | "changed"> {
  const { directory } = tree.skill;
  // Since it was staged, a person may have thought about a question for minutes.
  const isWhole = markUsed(directory, clock()) && (await isStagedAs(directory, tree.keptDigest));
  return isWhole ? await action() : "changed";
}

async function isStagedAs(place: string, keptDigest: Digest): Promise<boolean> {
  const present = await readStagedTree(place);
  return present !== undefined && spelledDigest(present) === keptDigest;
}

// Each further round means that the folder was damaged again at that very moment.
const MAX_ROUNDS = 8;

/** Renames a whole tree to its final name; one that another process put there first will do, if it is whole. */
async function moveIntoPlace(temporary: string, place: string, keptDigest: Digest): Promise<void> {
  try {
    for (let round = 0; ; round++) {
      try {
        return await rename(temporary, place);
      } catch (error) {
        undefinedOn("ENOTEMPTY", "EEXIST", "ENOTDIR")(error);
        if (round >= MAX_ROUNDS) throw error;
      }
      if (await isStagedAs(place, keptDigest)) return;
      const aside = await setAside(place, dirname(place));
      if (aside !== undefined) await removeTree(aside);
    }
  } catch (error) {
    throw stagingFailed(place, error);
  }
}
