import { lstatSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { canonicalPath } from "@skillet/kit/files";
import { compareByteOrder } from "@skillet/kit/order";
import { digest, object, oneOf, optional, record, scalar, text, time } from "@skillet/kit/schema";
import { byKey, changeStore, readStore, removeFromStore, type StoreFormat } from "./decision-store.ts";

/** A skill as it was when its folder was trusted. */
export interface TrustedSkill {
  /** Covers SKILL.md. */
  readonly digest: Digest;
  /** Covers all files; absent if they could not be read in full. */
  readonly tree?: Digest | undefined;
  /** See `folderIdentity`. The user created the skill in this folder, so edits there need no new trust. */
  readonly own?: string | undefined;
}

/**
 * Distinguishes a folder from another one put in its place, such as that of a fresh clone.
 *
 * Undefined if there is no folder, and on disks that do not record creation times: the inode number alone is
 * reused once a folder is deleted.
 */
export function folderIdentity(path: string): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found?.isDirectory() !== true || found.birthtimeNs <= 0n) return undefined;
  return `${found.dev}-${found.ino}-${found.birthtimeNs}`;
}

export interface TrustedFolder {
  /** Canonical path of the project's root; no content of the folder can claim another one. */
  readonly root: string;
  readonly trustedAt: string;
  /** Keyed by skill folder, relative to the root with `/`; a command is keyed by its file. */
  readonly skills: ReadonlyMap<string, TrustedSkill>;
  /** Only these skills are trusted, byte for byte, because the user put them there; the folder is not. */
  readonly only?: "skills" | undefined;
}

/** Every folder that the user trusts, by canonical path. */
export interface TrustStore {
  readonly file: string;
  readonly folders: ReadonlyMap<string, TrustedFolder>;
}

const skill = object<TrustedSkill>(
  { digest, tree: optional(digest), own: optional(text) },
  { unknown: "refuse" },
);

export interface StoredFolder extends Pick<TrustedFolder, "trustedAt" | "only"> {
  readonly skills: Readonly<Record<string, TrustedSkill>>;
}

const folder = object<StoredFolder>(
  { trustedAt: time, skills: record(skill), only: optional(oneOf(["skills"])) },
  { unknown: "refuse" },
);

const root = scalar("an absolute path", (value) =>
  typeof value === "string" && isAbsolute(value) ? value : undefined,
);

export const TRUST_FORMAT: StoreFormat<string, StoredFolder> = {
  fileName: "trust.json",
  version: 2,
  field: "folders",
  items: byKey(folder, root),
  // Room for many thousand skills in hundreds of folders.
  maxBytes: 16 * 1024 * 1024,
  invalid: {
    errorCode: "trust-store-invalid",
    consequence: "no project folder counts as trusted",
    remedy: "Repair the file, or move it away and trust your folders again with `skillet trust`.",
  },
  full: {
    errorCode: "trust-store-full",
    what: "The trust store",
    remedy: "take trust back from folders that you no longer use",
  },
};

export function trustPath(home: string): string {
  return join(home, TRUST_FORMAT.fileName);
}

/** Reads the trust store; one that cannot be parsed throws `trust-store-invalid` and is left unchanged. */
export function readTrust(home: string): TrustStore {
  const { file, items } = readStore(home, TRUST_FORMAT);
  const folders = Array.from(items, ([path, { skills, ...rest }]): [string, TrustedFolder] => [
    path,
    { root: path, ...rest, skills: new Map(Object.entries(skills)) },
  ]);
  return { file, folders: new Map(folders) };
}

/** Whether a project folder is trusted, and its skills at that time; later ones are not covered. */
export type FolderTrust =
  | ({ readonly trusted: false; readonly root: string } & Partial<Pick<TrustedFolder, "skills">>)
  | ({ readonly trusted: true } & TrustedFolder);

/** Looks up a project folder by its canonical path; neither its parents nor its git metadata count. */
export function trustOf(store: TrustStore, projectRoot: string): FolderTrust {
  const path = canonicalPath(projectRoot);
  const known = store.folders.get(path);
  if (known === undefined) return { trusted: false, root: path };
  if (known.only === "skills") return { trusted: false, root: path, skills: known.skills };
  return { trusted: true, ...known };
}

/** The trusted folders in byte order of path. */
export function listTrusted(store: TrustStore): readonly TrustedFolder[] {
  return [...store.folders.values()].toSorted((left, right) => compareByteOrder(left.root, right.root));
}

export interface TrustFolderOptions {
  readonly home: string;
  readonly projectRoot: string;
  /** Keyed by skill folder, relative to the root with `/`; see `projectSkills`. */
  readonly skills: Iterable<readonly [folder: string, skill: TrustedSkill]>;
  readonly clock: () => number;
}

/** Trusting a folder again replaces its record, except for which skills the user created there. */
export async function trustFolder(options: TrustFolderOptions): Promise<TrustedFolder> {
  const skills = [...options.skills].toSorted(([left], [right]) => compareByteOrder(left, right));
  const path = canonicalPath(options.projectRoot);
  const trusted = { root: path, trustedAt: new Date(options.clock()).toISOString(), skills: new Map(skills) };
  await changeStore(options.home, TRUST_FORMAT, (folders) => {
    for (const [folder, { own }] of Object.entries(folders.get(path)?.skills ?? {})) {
      const again = trusted.skills.get(folder);
      if (own !== undefined && again !== undefined) trusted.skills.set(folder, { ...again, own });
    }
    folders.set(path, { trustedAt: trusted.trustedAt, skills: Object.fromEntries(trusted.skills) });
  });
  return trusted;
}

/** Adds skills that the user put into a folder; an untrusted folder and its other content stay so. */
export async function trustSkills(options: TrustFolderOptions): Promise<void> {
  const path = canonicalPath(options.projectRoot);
  await changeStore(options.home, TRUST_FORMAT, (folders) => {
    const trustedAt = new Date(options.clock()).toISOString();
    const known = folders.get(path) ?? { trustedAt, skills: {}, only: "skills" };
    const skills = [...Object.entries(known.skills), ...options.skills];
    skills.sort(([left], [right]) => compareByteOrder(left, right));
    folders.set(path, { ...known, skills: Object.fromEntries(skills) });
  });
}

/** Withdraws trust in skills; a folder that is left without skills the user put there is forgotten. */
export async function untrustSkills(options: {
  readonly home: string;
  readonly projectRoot: string;
  readonly skills: readonly string[];
}): Promise<void> {
  const path = canonicalPath(options.projectRoot);
  await changeStore(options.home, TRUST_FORMAT, (folders) => {
    const known = folders.get(path);
    if (known === undefined) return;
    const left = Object.entries(known.skills).filter(([folder]) => !options.skills.includes(folder));
    if (left.length === 0 && known.only === "skills") folders.delete(path);
    else folders.set(path, { ...known, skills: Object.fromEntries(left) });
  });
}

/** Withdraws trust; returns whether the folder was trusted before. */
export function untrustFolder(options: {
  readonly home: string;
  readonly projectRoot: string;
}): Promise<boolean> {
  return removeFromStore(options.home, TRUST_FORMAT, canonicalPath(options.projectRoot));
}
