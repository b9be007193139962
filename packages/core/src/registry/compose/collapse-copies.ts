import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { LocalSource } from "../../source/local/local-source.ts";
import { indexResources } from "../index-resources.ts";
import { listingFaults } from "../read-tree.ts";
import type { DiscoveredSkill } from "../scan/discovered-skill.ts";
import type { NameGroups } from "./assign-names.ts";

// Bytes read per reload to tell copies apart; a library of texts has a hundredth of this.
const MAX_COMPARED_BYTES = 128 * 1024 * 1024;

/** Merges skills with equal names and bytes into the first of them, with a diagnostic for each. */
export async function collapseCopies(
  groups: NameGroups,
  skills: readonly DiscoveredSkill[],
): Promise<readonly Diagnostic[]> {
  const diagnostics: Diagnostic[] = [];
  let paths: ReadonlySet<string> | undefined;
  let bytesLeft = MAX_COMPARED_BYTES;
  const isSkill = (path: string): boolean => {
    paths ??= new Set(skills.map((skill) => skill.path));
    return paths.has(path);
  };

  async function treeDigest(skill: DiscoveredSkill, { files, bytes }: Outline): Promise<Digest | undefined> {
    // The only file is SKILL.md, whose digest is known.
    if (files === 1) return skill.digest;
    if (bytes > bytesLeft) {
      diagnostics.push(notCompared(skill));
      return undefined;
    }
    bytesLeft -= bytes;
    const index = await orNothing(skill, () => indexResources(skill.root.source, skill, { isSkill }));
    return index?.treeDigest;
  }

  async function keepFirsts(group: readonly DiscoveredSkill[]): Promise<DiscoveredSkill[]> {
    // Files are compared only if name and SKILL.md agree, so that discovery is otherwise free of this cost.
    const outlines = new Map<DiscoveredSkill, Outline>();
    for (const skill of findRepeated(group, ({ digest }) => digest)) {
      const outline = await orNothing(skill, () => outlineOf(skill, isSkill));
      if (outline !== undefined) outlines.set(skill, outline);
    }
    const alike = findRepeated(outlines.keys(), (skill) => outlines.get(skill)?.text ?? "");
    const seen = new Map<string, DiscoveredSkill>();
    const kept: DiscoveredSkill[] = [];
    for (const skill of group) {
      const outline = alike.has(skill) ? outlines.get(skill) : undefined;
      const tree = outline === undefined ? undefined : await treeDigest(skill, outline);
      // Whether a skill is offered must not depend on a copy in an untrusted folder.
      const key = `${tree} ${skill.excluded?.state}`;
      const first = tree === undefined ? undefined : seen.get(key);
      if (first !== undefined) {
        first.fold(skill);
        diagnostics.push(identicalCopy(skill, first));
        continue;
      }
      if (tree !== undefined) seen.set(key, skill);
      kept.push(skill);
    }
    return kept;
  }

  for (const [name, group] of groups) if (group.length > 1) groups.set(name, await keepFirsts(group));
  return diagnostics;
}

/** The names and sizes of a skill's files; skills that differ in these are not copies. */
interface Outline {
  readonly text: string;
  readonly bytes: number;
  readonly files: number;
}

type IsSkill = (path: string) => boolean;

async function outlineOf(
  { root, kind, folder, digest }: DiscoveredSkill,
  isSkill: IsSkill,
): Promise<Outline | undefined> {
  // A command is a single file; its folder contains other commands.
  if (kind === "command") return { text: digest, bytes: 0, files: 1 };
  const listing = await root.source.listFiles(folder);
  const faults = listingFaults(root.source, folder, listing, isSkill);
  if (faults.some(({ severity }) => severity === "error")) return undefined;
  const bytes = listing.files.reduce((sum, { size }) => sum + size, 0);
  return { text: JSON.stringify([digest, listing.files]), bytes, files: listing.files.length };
}

function findRepeated(
  skills: Iterable<DiscoveredSkill>,
  keyOf: (skill: DiscoveredSkill) => string,
): Set<DiscoveredSkill> {
  const repeated = new Set<DiscoveredSkill>();
  const firstOf = new Map<string, DiscoveredSkill>();
  for (const skill of skills) {
    const key = keyOf(skill);
    const first = firstOf.get(key);
    if (first === undefined) firstOf.set(key, skill);
    else repeated.add(first).add(skill);
  }
  return repeated;
}

// If a skill has vanished or its server is down, it does not count as a copy until the next reload.
async function orNothing<Result>(
  { root }: DiscoveredSkill,
  look: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await look();
  } catch (error) {
    if (root.source instanceof LocalSource && !SkilletError.isInstance(error)) throw error;
    return undefined;
  }
}

function identicalCopy(skill: DiscoveredSkill, first: DiscoveredSkill): Diagnostic {
  const message = `It is the same, file for file, as ${first.path}, and is listed once.`;
  return diagnostic("info", "identical-copy", skill.path, message);
}

function notCompared(skill: DiscoveredSkill): Diagnostic {
  const message = `It may be a copy of another skill with its name: telling would take reading more than ${MAX_COMPARED_BYTES} bytes in all.`;
  const hint = "Remove one of the two if they are the same, or keep large files out of skills.";
  return diagnostic("info", "copy-not-compared", skill.path, message, hint);
}
