import { dirname } from "node:path";
import { withLease } from "./lease.ts";
import { readStagedTree } from "./read-staged-tree.ts";
import { spelledDigest } from "./spelled-digest.ts";
import type { StagedTree } from "./stage-skill.ts";

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
