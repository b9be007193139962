import { utimesSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";
import { SkilletError, undefinedOn } from "@skillet/kit/errors";
import { readStagedTree, spelledDigest } from "./read-staged-tree.ts";
import {
  attempt,
  ensurePrivateFolder,
  removeTree,
  setAside,
  stagedPlace,
  stagingFailed,
  temporaryPlace,
  withLease,
} from "./staging-places.ts";
import { TreeLedger, TreeWriter } from "./tree-writer.ts";

interface StageRequest {
  /** What the tree must come to. */
  readonly digest: Digest;
  /**
   * Read to the end, also when the skill is staged already: that is the check of the skill on disk. Read once more when
   * what is staged turns out to be spelled in another way.
   */
  readonly files: AsyncIterable<TreeFile>;
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

/**
 * Writes a verified, read-only copy of a skill below the name of its digest, or finds one there that is still whole.
 *
 * What the files come to is digested here again, whoever gave them; a tree that is not the expected one leaves nothing.
 */
export async function stageSkill(request: StageRequest): Promise<StagedTree> {
  const { digest, directory } = request;
  const clock = request.clock ?? (() => new Date());
  ensurePrivateFolder(directory);
  return await withLease({ directory, digest, clock }, async (nonce) => {
    const place = stagedPlace(directory, digest);
    // Another process of the same user could have changed what is there, so its name alone proves nothing.
    const present = await readStagedTree(place);
    const isWhole = present !== undefined && digestTree(present) === digest;
    const keptDigest = isWhole ? spelledDigest(await readFiles(request)) : undefined;
    // Paths that are spelled in another way than those of the copy count the same and are not the same.
    const staged =
      keptDigest !== undefined && spelledDigest(present ?? []) === keptDigest
        ? { skill: { digest, directory: place }, keptDigest, diagnostics: [] }
        : await write(request, place, temporaryPlace(directory, nonce));
    // The time of last use, by which what is not used any more is found.
    attempt(place, () => utimesSync(place, clock(), clock()));
    return staged;
  });
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
  throw new SkilletError(
    "staging-mismatch",
    `The skill's files come to ${found}, not to ${digest}, so nothing was staged; reload the skills and look at what changed.`,
    { data: { expected: digest, found } },
  );
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
    // Moved away when all went well; otherwise nothing of it may stay.
    await removeTree(temporary);
  }
}

/** Uses a staged skill after looking again at all of it, and keeps it from being removed meanwhile; else says `changed`. */
export async function withStagedSkill<Result>(
  tree: StagedTree,
  clock: () => Date,
  action: () => Promise<Result>,
): Promise<Result | "changed"> {
  const { digest, directory } = tree.skill;
  // Between staging and here a person may have thought about a question for minutes.
  return await withLease({ directory: dirname(directory), digest, clock }, async () =>
    (await isStagedAs(directory, tree.keptDigest)) ? await action() : "changed",
  );
}

async function isStagedAs(place: string, keptDigest: Digest): Promise<boolean> {
  const present = await readStagedTree(place);
  return present !== undefined && spelledDigest(present) === keptDigest;
}

// Each further round needs somebody who damages the folder at the very moment.
const MAX_ROUNDS = 8;

/** Renames a tree that is whole to its final name; one that another process put there first is as good, if it is whole. */
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
