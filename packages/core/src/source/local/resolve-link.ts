import { readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { errorCode } from "../../error-code.ts";
import { isInside } from "../is-inside.ts";

/** Where a link leads, and whether it may be followed. */
export type ResolvedLink =
  | { readonly kind: "inside"; readonly canonical: string; readonly stats: Stats }
  | { readonly kind: "outside"; readonly canonical: string; readonly stats: Stats }
  | { readonly kind: "broken"; readonly target: string };

/** Resolves a link against the folders it may lead into; a loop or a missing target is broken. */
export function resolveLink(absolute: string, allowedRoots: readonly string[]): ResolvedLink {
  try {
    const canonical = realpathSync(absolute);
    const stats = statSync(canonical);
    const kind = allowedRoots.some((root) => isInside(canonical, root)) ? "inside" : "outside";
    return { kind, canonical, stats };
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ENOENT" && code !== "ELOOP" && code !== "ENOTDIR" && code !== "EACCES") throw error;
    return { kind: "broken", target: readTarget(absolute) };
  }
}

function readTarget(absolute: string): string {
  try {
    return readlinkSync(absolute);
  } catch (error) {
    // It vanished between the listing and now.
    if (errorCode(error) === "ENOENT") return "?";
    throw error;
  }
}
