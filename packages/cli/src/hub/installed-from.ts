import { join } from "node:path";
import type { Skills } from "@skillet/core";
import { type FindInstalled, type InstalledSource, type LockEntry, readLock } from "@skillet/hub";
import { SkilletError } from "@skillet/kit/errors";
import type { CommandContext } from "../context/command-context.ts";
import { readInstalled } from "../context/open-registry.ts";
import { stripControl } from "../ui/text.ts";
import { showPin } from "./report-results.ts";

type FindLocked = (path: string) => { readonly name: string; readonly entry: LockEntry } | undefined;

/** Finds skills in a project's lock: a claim of the project's authors, never a reason to trust. */
async function readProjectLock(
  { project }: Pick<Skills, "project">,
  onUnreadable: (message: string) => void,
): Promise<FindLocked> {
  if (project === undefined) return () => undefined;
  try {
    const { skills } = await readLock(join(project.root, "skillet.lock"));
    const placed = [...skills].flatMap(([name, entry]) =>
      entry.targets.map(({ path }) => ({ folder: `${join(project.root, path)}/`, name, entry })),
    );
    return (path) => placed.find(({ folder }) => path.startsWith(folder));
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    onUnreadable(error.message);
    return () => undefined;
  }
}

export type ProjectSource = Pick<LockEntry, "source" | "resolved"> & { readonly name: string };

export async function projectSource(
  { terminal }: Pick<CommandContext, "terminal">,
  skills: Pick<Skills, "project">,
  path: string,
): Promise<ProjectSource | undefined> {
  const find = await readProjectLock(skills, (message) => terminal.warn(stripControl(message)));
  const found = find(path);
  return found && { name: found.name, source: found.entry.source, resolved: found.entry.resolved };
}

export function findInstalledOf(
  context: Pick<CommandContext, "terminal" | "environment">,
  { home, config }: Pick<Skills, "home" | "config">,
): Promise<FindInstalled> {
  return readInstalled(context, { home, trustedSources: config.config.scan.trustedSources });
}

/** `from anthropics/skills@pdf (a1b2c3d)`; undefined for skills that were not installed. */
export function installedWords(installed: InstalledSource | undefined): string | undefined {
  if (installed === undefined) return undefined;
  const { source, resolved, pinned } = installed;
  const pin = resolved.kind === "local" ? "" : ` (${showPin(resolved)})`;
  return `from ${source}${pin}${pinned === undefined ? "" : `, pinned: ${pinned}`}`;
}
