import { readlinkSync, type Stats } from "node:fs";
import { isInside, leadsNowhere, resolveLinks, statusOf } from "@skillet/kit/files";
import { brokenLink, outsideLink, specialFile, type WalkMessage } from "./walk-messages.ts";

/** A link to a folder outside the allowed roots. */
export interface OutsideLink {
  /** The link's name in the listed folder. */
  readonly name: string;
  readonly canonical: string;
  readonly stats: Stats;
}

export interface LinkedFile {
  readonly file: string;
  readonly canonical: string;
}

export interface FollowedLinks {
  readonly files: readonly LinkedFile[];
  /** Folders to enter: the link's name, and its target. */
  readonly folders: ReadonlyMap<string, string>;
}

/** Follows the links of one folder that stay in the allowed roots; each folder is entered once. */
export function followLinks(options: {
  readonly absolute: string;
  readonly names: readonly string[];
  readonly allowedRoots: readonly string[];
  readonly entered: Set<string>;
  readonly isOffered: (name: string) => boolean;
  readonly onOutside: ((link: OutsideLink) => boolean) | undefined;
  readonly onProblem: (name: string, message: WalkMessage) => void;
}): FollowedLinks {
  const { onProblem } = options;
  const files: LinkedFile[] = [];
  const folders = new Map<string, string>();
  for (const name of options.names) {
    const link = resolveLink(`${options.absolute}/${name}`, options.allowedRoots);
    const isOffered = options.isOffered(name);
    if (link.kind === "broken") onProblem(name, brokenLink(link.target));
    else if (link.kind === "outside") {
      const { canonical, stats } = link;
      const isTaken = stats.isDirectory() && options.onOutside?.({ name, canonical, stats }) === true;
      if (!isTaken && (stats.isDirectory() || isOffered)) onProblem(name, outsideLink(canonical));
    } else if (link.stats.isDirectory() && !isOffered) {
      if (options.entered.has(link.canonical)) continue;
      options.entered.add(link.canonical);
      folders.set(name, link.canonical);
    } else if (isOffered) {
      if (link.stats.isFile()) files.push({ file: name, canonical: link.canonical });
      else onProblem(name, specialFile());
    }
  }
  return { files, folders };
}

type ResolvedLink =
  | { readonly kind: "inside" | "outside"; readonly canonical: string; readonly stats: Stats }
  | { readonly kind: "broken"; readonly target: string };

function resolveLink(absolute: string, allowedRoots: readonly string[]): ResolvedLink {
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
    // It vanished after the listing, or something else took its place.
    if (leadsNowhere(error)) return "?";
    throw error;
  }
}
