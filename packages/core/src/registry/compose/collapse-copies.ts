import type { Diagnostic } from "../../diagnostic.ts";
import type { Digest } from "../../digest.ts";
import { indexResources } from "../index-resources.ts";
import type { ComposedSkill } from "./composed-skill.ts";
import type { NameGroups } from "./group-by-name.ts";

/** Folds skills of one name with the same bytes into the first of them, with a word for each. */
export async function collapseCopies(groups: NameGroups): Promise<Diagnostic[]> {
  const diagnostics: Diagnostic[] = [];
  for (const [name, group] of groups) {
    if (!Array.isArray(group)) continue;
    const kept = await keepFirsts(group, diagnostics);
    const [only] = kept;
    if (kept.length === 1 && only !== undefined) groups.set(name, only);
    else groups.set(name, kept);
  }
  return diagnostics;
}

async function keepFirsts(
  group: readonly ComposedSkill[],
  diagnostics: Diagnostic[],
): Promise<ComposedSkill[]> {
  const suspects = findSuspects(group);
  const seen = new Map<string, ComposedSkill>();
  const kept: ComposedSkill[] = [];
  for (const skill of group) {
    const tree = suspects.has(skill) ? await treeDigest(skill) : undefined;
    // Whether a skill is offered must not depend on a copy in a folder that nobody trusts.
    const key = `${tree} ${skill.withheld?.state}`;
    const first = tree === undefined ? undefined : seen.get(key);
    if (first === undefined) {
      if (tree !== undefined) seen.set(key, skill);
      kept.push(skill);
      continue;
    }
    first.alsoAt = [...first.alsoAt, skill.path, ...skill.alsoAt];
    diagnostics.push({
      code: "identical-copy",
      severity: "info",
      message: `It is the same, file for file, as ${first.path}, and is listed once.`,
      file: skill.path,
    });
  }
  return kept;
}

// Whole trees are digested only where name and SKILL.md agree; discovery pays nothing for it otherwise.
function findSuspects(group: readonly ComposedSkill[]): Set<ComposedSkill> {
  const suspects = new Set<ComposedSkill>();
  const firstOf = new Map<Digest, ComposedSkill>();
  for (const skill of group) {
    const first = firstOf.get(skill.digest);
    if (first === undefined) firstOf.set(skill.digest, skill);
    else suspects.add(first).add(skill);
  }
  return suspects;
}

async function treeDigest({ root, scanned }: ComposedSkill): Promise<Digest | undefined> {
  // A command is its one file; its folder holds the others.
  if (scanned.isCommand) return scanned.digest;
  return (await indexResources(root.source, scanned)).treeDigest;
}
