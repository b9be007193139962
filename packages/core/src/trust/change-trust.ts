import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, ensureHome, withFileLock, writeAtomic } from "@skillet/kit/files";
import { compareByteOrder } from "@skillet/kit/order";
import {
  formatTrustStore,
  listTrusted,
  MAX_TRUST_STORE_BYTES,
  readTrust,
  type TrustedFolder,
  type TrustedSkill,
  trustPath,
} from "./trust-store.ts";

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
