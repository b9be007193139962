import { resolve } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import type { CandidateReading } from "../candidate/candidate.ts";
import { renameCandidate } from "../candidate/rename-candidate.ts";
import type { LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import { contains } from "../place/locate-target.ts";
import type { Source } from "../sources/source.ts";
import { targetsFor } from "../target/targets-for.ts";
import { linkProblem, parseLockSource } from "./create-entry.ts";
import { type HubParts, scopedCommand, shellWord } from "./hub-parts.ts";
import type { PlanItem, Refusal } from "./plan.ts";
import { planItem } from "./plan-item.ts";
import { refuseReading } from "./read-offer.ts";

export interface PlacingRequest {
  readonly as?: string;
  readonly agents: readonly string[];
  readonly agentTargets: "link" | "copy";
  readonly link: boolean;
  readonly force: boolean;
}

export async function planReading(
  parts: HubParts,
  request: PlacingRequest,
  read: {
    readonly reading: CandidateReading;
    readonly source: string;
    readonly requiredBy: readonly string[] | undefined;
    /** Who named the source: somebody at the keyboard or what is theirs, or what came from elsewhere. */
    readonly askedBy: "person" | "content";
  },
): Promise<PlanItem | Refusal> {
  const { reading, source, requiredBy, askedBy } = read;
  if ("problem" in reading) return refuseReading(reading, { source, verb: "installed" });
  const candidate = request.as === undefined ? reading : renameCandidate(reading, request.as);
  const { name } = candidate;
  const targets = targetsFor({
    scope: parts.scope,
    name,
    agents: request.agents,
    how: request.agentTargets,
    userHome: parts.userHome,
    environment: parts.environment,
  }).map((target): LockedTarget => (request.link ? { ...target, how: "link" } : target));
  return planItem(parts, candidate, {
    source,
    targets: withEarlier(parts, name, targets),
    force: request.force,
    isLinked: request.link,
    requiredBy,
    askedBy,
    ...(name !== reading.name && { declaredName: reading.name }),
  });
}

// Another agent gets it besides those that have it; nobody loses it by that.
function withEarlier(
  { lock }: HubParts,
  name: string,
  targets: readonly LockedTarget[],
): readonly LockedTarget[] {
  const entry = lock.skills.get(name);
  const isLinked = targets.every(({ how }) => how === "link");
  if (entry === undefined || (entry.linked === true) !== isLinked) return targets;
  const earlier = entry.targets.filter(({ path }) => targets.every((target) => target.path !== path));
  return [...targets, ...earlier];
}

/**
 * Refuses what a project's lock would have read from this machine outside the project, unless a person here asked for it.
 *
 * A lock comes with a repository: it could name the folder of somebody's notes, and they would lie in the project then.
 */
export async function checkInside(parts: HubParts, name: string, entry: LockEntry): Promise<void> {
  const away = outsidePaths(parts, entry);
  const [path] = away;
  if (path === undefined) return;
  // Whoever asked for a folder of the project did not ask for what a link leads to that came there since.
  const led = away.find((one) => contains(parts.root, resolve(parts.root, one)));
  if (led !== undefined) throw ledAway(parts, name, { source: entry.source, path: led });
  if (await isAskedHere(parts, entry)) return;
  const problem = linkProblem(parts, path);
  const message = `the lock names a source for it that nobody on this machine asked for: ${problem}. If it is yours, install it yourself: skillet install ${shellWord(entry.source)} --project`;
  throw new SkilletError("source-outside-project", message, { data: { name, source: entry.source } });
}

/** The paths of this machine outside the project that an entry of the project's lock leads to; none for a user's own. */
export function outsidePaths(
  parts: Pick<HubParts, "scope" | "root" | "userHome">,
  { source, resolved }: Pick<LockEntry, "source" | "resolved">,
): readonly string[] {
  if (parts.scope.kind === "user") return [];
  const paths = [
    pathOf(parseLockSource(source, parts)),
    resolved.kind === "local" ? resolved.path : undefined,
    resolved.kind === "git" ? pathOf({ kind: "git", url: resolved.url }) : undefined,
    resolved.kind === "archive" ? pathOf({ kind: "archive", location: resolved.location }) : undefined,
  ];
  return paths.filter((path) => path !== undefined).filter((path) => linkProblem(parts, path) !== undefined);
}

function ledAway(
  parts: HubParts,
  name: string,
  { source, path }: { readonly source: string; readonly path: string },
): SkilletError {
  const place = canonicalPath(resolve(parts.root, path));
  const install = scopedCommand(parts, `install ${shellWord(place)}`);
  const message = `its source ${source} lies in the project by its name, but a link leads outside the project, to ${place}. If that is what you want, remove ${name} and install it from there: ${install}`;
  return new SkilletError("source-outside-project", message, { data: { name, source, place } });
}

function pathOf(source: Source): string | undefined {
  if (source.kind === "local") return source.path;
  if (source.kind === "archive") return source.location.startsWith("/") ? source.location : undefined;
  if (source.kind !== "git" || !/^file:/i.test(source.url)) return undefined;
  // With escapes in it git reads what nobody else does; no project lies there.
  return /^file:\/\/(\/[^%?#]*)$/i.exec(source.url)?.[1] ?? "/";
}

/**
 * Whether a person on this machine once named this source for this lock; as what it counted then, if that matters.
 *
 * Bringing back what a lock says, or asking for news of it, is no such word: whoever wrote the lock named the source.
 */
export function isAskedHere(
  { decisions, lockFile }: Pick<HubParts, "decisions" | "lockFile">,
  { source }: Pick<LockEntry, "source">,
  { origin }: { readonly origin?: "local" } = {},
): Promise<boolean> {
  return decisions.isNamed({ lockFile, source, origin });
}
