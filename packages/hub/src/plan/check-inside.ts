import { resolve } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import type { LockEntry } from "../lock/lock-entry.ts";
import { contains } from "../place/locate-target.ts";
import type { Source } from "../source/source.ts";
import type { HubParts } from "./hub-parts.ts";
import { isAskedHere } from "./is-asked-here.ts";
import { linkProblem } from "./linked-entry.ts";
import { parseLockSource } from "./lock-source.ts";
import { scopedCommand } from "./scoped-command.ts";
import { shellWord } from "./shell-word.ts";

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
