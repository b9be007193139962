import { join, resolve } from "node:path";
import type { SkillToVet, TreeFile } from "@skillet/core";
import type { LockEntry, PlanItem } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes, treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile, withFileLock, writeAtomic } from "@skillet/kit/files";
import { DEFAULT_SCAN_LIMITS } from "@skillet/scan";
import type { CommandContext } from "../context/command-context.ts";
import { openVetter } from "../context/open-registry.ts";
import { loadInstalling } from "../load-beside.ts";
import type { CommandHub } from "./with-hub.ts";

/** Lets a project's `skills-lock.json` follow what was just changed, where it names these skills; says why it could not. */
export async function keepSkillsLock(
  { hub, scope }: Pick<CommandHub, "hub" | "scope">,
  change: { readonly before: ReadonlyMap<string, LockEntry>; readonly items: readonly PlanItem[] },
): Promise<readonly Diagnostic[]> {
  if (scope.kind !== "project" || change.before.size === 0) return [];
  const file = join(hub.root, SKILLS_LOCK);
  try {
    if (readText(file) === undefined) return [];
    await withFileLock(`${file}.lock`, async () => {
      const existing = readText(file);
      if (existing === undefined) return;
      const { followSkillsLock, skillsHash } = loadInstalling();
      const { before, items } = change;
      const hashes = new Map(items.map(({ name, candidate }) => [name, skillsHash(candidate.files)]));
      const text = followSkillsLock(existing, { lock: await hub.list(), before, hashes });
      if (text !== existing) await writeAtomic(file, text, { links: "refuse" });
    });
    return [];
  } catch (error) {
    // The skills are changed already, and nobody asked for this file just now.
    if (!SkilletError.isInstance(error)) throw error;
    return [behind(file, error)];
  }
}

function readText(file: string): string | undefined {
  const bytes = readBoundedFile(file, { maxBytes: MAX_SKILLS_LOCK_BYTES });
  return bytes && Buffer.from(bytes).toString();
}

function behind(file: string, { message }: SkilletError): Diagnostic {
  return {
    code: "skills-lock-behind",
    severity: "warning",
    message: `${SKILLS_LOCK} does not follow this change: ${message}`,
    file,
    hint: "When that is put right: skillet install --project --skills-lock",
  };
}

const SKILLS_LOCK = "skills-lock.json";

const MAX_SKILLS_LOCK_BYTES: number = 16 * 1024 * 1024;

/** Writes what was just installed into the project's `skills-lock.json` too, for people who use that tool. */
export async function writeSkillsLock(
  { hub }: Pick<CommandHub, "hub">,
  items: readonly PlanItem[],
): Promise<void> {
  const { formatSkillsLock, skillsHash } = loadInstalling();
  const file = join(hub.root, SKILLS_LOCK);
  const hashes = new Map(items.map(({ name, candidate }) => [name, skillsHash(candidate.files)]));
  await withFileLock(`${file}.lock`, async () => {
    const bytes = readBoundedFile(file, { maxBytes: MAX_SKILLS_LOCK_BYTES });
    const existing = bytes && { existing: Buffer.from(bytes).toString() };
    await writeAtomic(file, formatSkillsLock(await hub.list(), { hashes, ...existing }), { links: "refuse" });
  });
}

/**
 * Lets lists of skills and sessions know what the scan said of what was just installed, so that nobody scans it again.
 *
 * What is kept is about bytes. Whether the same bytes lie in a place is found out by whoever looks: files that were
 * written a moment ago could still change without their status telling.
 */
export async function rememberVerdicts(
  context: CommandContext,
  { hub, scope, skills }: CommandHub,
  items: readonly PlanItem[],
): Promise<void> {
  const { endpoint, model } = skills.config.config.scan.judge;
  // A second opinion is wanted, which an install does not ask for.
  if (endpoint !== undefined && model !== undefined) return;
  const vetter = await openVetter(context, skills);
  for (const { name, candidate, entry, report } of items) {
    const folder = resolve(hub.root, entry.targets[0]?.path ?? "");
    const at = { name, scope: scope.kind === "user" ? "plugin" : "project" } as const;
    // A session reads no more than this of a skill, so that what it would say of a larger one may be something else.
    if (!isWithinBounds(candidate.files)) continue;
    if (candidate.parts === undefined) {
      const skill = toVet({ ...at, folder }, candidate.files);
      const { files: _, ...content } = await skill.read(DEFAULT_SCAN_LIMITS);
      await vetter.keep(skill, { content, stamp: undefined, report });
      continue;
    }
    // A plugin is scanned whole, but its skills are judged one by one.
    for (const part of candidate.parts.skills) {
      const place = { ...at, name: `${name}:${part.name}`, folder: join(folder, part.folder) };
      await vetter.inspect(toVet(place, filesBelow(candidate.files, part.folder)));
    }
  }
  await vetter.flush();
}

function isWithinBounds(files: readonly TreeFile[]): boolean {
  const { maxFileBytes, maxTotalBytes } = DEFAULT_SCAN_LIMITS;
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return total <= maxTotalBytes && files.every(({ bytes }) => bytes.length <= maxFileBytes);
}

/** A skill of which all bytes are in memory already. */
function toVet(
  { name, scope, folder }: Pick<SkillToVet, "name" | "scope"> & { readonly folder: string },
  files: readonly TreeFile[],
): SkillToVet {
  const main = files.find(({ path }) => /^(?:SKILL|skill)\.md$/.test(path));
  const digest = treeDigestOf(files);
  return {
    name,
    scope,
    path: join(folder, main?.path ?? "SKILL.md"),
    stamp: () => undefined,
    read: async () => ({
      files,
      digest,
      readDigest: digest,
      ...(main !== undefined && { skillDigest: digestBytes(main.bytes) }),
    }),
  };
}

function filesBelow(files: readonly TreeFile[], folder: string): readonly TreeFile[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  return files
    .filter(({ path }) => path.startsWith(prefix))
    .map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
}
