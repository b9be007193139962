import type { TreeFile } from "@skillet/core";
import { type Digest, digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";
import {
  array,
  digest,
  type Fields,
  filledText,
  flag,
  lenient,
  matching,
  object,
  oneOf,
  optional,
  record,
  refine,
  type Schema,
  scalar,
  text,
  time,
  variant,
  wholeNumber,
} from "@skillet/kit/schema";
import type { Capabilities } from "@skillet/scan";
import { checkEntryPath, findCollisions } from "../sources/entry-path.ts";
import type { Resolved, ResolvedOf } from "../sources/source.ts";

/** One installed skill or plugin in a lock. */
export interface LockEntry {
  readonly kind: "skill" | "plugin";
  /** As requested, in the form of `showSource`; updates go there again. */
  readonly source: string;
  readonly resolved: Resolved;
  readonly folder: string;
  readonly digest: Digest;
  readonly files: Readonly<Record<string, LockedFile>>;
  readonly capabilities: Capabilities;
  /** The verdict at that time, for information only: no decision is based on it. */
  readonly report: LockReport;
  /** Relative to the lock's folder if inside it; the copy comes first. */
  readonly targets: readonly LockedTarget[];
  /** Since when a user has these bytes. A project's lock contains no time, because it is the same for everyone. */
  readonly installedAt?: string;
  /** The original name of a skill that was installed under another one, which is then written into its manifest. */
  readonly declaredName?: string;
  readonly pinned?: { readonly reason: string };
  readonly requires?: readonly string[];
  /** The skills that required it; absent if the user asked for it. */
  readonly requiredBy?: readonly string[];
  /** Set if a file or a skill named its source rather than the user. */
  readonly askedBy?: "content";
  readonly allowed?: Allowed;
  /** The folder itself is the source (`--link`): nothing is copied, so nothing is hashed. */
  readonly linked?: true;
}

export interface Allowed {
  readonly hooks: boolean;
  readonly mcpServers: boolean;
}

export interface LockedFile extends Pick<TreeEntry, "digest" | "size"> {
  readonly mode: "644" | "755";
}

interface LockReport {
  readonly origin: string;
  readonly verdict: string;
  readonly scanner: string;
}

export interface LockedTarget {
  readonly path: string;
  readonly how: "copy" | "link";
  readonly agent?: string;
}

/** One difference between a lock and the disk. */
export interface Drift {
  readonly target: string;
  /** Relative to the target; empty for the target itself, ends with `/` for a folder. */
  readonly file: string;
  readonly kind: DriftKind;
  readonly message: string;
  /** Left behind by a system or an interpreter; deleting it loses nothing. */
  readonly expendable?: true;
}

/** `more` comes last, if there are too many to list. */
export type DriftKind = "changed" | "missing" | "extra" | "mode" | "type" | "link" | "unreadable" | "more";

/** A lock as it was read; entries keep keys that this version does not know. */
export interface Lock {
  readonly skills: ReadonlyMap<string, LockEntry>;
  /** Keys of the document that this version does not know; written back unchanged. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The digest of the files that an entry lists; it differs from the entry's own if the lock was edited by hand. */
export function lockedDigest(entry: LockEntry): Digest {
  return digestTree(Object.entries(entry.files).map(([path, file]) => ({ ...file, path })));
}

export function lockedFiles(files: readonly TreeFile[]): LockEntry["files"] {
  return Object.fromEntries(
    files.map(({ path, mode, bytes }): [string, LockedFile] => [
      path,
      { digest: digestBytes(bytes), size: bytes.length, mode: mode === "755" ? "755" : "644" },
    ]),
  );
}

const commit = matching(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, "the full id of a commit");

export const resolvedSchema: Schema<Resolved> = variant<Resolved>({
  git: resolved("git", { url: filledText, ref: optional(filledText), commit }),
  local: resolved("local", { path: filledText }),
  archive: resolved("archive", { location: filledText, digest }),
  "skill-file": resolved("skill-file", { url: filledText, digest }),
  "well-known": resolved("well-known", { index: filledText, name: filledText, digest: optional(digest) }),
  npm: resolved("npm", { name: filledText, version: filledText, integrity: filledText }),
  oci: resolved("oci", { registry: filledText, repository: filledText, tag: optional(filledText), digest }),
});

function resolved<Kind extends Resolved["kind"]>(
  kind: Kind,
  fields: Omit<Fields<ResolvedOf<Kind>>, "kind">,
): Schema<ResolvedOf<Kind>> {
  return object<ResolvedOf<Kind>>({ kind: oneOf([kind]), ...fields } as unknown as Fields<ResolvedOf<Kind>>);
}

const texts = array(text);

const path: Schema<string> = refine(text, (value, reading) => {
  const problem = checkEntryPath(value);
  return problem === undefined ? value : reading.fault(problem);
});

const file = object<LockedFile>({ digest, size: wholeNumber(0), mode: oneOf(["644", "755"]) });

const files = refine(record(file, { key: path }), (listed, reading) => {
  const collision = findCollisions(Object.keys(listed));
  return collision === undefined ? listed : reading.fault(`has paths of which ${collision}`);
});

const CAPABILITIES: Fields<Partial<Capabilities>> = {
  network: optional(texts),
  commands: optional(texts),
  paths: optional(texts),
  secrets: optional(texts),
  persistence: optional(texts),
  agentConfig: optional(texts),
  packages: optional(texts),
  remoteInstructions: optional(texts),
};

export const CAPABILITY_NAMES: readonly string[] = Object.keys(CAPABILITIES);

const capabilities = refine(object<Partial<Capabilities>>(CAPABILITIES), (listed) => {
  const all: Record<string, unknown> = Object.create(null);
  for (const name of CAPABILITY_NAMES) all[name] = [];
  return Object.assign(all, listed) as unknown as Capabilities;
});

// Whether a target may be written is decided at that time, by where it really leads.
const target = object<LockedTarget>({
  path: scalar("a path", (value) =>
    typeof value === "string" && value !== "" && !value.includes("\0") ? value : undefined,
  ),
  how: oneOf(["copy", "link"]),
  agent: optional(text),
});

const ENTRY: Fields<LockEntry> = {
  kind: oneOf(["skill", "plugin"]),
  source: filledText,
  resolved: resolvedSchema,
  folder: (value, reading) => (value === "" ? value : path(value, reading)),
  digest,
  files,
  capabilities,
  report: object<LockReport>({ origin: text, verdict: text, scanner: text }),
  targets: array(target),
  installedAt: lenient(time),
  declaredName: optional(filledText),
  pinned: optional(object<NonNullable<LockEntry["pinned"]>>({ reason: text })),
  requires: optional(texts),
  requiredBy: optional(texts),
  askedBy: optional(oneOf(["content"])),
  allowed: optional(object<Allowed>({ hooks: flag, mcpServers: flag })),
  linked: optional(oneOf([true])),
};

/** Adds the unknown keys of the previous entry: other versions and tools wrote them. */
export function keepUnknown(before: LockEntry | undefined, entry: LockEntry): LockEntry {
  const unknown = Object.entries(before ?? {}).filter(([key]) => !Object.hasOwn(ENTRY, key));
  return Object.assign(Object.create(null), Object.fromEntries(unknown), entry);
}

/** One entry of a lock; keys that this version does not know are kept. */
export const entrySchema: Schema<LockEntry> = object<LockEntry>(ENTRY);

// Names become folders, lines on a terminal, and words of commands that users are told to paste into a shell.
const skillName: Schema<string> = scalar("the name of a skill", (value) =>
  typeof value === "string" && value !== "" && value !== "." && value !== ".." && value.length <= 256
    ? value
    : undefined,
);
const shellSafe: Schema<string> = refine(skillName, (name, reading) => {
  if (/^-|[\s"'`$&;|<>()[\]{}*?!#~^]/.test(name))
    return reading.fault("has a space, or a character that a shell would act on");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return /[\u0000-\u001f\u007f-\u009f/\\]/.test(name)
    ? reading.fault("has a slash or a control character")
    : name;
});

/** The lock version that is written; newer locks are refused and left untouched. */
export const LOCK_VERSION = 1;

export const lockSchema: Schema<{
  readonly lockVersion: typeof LOCK_VERSION;
  readonly skills: Readonly<Record<string, LockEntry>>;
}> = object({ lockVersion: oneOf([LOCK_VERSION]), skills: record(entrySchema, { key: shellSafe }) });
