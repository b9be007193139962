import { isAbsolute, join, relative, sep } from "node:path";
import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes } from "@skillet/kit/digest";
import { canonicalPath } from "@skillet/kit/files";
import type { Capabilities } from "@skillet/scan";
import type { Inspected } from "../inspect/inspect-candidate.ts";
import type { LockEntry, LockedFile, LockedTarget } from "../lock/lock-entry.ts";
import type { Drift } from "../place/find-drift.ts";
import { contains } from "../place/locate-target.ts";
import { parseSource } from "../sources/parse-source.ts";
import { showSource } from "../sources/show-source.ts";
import type { Resolved, Source } from "../sources/source.ts";
import type { HubParts } from "./hub-parts.ts";
import type { Refusal } from "./plan.ts";

interface EntryDetails {
  readonly source: string;
  readonly targets: readonly LockedTarget[];
  readonly declaredName?: string | undefined;
  readonly requires?: readonly string[];
  readonly requiredBy?: readonly string[] | undefined;
  readonly askedBy?: LockEntry["askedBy"] | undefined;
  readonly before?: LockEntry | undefined;
}

export function createEntry({ candidate, report, origin }: Inspected, details: EntryDetails): LockEntry {
  const { kind, resolved, folder, digest, files, parts } = candidate;
  const { source, targets, declaredName, requires = [], requiredBy, askedBy, before } = details;
  return {
    ...carriedOver(before),
    kind,
    source,
    resolved,
    folder,
    digest,
    files: lockedFiles(files),
    capabilities: capabilitiesOf(report.capabilities),
    report: { origin, verdict: report.verdict, scanner: report.ruleSet },
    targets,
    ...(declaredName !== undefined && { declaredName }),
    ...(requires.length > 0 && { requires }),
    ...(requiredBy !== undefined && requiredBy.length > 0 && { requiredBy }),
    ...(askedBy !== undefined && { askedBy }),
    ...(parts !== undefined && { allowed: before?.allowed ?? { hooks: false, mcpServers: false } }),
  };
}

export function lockedFiles(files: readonly TreeFile[]): LockEntry["files"] {
  return Object.fromEntries(
    files.map(({ path, mode, bytes }): [string, LockedFile] => [
      path,
      { digest: digestBytes(bytes), size: bytes.length, mode: mode === "755" ? "755" : "644" },
    ]),
  );
}

function carriedOver(before: LockEntry | undefined): Partial<LockEntry> {
  return before?.pinned === undefined ? {} : { pinned: before.pinned };
}

function capabilitiesOf(capabilities: Capabilities): Capabilities {
  return { ...capabilities };
}

/** Why a source may not be used in place: a project's lock must not lead everybody who clones it elsewhere. */
export function linkProblem(
  { scope, root }: Pick<HubParts, "scope" | "root">,
  path: string,
): string | undefined {
  if (scope.kind === "user") return undefined;
  const place = canonicalPath(isAbsolute(path) ? path : join(root, path));
  return contains(canonicalPath(root), place) ? undefined : `${path} lies outside the project`;
}

export function linkDrift(
  parts: Pick<HubParts, "scope" | "root">,
  { linked, resolved, targets }: LockEntry,
): readonly Drift[] {
  if (linked !== true || resolved.kind !== "local") return [];
  const problem = linkProblem(parts, resolved.path);
  if (problem === undefined) return [];
  return [
    { target: targets[0]?.path ?? "", file: "", kind: "link", message: `is used in place, but ${problem}` },
  ];
}

export function refuseLinked(name: string, { source, digest }: LockEntry): Refusal {
  const reason = `${name} is linked: its folder is used as it is, so nothing holds it to what the lock says. Install it without --link, or leave --frozen away.`;
  return { name, source, digest, code: "frozen-mismatch", reason };
}

export function refuseLinkedUpdate(name: string, { source, digest }: LockEntry): Refusal {
  const reason = `${name} is linked: its folder is used as it is, so there is nothing to update. Bring the folder itself up to date, or install it without --link.`;
  return { name, source, digest, code: "linked", reason };
}

export function noteLinked(
  parts: Pick<HubParts, "scope" | "root" | "lockFile">,
  name: string,
  { resolved }: LockEntry,
): Diagnostic {
  const problem =
    resolved.kind === "local" ? linkProblem(parts, resolved.path) : "its source is no folder of this machine";
  return {
    code: "linked-unchecked",
    severity: problem === undefined ? "info" : "warning",
    message: `${name} is linked, so its folder is used as it is: it is neither compared with the lock nor scanned here${problem === undefined ? "" : `, and ${problem}`}.`,
    file: parts.lockFile,
    hint: "If you did not link it yourself, look at it with `skillet scan`, and install it without --link.",
  };
}

type Place = Pick<HubParts, "scope" | "root">;

/** A source as a lock keeps it: folders of a project are relative to it, so that it means the same to everybody. */
export function lockSource(source: Source, place: Place): string {
  return showSource(source.kind === "local" ? { ...source, path: lockPath(source.path, place) } : source);
}

export function lockResolved(resolved: Resolved, place: Place): Resolved {
  return resolved.kind === "local" ? { ...resolved, path: lockPath(resolved.path, place) } : resolved;
}

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
