import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside } from "@skillet/kit/files";
import type { Drift, LockEntry } from "../lock/lock-entry.ts";
import type { FetchContext } from "../sources/fetch-context.ts";
import { parseSource, sourceOrNone } from "../sources/parse-source.ts";
import {
  placeOnThisMachine,
  type Resolved,
  type Source,
  showSource,
  sourceOfResolved,
} from "../sources/source.ts";
import { type HubParts, scopedCommand, shellWord } from "./hub-parts.ts";

type Place = Pick<HubParts, "scope" | "root">;
type Homes = Pick<HubParts, "root" | "userHome">;

/** A source as a lock stores it: folders of a project are relative to it, so that it means the same to everyone. */
export function lockSource(source: Source, place: Place): string {
  return showSource(source.kind === "local" ? { ...source, path: lockPath(source.path, place) } : source);
}

export function lockResolved(resolved: Resolved, place: Place): Resolved {
  return resolved.kind === "local" ? { ...resolved, path: lockPath(resolved.path, place) } : resolved;
}

function lockPath(path: string, { scope, root }: Place): string {
  if (scope.kind === "user" || !isAbsolute(path)) return path;
  const below = relative(root, path).split(sep).join("/");
  if (below === ".." || below.startsWith("../") || isAbsolute(below)) return path;
  // The destination of a link is not part of the project, so the lock names the real path.
  const place = canonicalPath(path);
  return isInside(place, canonicalPath(root)) ? `./${below}` : place;
}

export function parseLockSource(text: string, { root, userHome }: Homes): Source {
  return parseSource(text, { workspace: root, userHome });
}

/** Whether two texts name the same source, possibly at different versions. */
export function isSameSource(left: string, right: string, parts: Homes): boolean {
  return left === right || unversioned(left, parts) === unversioned(right, parts);
}

function unversioned(text: string, parts: Homes): string {
  const source = Object.entries(parseLockSource(text, parts));
  const rest = source.filter(([key]) => !["ref", "version", "tag", "digest"].includes(key));
  return showSource(Object.fromEntries(rest) as unknown as Source);
}

/** Whether an entry's files were read from one of its own targets, which was there before Skillet listed it. */
export function isAdopted(
  { root }: Pick<HubParts, "root">,
  { resolved, targets, linked }: Pick<LockEntry, "resolved" | "targets" | "linked">,
): boolean {
  if (linked === true || resolved.kind !== "local") return false;
  const [folder, ...places] = [resolved, ...targets].map(({ path }) => canonicalPath(resolve(root, path)));
  return places.some((place) => place === folder);
}

/** Where an entry really comes from, unless its source says so: a marketplace may redirect its users to anyone. */
export function takenFrom(
  { source, resolved }: Pick<LockEntry, "source" | "resolved">,
  parts: Homes,
): string | undefined {
  // The source in an old lock may no longer parse; the pin shows where it is.
  const named = sourceOrNone(source, { ...parts, workspace: parts.root });
  if (named !== undefined && isSamePlace(named, resolved)) return undefined;
  return showSource(sourceOfResolved(resolved, (path) => path));
}

// The same kind and address; a folder may be written in two ways, and is local either way.
function isSamePlace(source: Source, resolved: Resolved): boolean {
  if (source.kind === "git") return resolved.kind === "git" && resolved.url === source.url;
  if (source.kind === "archive") return resolved.kind === "archive" && resolved.location === source.location;
  if (source.kind === "npm") return resolved.kind === "npm" && resolved.name === source.name;
  if (source.kind === "oci") {
    const { registry, repository } = source;
    return resolved.kind === "oci" && resolved.registry === registry && resolved.repository === repository;
  }
  // The pages of a site say where its bytes are, and only its operator writes them.
  return resolved.kind === source.kind;
}

/**
 * How to fetch the source of a lock's entry: as requested by the user, if only this user's own commands wrote it.
 *
 * A project's lock comes with the project, another skill required a dependency, and the author of an imported file
 * wrote its entries.
 */
export function fetchingFor(
  { scope, fetching }: Pick<HubParts, "scope" | "fetching">,
  { requiredBy, askedBy }: Pick<LockEntry, "requiredBy" | "askedBy">,
): FetchContext {
  const isPersons = scope.kind === "user" && requiredBy === undefined && askedBy === undefined;
  return isPersons ? { ...fetching, askedBy: "person" } : fetching;
}

/** Why a source may not be used in place: a project's lock must not lead everyone who clones it elsewhere. */
export function linkProblem({ scope, root }: Place, path: string): string | undefined {
  if (scope.kind === "user") return undefined;
  const place = canonicalPath(isAbsolute(path) ? path : join(root, path));
  return isInside(place, canonicalPath(root)) ? undefined : `${path} lies outside the project`;
}

/** Reports a project's link that leads out of the project as drift. */
export function linkDrift(parts: Place, { linked, resolved, targets }: LockEntry): readonly Drift[] {
  if (linked !== true || resolved.kind !== "local") return [];
  const problem = linkProblem(parts, resolved.path);
  if (problem === undefined) return [];
  const message = `is used in place, but ${problem}`;
  return [{ target: targets[0]?.path ?? "", file: "", kind: "link", message }];
}

/** A lock comes with a repository: it could name a folder with someone's notes, and pull them into the project. */
export async function checkInside(parts: HubParts, name: string, entry: LockEntry): Promise<void> {
  const { source } = entry;
  const away = outsidePaths(parts, entry);
  const [path] = away;
  if (path === undefined) return;
  // The user installed from a folder of the project, not from the destination of a link that replaced it since.
  const led = away.find((one) => isInside(resolve(parts.root, one), parts.root));
  if (led !== undefined) {
    const place = canonicalPath(resolve(parts.root, led));
    const install = scopedCommand(parts, `install ${shellWord(place)}`);
    const message = `its source ${source} lies in the project by its name, but a link leads outside the project, to ${place}. If that is what you want, remove ${name} and install it from there: ${install}`;
    throw new SkilletError("source-outside-project", message, { data: { name, source, place } });
  }
  if (await parts.decisions.isNamed(parts.lockFile, source)) return;
  const message = `the lock names a source that you did not choose on this machine: ${linkProblem(parts, path)}. If it is yours, install it yourself: skillet install ${shellWord(source)} --project`;
  throw new SkilletError("source-outside-project", message, { data: { name, source } });
}

/** Local paths outside the project that an entry of the project's lock leads to; none for a user's own lock. */
export function outsidePaths(
  parts: Pick<HubParts, "scope" | "root" | "userHome">,
  { source, resolved }: Pick<LockEntry, "source" | "resolved">,
): readonly string[] {
  if (parts.scope.kind === "user") return [];
  return [parseLockSource(source, parts), resolved]
    .map(placeOnThisMachine)
    .filter((path) => path !== undefined)
    .filter((path) => linkProblem(parts, path) !== undefined);
}
