import { type Digest, digestTree, type TreeEntry } from "@skillet/kit/digest";
import type { Capabilities } from "@skillet/scan";
import type { Resolved } from "../sources/source.ts";

/** One installed skill or plugin in a lock; it holds no time, which belongs to the audit log. */
export interface LockEntry {
  readonly kind: "skill" | "plugin";
  /** What was asked for, as `showSource` writes it; updates go there again. */
  readonly source: string;
  readonly resolved: Resolved;
  readonly folder: string;
  readonly digest: Digest;
  readonly files: Readonly<Record<string, LockedFile>>;
  readonly capabilities: Capabilities;
  /** What was thought of it then; a report, from which nothing is decided. */
  readonly report: LockReport;
  /** Where it lies, relative to the lock's folder where inside it, the copy first. */
  readonly targets: readonly LockedTarget[];
  /** What it calls itself, where it was installed under another name: that is then written into its manifest. */
  readonly declaredName?: string;
  readonly pinned?: { readonly reason: string };
  readonly requires?: readonly string[];
  /** The skills that brought it along; absent where somebody asked for it. */
  readonly requiredBy?: readonly string[];
  /** A file or a skill named its source, and nobody who vouches for it; absent where somebody asked for it. */
  readonly askedBy?: "content";
  readonly allowed?: { readonly hooks: boolean; readonly mcpServers: boolean };
  /** The folder itself is the source (`--link`): nothing is copied, so nothing is hashed. */
  readonly linked?: true;
}

export interface LockedFile extends Pick<TreeEntry, "digest" | "size"> {
  readonly mode: "644" | "755";
}

export interface LockReport {
  readonly origin: string;
  readonly verdict: string;
  readonly scanner: string;
}

export interface LockedTarget {
  readonly path: string;
  readonly how: "copy" | "link";
  readonly agent?: string;
}

/** A lock as it was read; entries keep keys that this version does not know. */
export interface Lock {
  readonly skills: ReadonlyMap<string, LockEntry>;
  /** Keys of the document that this version does not know; written back as they were. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The digest of the files that an entry lists; it differs from the entry's own where the lock was edited by hand. */
export function lockedDigest(entry: LockEntry): Digest {
  return digestTree(Object.entries(entry.files).map(([path, file]) => ({ ...file, path })));
}
