import { SkilletError } from "@skillet/kit/errors";
import type { Resolved } from "../fetch/resolved.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { showSource } from "../source/show-source.ts";
import type { Source } from "../source/source.ts";
import { sourceOfResolved } from "../source/source-of-resolved.ts";
import type { HubParts } from "./hub-parts.ts";
import { parseLockSource } from "./lock-source.ts";

/**
 * Where something really comes from, if that is not the source that was named; undefined where it is.
 *
 * A marketplace may send whoever follows it to anybody, and only this tells.
 */
export function takenFrom(
  { source, resolved }: Pick<LockEntry, "source" | "resolved">,
  parts: Pick<HubParts, "root" | "userHome">,
): string | undefined {
  if (isNamed(source, resolved, parts)) return undefined;
  return showSource(sourceOfResolved(resolved, (path) => path));
}

function isNamed(text: string, resolved: Resolved, parts: Pick<HubParts, "root" | "userHome">): boolean {
  try {
    return isSamePlace(parseLockSource(text, parts), resolved);
  } catch (error) {
    // What an old lock names may be no source any more; the pin tells where it is.
    if (SkilletError.isInstance(error)) return false;
    throw error;
  }
}

// Of the same kind and at the same address; a folder may be written in two ways, and is on this machine in both.
function isSamePlace(source: Source, resolved: Resolved): boolean {
  switch (source.kind) {
    case "git":
      return resolved.kind === "git" && resolved.url === source.url;
    case "archive":
      return resolved.kind === "archive" && resolved.location === source.location;
    case "npm":
      return resolved.kind === "npm" && resolved.name === source.name;
    case "oci":
      return (
        resolved.kind === "oci" &&
        resolved.registry === source.registry &&
        resolved.repository === source.repository
      );
    // Their own pages say where the bytes lie, and nobody but who runs them does.
    case "well-known":
    case "skill-file":
    case "local":
      return resolved.kind === source.kind;
  }
}
