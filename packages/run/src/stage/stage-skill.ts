import { utimesSync } from "node:fs";
import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";
import { ensurePrivateFolder } from "./ensure-private-folder.ts";
import { withLease } from "./lease.ts";
import { moveIntoPlace } from "./move-into-place.ts";
import { readStagedTree } from "./read-staged-tree.ts";
import { removeTree } from "./remove-tree.ts";
import { spelledDigest } from "./spelled-digest.ts";
import type { StagedSkill } from "./staged-skill.ts";
import { stagingFailed, stagingMismatch } from "./staging-error.ts";
import { stagedPlace, temporaryPlace } from "./staging-places.ts";
import { TreeLedger } from "./tree-ledger.ts";
import { TreeWriter } from "./tree-writer.ts";

/** What is to be staged. */
export interface StageRequest {
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

/** A skill that is staged. */
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
    const reusable = present !== undefined && digestTree(present) === digest;
    const reused = reusable ? await compare(request, place, present) : undefined;
    const staged = reused ?? (await write(request, place, nonce));
    touch(place, clock());
    return staged;
  });
}

// Nothing when paths are spelled in another way than those of the copy, which counts the same and is not the same.
async function compare(
  { digest, files }: StageRequest,
  place: string,
  present: readonly TreeEntry[],
): Promise<StagedTree | undefined> {
  const ledger = new TreeLedger();
  const entries: TreeEntry[] = [];
  for await (const file of files) {
    ledger.add(file);
    entries.push(entryOf(file));
  }
  checkDigest(entries, digest);
  const keptDigest = spelledDigest(entries);
  if (spelledDigest(present) !== keptDigest) return undefined;
  return { skill: { digest, directory: place }, keptDigest, diagnostics: [] };
}

async function write(request: StageRequest, place: string, nonce: string): Promise<StagedTree> {
  const { digest, files, directory } = request;
  const temporary = temporaryPlace(directory, nonce);
  const ledger = new TreeLedger();
  const writer = new TreeWriter(temporary);
  const entries: TreeEntry[] = [];
  try {
    for await (const file of files) {
      ledger.add(file);
      entries.push(entryOf(file));
      await writer.add(file);
    }
    checkDigest(entries, digest);
    const { leftOut, diagnostics } = writer.finish();
    const keptDigest = spelledDigest(entries.filter(({ path }) => !leftOut.has(path)));
    await moveIntoPlace({ temporary, place, directory, keptDigest });
    return { skill: { digest, directory: place }, keptDigest, diagnostics };
  } finally {
    // Moved away when all went well; otherwise nothing of it may stay.
    await removeTree(temporary);
  }
}

function entryOf({ path, mode, bytes }: TreeFile): TreeEntry {
  return { path, mode, digest: digestBytes(bytes), size: bytes.length };
}

function checkDigest(entries: readonly TreeEntry[], expected: Digest): void {
  const found = digestTree(entries);
  if (found !== expected) throw stagingMismatch({ expected, found });
}

// The time of last use, by which what is not used any more is found.
function touch(place: string, now: Date): void {
  try {
    utimesSync(place, now, now);
  } catch (error) {
    throw stagingFailed(place, error);
  }
}
