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
   * Read to the end even if the skill is already staged, to check the skill on disk. Read again if the paths
   * of the staged copy turn out to be spelled differently.
   */
  readonly files: AsyncIterable<TreeFile> | readonly TreeFile[];
  /** The folder of all staged skills; created, and made private, if needed. */
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
  /** The digest of the folder's contents, with paths exactly as spelled. */
  readonly keptDigest: Digest;
  /** Reports links that lead out of the skill, which were left out. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Stages a skill and verifies its files again; an unexpected tree leaves nothing on disk. */
export async function stageSkill(request: StageRequest): Promise<StagedTree> {
  const { digest, directory, clock = () => new Date() } = request;
  ensurePrivateFolder(directory);
  const place = stagedPlace(directory, digest);
  markUsed(place, clock());
  // Another process of the same user could have changed the copy, so its name alone proves nothing.
  const present = await readStagedTree(place);
  if (present !== undefined && digestTree(present) === digest) {
    const keptDigest = spelledDigest(await readFiles(request));
    // Paths spelled differently from the copy's have the same digest, but are not the same files.
    if (spelledDigest(present) === keptDigest)
      return { skill: { digest, directory: place }, keptDigest, diagnostics: [] };
  }
  const staged = await write(request, place, randomPlace(directory, TEMPORARY));
  markUsed(place, clock());
  return staged;
}

/** Reads all files, checks that they are the expected tree, and passes each to the writer. */
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
  const message = `The skill's files have the digest ${found} instead of ${digest}, so nothing was staged; reload the skills and look at what changed.`;
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
    // Already gone if all went well; otherwise nothing of it may remain.
    await removeTree(temporary);
  }
}

/** Marks a staged skill as in use, verifies it again and runs the action; `changed` if it is not intact. */
export async function withStagedSkill<Result>(
  tree: StagedTree,
  clock: () => Date,
  action: () => Promise<Result>,
): Promise<Result | "changed"> {
  const { directory } = tree.skill;
  // Since staging, the user may have spent minutes on a prompt.
  const isWhole = markUsed(directory, clock()) && (await isStagedAs(directory, tree.keptDigest));
  return isWhole ? await action() : "changed";
}

async function isStagedAs(place: string, keptDigest: Digest): Promise<boolean> {
  const present = await readStagedTree(place);
  return present !== undefined && spelledDigest(present) === keptDigest;
}

// Each further round means that the folder was damaged again in that very moment.
const MAX_ROUNDS = 8;

/** Renames a whole tree to its final name; accepts an intact one that another process put there first. */
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
