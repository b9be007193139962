import { join } from "node:path";
import type { Skill, Skills } from "@skillet/core";
import { type InstalledSource, type LockEntry, readLock } from "@skillet/hub";
import { shellArgument } from "@skillet/kit/text";
import type { CommandContext } from "../context/command-context.ts";
import { orWarned, readInstalled } from "../context/open-registry.ts";
import { showPin } from "./report-results.ts";

export type ProjectSource = Pick<LockEntry, "source" | "resolved"> & { readonly name: string };

/** What a project's lock says of a skill: a claim of the project's authors, never a reason to trust. */
export async function projectSource(
  context: Pick<CommandContext, "terminal">,
  { project }: Pick<Skills, "project">,
  path: string,
): Promise<ProjectSource | undefined> {
  if (project === undefined) return undefined;
  const { root } = project;
  const lock = await orWarned(context, () => readLock(join(root, "skillet.lock")), undefined);
  for (const [name, { source, resolved, targets }] of lock?.skills ?? [])
    if (targets.some((target) => path.startsWith(`${join(root, target.path)}/`)))
      return { name, source, resolved };
  return undefined;
}

/** Warns of an installed skill whose files are not those that were installed. */
export async function tellEdited(context: CommandContext, skills: Skills, skill: Skill): Promise<void> {
  const installed = (await readInstalled(context, skills))(skill.path);
  const { treeDigest } = await skills.reader.indexResources(skill);
  if (installed?.kind !== "skill" || treeDigest === installed.digest) return;
  const { name } = installed;
  context.terminal.warn(`${name} was edited since it was installed: skillet diff ${shellArgument(name)}`);
}

/** `from anthropics/skills@pdf (a1b2c3d)`; undefined for skills that were not installed. */
export function installedWords(
  installed: InstalledSource | undefined,
  edited?: string | undefined,
): string | undefined {
  if (installed === undefined) return undefined;
  const { name, source, resolved, pinned } = installed;
  const pin = resolved.kind === "local" ? "" : ` (${showPin(resolved)})`;
  const since = edited && `. ${edited} was edited since: skillet diff ${shellArgument(name)}`;
  const held = pinned === undefined ? "" : `, pinned${pinned && `: ${pinned}`}`;
  return `from ${source}${pin}${held}${since ?? ""}`;
}
