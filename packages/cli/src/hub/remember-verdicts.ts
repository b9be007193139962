import { join, resolve } from "node:path";
import type { SkillToVet, TreeFile } from "@skillet/core";
import type { PlanItem } from "@skillet/hub";
import { digestBytes, treeDigestOf } from "@skillet/kit/digest";
import { DEFAULT_SCAN_LIMITS } from "@skillet/scan";
import type { CommandContext } from "../context/command-context.ts";
import { openVetter } from "../context/open-registry.ts";
import type { CommandHub } from "./with-hub.ts";

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
