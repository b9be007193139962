import { SkilletError } from "@skillet/core";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { Source } from "../source/source.ts";
import type { HubParts } from "./hub-parts.ts";
import { isAskedHere } from "./is-asked-here.ts";
import { linkProblem } from "./linked-entry.ts";
import { parseLockSource } from "./lock-source.ts";

/**
 * Refuses what a project's lock would have read from this machine outside the project, unless a person here asked for it.
 *
 * A lock comes with a repository: it could name the folder of somebody's notes, and they would lie in the project then.
 */
export async function checkInside(parts: HubParts, name: string, entry: LockEntry): Promise<void> {
  if (parts.scope.kind === "user") return;
  const { resolved } = entry;
  const paths = [
    pathOf(parseLockSource(entry.source, parts)),
    resolved.kind === "local" ? resolved.path : undefined,
    resolved.kind === "git" ? pathOf({ kind: "git", url: resolved.url }) : undefined,
    resolved.kind === "archive" ? pathOf({ kind: "archive", location: resolved.location }) : undefined,
  ];
  const problem = paths.map((path) => path && linkProblem(parts, path)).find((found) => found !== undefined);
  if (problem === undefined || (await isAskedHere(parts, entry))) return;
  const message = `the lock names a source for it that nobody on this machine asked for: ${problem}. If it is yours, install it yourself: skillet install ${entry.source} --project`;
  throw new SkilletError("source-outside-project", message, { data: { name, source: entry.source } });
}

function pathOf(source: Source): string | undefined {
  if (source.kind === "local") return source.path;
  if (source.kind === "archive") return source.location.startsWith("/") ? source.location : undefined;
  if (source.kind !== "git" || !/^file:/i.test(source.url)) return undefined;
  // With escapes in it git reads what nobody else does; no project lies there.
  return /^file:\/\/(\/[^%?#]*)$/i.exec(source.url)?.[1] ?? "/";
}
