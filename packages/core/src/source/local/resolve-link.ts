import { readlinkSync, type Stats } from "node:fs";
import { isInside, leadsNowhere, resolveLinks } from "@skillet/kit/files";
import { statusOf } from "./status-of.ts";

export type ResolvedLink =
  | { readonly kind: "inside"; readonly canonical: string; readonly stats: Stats }
  | { readonly kind: "outside"; readonly canonical: string; readonly stats: Stats }
  | { readonly kind: "broken"; readonly target: string };

/** Resolves a link against the folders it may lead into; one that leads nowhere is broken. */
export function resolveLink(absolute: string, allowedRoots: readonly string[]): ResolvedLink {
  const canonical = resolveLinks(absolute);
  const stats = canonical === undefined ? undefined : statusOf(canonical);
  if (canonical === undefined || stats === undefined) return { kind: "broken", target: readTarget(absolute) };
  const kind = allowedRoots.some((root) => isInside(canonical, root)) ? "inside" : "outside";
  return { kind, canonical, stats };
}

function readTarget(absolute: string): string {
  try {
    return readlinkSync(absolute);
  } catch (error) {
    // It vanished between the listing and now, or something else took its place.
    if (leadsNowhere(error)) return "?";
    throw error;
  }
}
