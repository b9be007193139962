import { join } from "node:path";
import type { Skill, Skills } from "@skillet/core";
import { readApprovals, readVerdictFile, type VerdictFile } from "@skillet/core/internal";
import { type FindInstalled, type InstalledSource, type LockEntry, readLock } from "@skillet/hub";
import { SkilletError } from "@skillet/kit/errors";
import { DEFAULT_SCAN_LIMITS } from "@skillet/scan";
import type { CommandContext } from "../context/command-context.ts";
import { openVetter, readInstalled, toVet } from "../context/open-registry.ts";
import { readUserRules } from "../context/user-rules.ts";
import type { ShownVerdict } from "../ui/skill-state.ts";
import { stripControl } from "../ui/text.ts";
import { showPin } from "./report-results.ts";

type Verdicts = ReadonlyMap<Skill, ShownVerdict>;

/**
 * Skills that were not scanned as they are now are left out. Most are known by their place, without reading
 * anything; those placed a moment ago are read, and what an install or a scan said of exactly these bytes
 * holds.
 */
export async function knownVerdicts(
  context: CommandContext,
  skills: Skills,
  { shown, find }: { readonly shown: readonly Skill[]; readonly find: FindInstalled },
): Promise<Verdicts> {
  const { home, config } = skills;
  const known = readVerdictFile(join(home, "cache"));
  if (known === undefined) return new Map();
  const rules = await orUndefined(() => readUserRules({ home, packs: config.config.scan.rules }));
  if (known.ruleSet !== rules?.ruleSet) return new Map();
  const approvals = await orUndefined(() => readApprovals(home).approvals);
  const verdicts = new Map<Skill, ShownVerdict>();
  for (const skill of shown) {
    const place = known.places.get(skill.path);
    if (place === undefined || skills.reader.stamp(skill)?.text !== place.stamp) continue;
    const { verdict, withheld, digest } = place;
    const needsApproval = verdict === "dangerous" && withheld === undefined;
    if (!needsApproval) verdicts.set(skill, { verdict, withheld });
    // Once an approval is withdrawn, the recorded verdict is out of date.
    else if (approvals?.has(digest) === true) verdicts.set(skill, { verdict, withheld, approved: true });
  }
  const { endpoint, model } = config.config.scan.judge;
  // A second opinion that is wanted is asked for when a session starts, and not by a list.
  if (approvals === undefined || (endpoint !== undefined && model !== undefined)) return verdicts;
  const unknown = shown.filter((skill) => !verdicts.has(skill));
  const judged = await knownByContent(skills, unknown, { known, find });
  if (judged.length === 0) return verdicts;
  const vettings = await (await openVetter(context, skills)).vet(judged.map((skill) => toVet(skills, skill)));
  for (const [index, skill] of judged.entries()) {
    const { verdict = "unknown", reason: withheld, digest, outcome } = vettings[index] ?? {};
    if (verdict === "unknown") continue;
    const isApproved = digest !== undefined && approvals.has(digest);
    const approved = verdict === "dangerous" && outcome === "allow" && isApproved;
    verdicts.set(skill, { verdict, withheld, ...(approved && { approved }) });
  }
  return verdicts;
}

// Rule packs, approvals and skills that cannot be read are reported by every command that scans; a list needs none of them.
async function orUndefined<Result>(read: () => Result | Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}

// Each is read whole; what is read is known by its place soon after, so that the next list has room for others.
const MAX_READ = 256;

/** The skills whose bytes were judged before. A lock only says which are worth a look. */
async function knownByContent(
  skills: Skills,
  unknown: readonly Skill[],
  { known, find }: { readonly known: VerdictFile; readonly find: FindInstalled },
): Promise<readonly Skill[]> {
  if (unknown.length === 0) return [];
  const findInProject = await readProjectLock(skills, () => undefined);
  const likely = unknown.filter(({ path }) => {
    const locked = find(path) ?? findInProject(path)?.entry;
    return locked !== undefined && (locked.kind === "plugin" || known.verdicts.has(locked.digest));
  });
  const judged: Skill[] = [];
  for (const skill of likely.slice(0, MAX_READ)) {
    const content = await orUndefined(() => skills.reader.readContent(skill, DEFAULT_SCAN_LIMITS));
    if (content?.digest !== undefined && known.verdicts.has(content.digest)) judged.push(skill);
  }
  return judged;
}

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
  context: Pick<CommandContext, "terminal">,
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
