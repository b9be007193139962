import { randomBytes } from "node:crypto";
import { rename } from "node:fs/promises";
import type { Digest } from "@skillet/kit/digest";
import { readStagedTree } from "./read-staged-tree.ts";
import { removeTree } from "./remove-tree.ts";
import { spelledDigest } from "./spelled-digest.ts";
import { stagingFailed } from "./staging-error.ts";
import { removedPlace } from "./staging-places.ts";

// Each further round needs somebody who damages the folder at the very moment.
const MAX_ROUNDS = 8;

/** Renames a tree that is whole to its final name; one that another process put there first is as good, if it is whole. */
export async function moveIntoPlace(move: {
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
