import { join } from "node:path";
import type { Skill, Skills, Vetting } from "@skillet/core";
import { readApprovals, readVerdictFile, type VerdictFile } from "@skillet/core/internal";
import { type FindInstalled, type InstalledSource, type LockEntry, readLock } from "@skillet/hub";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { DEFAULT_SCAN_LIMITS } from "@skillet/scan";
import type { CommandContext } from "../context/command-context.ts";
import { openVetter, readInstalled, toVet } from "../context/open-registry.ts";
import type { ShownVerdict } from "../ui/skill-state.ts";
import { showPin } from "./report-results.ts";

interface Shown {
  readonly shown: readonly Skill[];
  readonly verdicts: ReadonlyMap<Skill, ShownVerdict>;
  readonly find: FindInstalled;
}

/**
 * Adds the verdicts of installed skills that are not known by their place yet, because they were placed a moment ago:
 * they are read, and what an install or a scan said of exactly these bytes holds. Nothing is scanned.
 *
 * A lock only says which skills are worth a look; what holds for them follows from their bytes.
 */
export async function addInstalledVerdicts(
  context: CommandContext,
  skills: Skills,
  { shown, verdicts, find }: Shown,
): Promise<ReadonlyMap<Skill, ShownVerdict>> {
  const { endpoint, model } = skills.config.config.scan.judge;
  const known = readVerdictFile(join(skills.home, "cache"));
  // A second opinion that is wanted is asked for when a session starts, and not by a list.
  if (known === undefined || (endpoint !== undefined && model !== undefined)) return verdicts;
  const worthALook = await likelyKnown(skills, { shown, verdicts, find }, known);
  if (worthALook.length === 0) return verdicts;
  const vetter = await openVetter(context, skills);
  if (vetter.ruleSet !== known.ruleSet) return verdicts;
  const judged: Skill[] = [];
  for (const skill of worthALook.slice(0, MAX_READ))
    if (await isKnown(skills, skill, known)) judged.push(skill);
  try {
    const vettings = await vetter.vet(judged.map((skill) => toVet(skills, skill)));
    const { approvals } = readApprovals(skills.home);
    const isApproved = (digest: Digest | undefined): boolean => digest !== undefined && approvals.has(digest);
    const added = judged.flatMap((skill, index) => shownOf(skill, vettings[index], isApproved));
    return new Map([...verdicts, ...added]);
  } catch (error) {
    // A file that is broken approves nothing; every command that scans says so.
    if (SkilletError.isInstance(error) && error.code === "approvals-invalid") return verdicts;
    throw error;
  }
}

// Each is read whole; what is read is known by its place soon after, so that the next list has room for others.
const MAX_READ = 256;

async function likelyKnown(
  skills: Skills,
  { shown, verdicts, find }: Shown,
  known: VerdictFile,
): Promise<readonly Skill[]> {
  const unknown = shown.filter((skill) => !verdicts.has(skill));
  if (unknown.length === 0) return [];
  const findInProject = await projectEntries(skills);
  return unknown.filter(({ path }) => {
    const locked = find(path) ?? findInProject(path);
    return locked !== undefined && (locked.kind === "plugin" || known.verdicts.has(locked.digest));
  });
}

async function projectEntries({
  project,
}: Skills): Promise<(path: string) => Pick<LockEntry, "kind" | "digest"> | undefined> {
  if (project === undefined) return () => undefined;
  try {
    const { skills } = await readLock(join(project.root, "skillet.lock"));
    const placed = [...skills.values()].flatMap((entry) =>
      entry.targets.map(({ path }) => ({ folder: `${join(project.root, path)}/`, entry })),
    );
    return (path) => placed.find(({ folder }) => path.startsWith(folder))?.entry;
  } catch (error) {
    // A lock that cannot be read lists nothing; the commands that need it say so.
    if (!SkilletError.isInstance(error)) throw error;
    return () => undefined;
  }
}

function shownOf(
  skill: Skill,
  vetting: Vetting | undefined,
  isApproved: (digest: Digest | undefined) => boolean,
): readonly [Skill, ShownVerdict][] {
  if (vetting === undefined || vetting.verdict === "unknown") return [];
  const { verdict, reason: withheld, digest, outcome } = vetting;
  const approved = verdict === "dangerous" && outcome === "allow" && isApproved(digest);
  return [[skill, { verdict, withheld, ...(approved && { approved }) }]];
}

async function isKnown(skills: Skills, skill: Skill, { verdicts }: VerdictFile): Promise<boolean> {
  try {
    const { digest } = await skills.reader.readContent(skill, DEFAULT_SCAN_LIMITS);
    return digest !== undefined && verdicts.has(digest);
  } catch (error) {
    // An unreadable skill has no known verdict.
    if (!SkilletError.isInstance(error)) throw error;
    return false;
  }
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
