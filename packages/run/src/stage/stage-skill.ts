import { randomBytes } from "node:crypto";
import { utimesSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";
import { withLease } from "./lease.ts";
import { readStagedTree, spelledDigest } from "./read-staged-tree.ts";
import {
  ensurePrivateFolder,
  removedPlace,
  removeTree,
  stagedPlace,
  stagingFailed,
  stagingMismatch,
  temporaryPlace,
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

/** A verified, read-only copy of a whole skill. */
export interface StagedSkill {
  readonly digest: Digest;
  /** Absolute. */
  readonly directory: string;
}

/** Uses a staged skill after looking again at all of it, and keeps it from being removed meanwhile; else says `changed`. */
export async function withStagedSkill<Result>(
  tree: StagedTree,
  clock: () => Date,
  action: () => Promise<Result>,
): Promise<Result | "changed"> {
  const { digest, directory } = tree.skill;
  // Between staging and here a person may have thought about a question for minutes.
  return await withLease({ directory: dirname(directory), digest, clock }, async () => {
    const present = await readStagedTree(directory);
    const whole = present !== undefined && spelledDigest(present) === tree.keptDigest;
    return whole ? await action() : "changed";
  });
}

// Each further round needs somebody who damages the folder at the very moment.
const MAX_ROUNDS = 8;

/** Renames a tree that is whole to its final name; one that another process put there first is as good, if it is whole. */
async function moveIntoPlace(move: {
  readonly temporary: string;
  readonly place: string;
  readonly directory: string;
  readonly keptDigest: Digest;
}): Promise<void> {
  const { temporary, place, directory, keptDigest } = move;
  for (let round = 0; ; round++) {
    try {
      return await rename(temporary, place);
    } catch (error) {
      if (!isTaken(error) || round >= MAX_ROUNDS) throw stagingFailed(place, error);
    }
    const present = await readStagedTree(place);
    if (present !== undefined && spelledDigest(present) === keptDigest) return;
    await setAside(place, directory);
  }
}

function isTaken(error: unknown): boolean {
  return ["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
}

// Moved first and removed then: nobody is to meet half of a tree under a digest's name.
async function setAside(place: string, directory: string): Promise<void> {
  const aside = removedPlace(directory, randomBytes(16).toString("hex"));
  try {
    await rename(place, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw stagingFailed(place, error);
  }
  await removeTree(aside);
}
