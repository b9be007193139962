import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Skill, Skills } from "@skillet/core";
import { type FindInstalled, type InstalledSource, type LockEntry, readLock } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { isInside } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";
import { onSkilletError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { orWarned, readInstalled } from "../context/open-registry.ts";
import { showPin } from "./report-results.ts";

export type ProjectSource = Pick<LockEntry, "source" | "resolved"> & { readonly name: string };

/** Returns a project lock's entry for a skill: a claim of the project's authors, never a reason to trust. */
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

/** Warns if an installed skill's files are not those that were installed. */
export async function tellEdited(context: CommandContext, skills: Skills, skill: Skill): Promise<void> {
  const installed = (await readInstalled(context, skills))(skill.path);
  const { treeDigest } = await skills.reader.indexResources(skill);
  if (installed?.kind !== "skill" || treeDigest === installed.digest) return;
  const { name } = installed;
  context.terminal.warn(`${name} was edited since it was installed: skillet diff ${shellArgument(name)}`);
}

/** For example `from anthropics/skills@pdf (a1b2c3d)`; undefined for skills that were not installed. */
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

/**
 * Says how to repair a broken link: deleting a link that Skillet placed, or keeps while a skill is disabled,
 * would not repair it. An unreadable project lock is reported elsewhere.
 */
export async function createLinkCure(
  { home, project }: Skills,
  find: FindInstalled,
): Promise<(fault: Diagnostic) => Diagnostic> {
  const root = project?.root ?? "";
  const lock = project && (await readLock(join(root, "skillet.lock")).catch(onSkilletError(() => undefined)));
  const inProject = [...(lock?.skills ?? [])];
  const cureOf = (file: string): string | undefined => {
    const placed = inProject.find(([, one]) => one.targets.some(({ path }) => resolve(root, path) === file));
    if (placed !== undefined) return putBack(placed[0], " --project");
    if (isInside(file, join(home, "disabled")))
      return `It is kept there while the skill is disabled. To bring it back: skillet enable ${shellArgument(basename(file))}`;
    const installed = find(file);
    if (installed === undefined) return undefined;
    const { name, resolved } = installed;
    return resolved.kind === "local" && !existsSync(resolved.path)
      ? `${name} is installed from ${resolved.path}, which is gone. Bring that folder back, or: skillet remove ${shellArgument(name)}`
      : putBack(name);
  };
  return (fault) => {
    const hint = fault.code === "link-broken" ? cureOf(fault.file) : undefined;
    return hint === undefined ? fault : { ...fault, hint };
  };
}

const putBack = (name: string, flag = ""): string =>
  `It belongs to ${name}, which is installed. To put it back: skillet install --discard${flag}`;
