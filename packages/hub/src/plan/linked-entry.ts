import { isAbsolute, join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { canonicalPath } from "@skillet/kit/files";
import type { LockEntry } from "../lock/lock-entry.ts";
import { contains } from "../place/locate-target.ts";
import type { Drift } from "../verify/drift.ts";
import type { HubParts } from "./hub-parts.ts";
import type { Refusal } from "./plan.ts";

/** Why a source may not be used in place: a project's lock must not lead everybody who clones it elsewhere. */
export function linkProblem(
  { scope, root }: Pick<HubParts, "scope" | "root">,
  path: string,
): string | undefined {
  if (scope.kind === "user") return undefined;
  const place = canonicalPath(isAbsolute(path) ? path : join(root, path));
  return contains(canonicalPath(root), place) ? undefined : `${path} lies outside the project`;
}

/** A link of a project that leads out of it, as a difference from what its lock may say. */
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

/** That a frozen install cannot hold on to a folder that is used in place. */
export function refuseLinked(name: string, { source, digest }: LockEntry): Refusal {
  const reason = `${name} is linked: its folder is used as it is, so nothing holds it to what the lock says. Install it without --link, or leave --frozen away.`;
  return { name, source, digest, code: "frozen-mismatch", reason };
}

/** That there is no news of a folder that is used in place. */
export function refuseLinkedUpdate(name: string, { source, digest }: LockEntry): Refusal {
  const reason = `${name} is linked: its folder is used as it is, so there is nothing to update. Bring the folder itself up to date, or install it without --link.`;
  return { name, source, digest, code: "linked", reason };
}

/** That an entry is passed over, because its folder is used as it is. */
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
