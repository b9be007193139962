import type { TreeFile } from "@skillet/core";
import { digestBytes } from "@skillet/kit/digest";
import type { Capabilities } from "@skillet/scan";
import type { Inspected } from "../inspect/inspected.ts";
import type { LockEntry, LockedFile, LockedTarget } from "../lock/lock-entry.ts";

/** What a lock says besides what follows from the bytes. */
export interface EntryDetails {
  /** As `showSource` writes it. */
  readonly source: string;
  readonly targets: readonly LockedTarget[];
  readonly declaredName?: string | undefined;
  readonly requires?: readonly string[];
  readonly requiredBy?: readonly string[] | undefined;
  readonly askedBy?: LockEntry["askedBy"] | undefined;
  /** The entry that is replaced; pins and permissions of it stay. */
  readonly before?: LockEntry | undefined;
}

/** The lock's entry for an inspected candidate. */
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

/** Files as a lock lists them. */
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
