import { isAbsolute, relative, sep } from "node:path";
import { canonicalPath } from "@skillet/kit/files";
import type { Resolved } from "../fetch/resolved.ts";
import { contains } from "../place/locate-target.ts";
import { parseSource } from "../source/parse-source.ts";
import { showSource } from "../source/show-source.ts";
import type { Source } from "../source/source.ts";
import type { HubParts } from "./hub-parts.ts";

type Place = Pick<HubParts, "scope" | "root">;

/** A source as a lock keeps it: folders of a project are relative to it, so that it means the same to everybody. */
export function lockSource(source: Source, place: Place): string {
  return showSource(source.kind === "local" ? { ...source, path: lockPath(source.path, place) } : source);
}

/** A pin as a lock keeps it. */
export function lockResolved(resolved: Resolved, place: Place): Resolved {
  return resolved.kind === "local" ? { ...resolved, path: lockPath(resolved.path, place) } : resolved;
}

/** Reads a source from a lock. */
export function parseLockSource(text: string, parts: Pick<HubParts, "root" | "userHome">): Source {
  return parseSource(text, { workspace: parts.root, userHome: parts.userHome });
}

/** Whether two texts name the same thing, though perhaps other versions of it. */
export function isSameSource(
  left: string,
  right: string,
  parts: Pick<HubParts, "root" | "userHome">,
): boolean {
  return left === right || unversioned(left, parts) === unversioned(right, parts);
}

function lockPath(path: string, { scope, root }: Place): string {
  if (scope.kind === "user" || !isAbsolute(path)) return path;
  const below = relative(root, path).split(sep).join("/");
  if (below === ".." || below.startsWith("../") || isAbsolute(below)) return path;
  // What a link of the project leads to is not the project's: the lock names the place itself.
  const place = canonicalPath(path);
  return contains(canonicalPath(root), place) ? `./${below}` : place;
}

function unversioned(text: string, parts: Pick<HubParts, "root" | "userHome">): string {
  const source = parseLockSource(text, parts);
  switch (source.kind) {
    case "git": {
      const { ref: _, ...rest } = source;
      return showSource(rest);
    }
    case "npm": {
      const { version: _, ...rest } = source;
      return showSource(rest);
    }
    case "oci": {
      const { tag: _, digest: __, ...rest } = source;
      return showSource(rest);
    }
    default:
      return showSource(source);
  }
}
