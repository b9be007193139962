import { isAbsolute, join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, ensureHome, withFileLock, writeAtomic } from "@skillet/kit/files";
import { compareByteOrder } from "@skillet/kit/order";
import {
  digest,
  object,
  oneOf,
  optional,
  record,
  refine,
  type Schema,
  scalar,
  time,
} from "@skillet/kit/schema";
import { readStore } from "./read-store.ts";

const VERSION = 2;
// Version 1 knew SKILL.md alone: a digest stood where a skill stands now.
const OLDER_VERSION = 1;

/** Room for many thousand skills in hundreds of folders. */
const MAX_TRUST_STORE_BYTES: number = 16 * 1024 * 1024;

/** A skill as it was when its folder was trusted. */
export interface TrustedSkill {
  /** Of its SKILL.md. */
  readonly digest: Digest;
  /** Of all its files; absent when they could not be read whole. */
  readonly tree?: Digest | undefined;
}

/** A project folder that the user trusts, and what it held when they said so. */
export interface TrustedFolder {
  /** Canonical path of the project's root; nothing inside the folder can claim another one. */
  readonly root: string;
  readonly trustedAt: string;
  /** By skill folder, relative to the root with `/`; a command by its file. */
  readonly skills: ReadonlyMap<string, TrustedSkill>;
}

/** Every folder that the user trusts, by canonical path. */
export interface TrustStore {
  readonly file: string;
  readonly folders: ReadonlyMap<string, TrustedFolder>;
}

/** Where the trust store of a home lies. */
export function trustPath(home: string): string {
  return join(home, "trust.json");
}

/**
 * Reads the trust store; none yet means that nothing is trusted.
 *
 * A store that cannot be understood throws `trust-store-invalid` and is left as it is.
 */
export function readTrust(home: string): TrustStore {
  const file = trustPath(home);
  const folders = readStore(file, {
    schema: trustSchema,
    maxBytes: MAX_TRUST_STORE_BYTES,
    errorCode: "trust-store-invalid",
    consequence: "no project folder counts as trusted",
    remedy: "Repair the file, or move it away and trust your folders again with `skillet trust`.",
  });
  return { file, folders: folders ?? new Map() };
}

/** The text of a trust store; the same folders always give the same bytes. */
export function formatTrustStore(folders: readonly TrustedFolder[]): string {
  const byRoot = folders.map(({ root, trustedAt, skills }) => [
    root,
    { trustedAt, skills: Object.fromEntries(skills) },
  ]);
  return `${JSON.stringify({ version: VERSION, folders: Object.fromEntries(byRoot) }, undefined, 2)}\n`;
}

/** Whether a project folder is trusted, and what it held then; skills that came later are not covered. */
export type FolderTrust =
  | { readonly trusted: false; readonly root: string }
  | ({ readonly trusted: true } & TrustedFolder);

/** Looks a project folder up by its canonical path; neither its parents nor its git metadata count. */
export function trustOf(store: TrustStore, projectRoot: string): FolderTrust {
  const root = canonicalPath(projectRoot);
  const folder = store.folders.get(root);
  return folder === undefined ? { trusted: false, root } : { trusted: true, ...folder };
}

/** The trusted folders in byte order of path. */
export function listTrusted(store: TrustStore): readonly TrustedFolder[] {
  return [...store.folders.values()].toSorted((left, right) => compareByteOrder(left.root, right.root));
}

const currentSkill = object<TrustedSkill>({ digest, tree: optional(digest) }, { unknown: "refuse" });
const olderSkill: Schema<TrustedSkill> = refine(digest, (value) => ({ digest: value }));
const skill: Schema<TrustedSkill> = (value, reading) =>
  (typeof value === "string" ? olderSkill : currentSkill)(value, reading);

interface StoredFolder {
  readonly trustedAt: string;
  readonly skills: Readonly<Record<string, TrustedSkill>>;
}

const folder = object<StoredFolder>({ trustedAt: time, skills: record(skill) }, { unknown: "refuse" });

const root = scalar("an absolute path", (value) =>
  typeof value === "string" && isAbsolute(value) ? value : undefined,
);

/** The schema of a trust store, which becomes a map by canonical path. */
export const trustSchema: Schema<Map<string, TrustedFolder>> = refine(
  object<{ readonly version: number; readonly folders: Readonly<Record<string, StoredFolder>> }>(
    { version: oneOf([OLDER_VERSION, VERSION]), folders: record(folder, { key: root }) },
    { unknown: "refuse" },
  ),
  ({ folders }) =>
    new Map(
      Object.entries(folders).map(([path, { trustedAt, skills }]) => [
        path,
        { root: path, trustedAt, skills: new Map(Object.entries(skills)) },
      ]),
    ),
);

/** Which folder is trusted from now on, with the skills it holds. */
export interface TrustFolderOptions {
  readonly home: string;
  readonly projectRoot: string;
  /** By skill folder, relative to the root with `/`; see `projectSkills`. */
  readonly skills: Iterable<readonly [folder: string, skill: TrustedSkill]>;
  readonly clock: () => number;
  readonly signal?: AbortSignal;
}

/**
 * Records that the user trusts a folder and what it holds now; trusting it again replaces what was recorded.
 *
 * @example
 * await trustFolder({ home, projectRoot, skills: await projectSkills(skills), clock: Date.now });
 */
export async function trustFolder(options: TrustFolderOptions): Promise<TrustedFolder> {
  const skills = [...options.skills].toSorted(([left], [right]) => compareByteOrder(left, right));
  const folder: TrustedFolder = {
    root: canonicalPath(options.projectRoot),
    trustedAt: new Date(options.clock()).toISOString(),
    skills: new Map(skills),
  };
  await changeStore(options, (folders) => folders.set(folder.root, folder));
  return folder;
}

/** Takes trust back; returns whether the folder was trusted before. */
export async function untrustFolder(options: {
  readonly home: string;
  readonly projectRoot: string;
  readonly signal?: AbortSignal;
}): Promise<boolean> {
  const root = canonicalPath(options.projectRoot);
  // Nothing to take back: do not create a home for it.
  if (!readTrust(options.home).folders.has(root)) return false;
  let trusted = false;
  await changeStore(options, (folders) => {
    trusted = folders.delete(root);
  });
  return trusted;
}

async function changeStore(
  options: { readonly home: string; readonly signal?: AbortSignal },
  change: (folders: Map<string, TrustedFolder>) => void,
): Promise<void> {
  const { home, signal } = options;
  await ensureHome(home);
  const file = trustPath(home);
  await withFileLock(
    `${file}.lock`,
    async () => {
      const folders = new Map(readTrust(home).folders);
      change(folders);
      const text = formatTrustStore(listTrusted({ file, folders }));
      if (Buffer.byteLength(text) > MAX_TRUST_STORE_BYTES) throw full(file);
      await writeAtomic(file, text, { mode: 0o600 });
    },
    { ...(signal && { signal }) },
  );
}

// A store beyond what the reader accepts would lock every folder out.
function full(file: string): SkilletError {
  const message = `The trust store ${file} would grow beyond ${MAX_TRUST_STORE_BYTES} bytes; take trust back from folders that you no longer use.`;
  return new SkilletError("trust-store-full", message, { data: { file, maxBytes: MAX_TRUST_STORE_BYTES } });
}
