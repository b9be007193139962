import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { compareByteOrder } from "@skillet/kit/order";
import { parseTrustStore } from "./parse-trust-store.ts";

/** Room for many thousand skills in hundreds of folders. */
export const MAX_TRUST_STORE_BYTES: number = 16 * 1024 * 1024;

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
  try {
    const bytes = readBoundedFile(file, { maxBytes: MAX_TRUST_STORE_BYTES });
    return { file, folders: bytes === undefined ? new Map() : parseTrustStore(bytes) };
  } catch (error) {
    if (SkilletError.isInstance(error) || error instanceof SyntaxError) throw invalid(file, error);
    throw error;
  }
}

/** The trusted folders in byte order of path. */
export function listTrusted(store: TrustStore): readonly TrustedFolder[] {
  return [...store.folders.values()].toSorted((left, right) => compareByteOrder(left.root, right.root));
}

function invalid(file: string, cause: Error): SkilletError {
  const message =
    `The trust store ${file} cannot be used, so no project folder counts as trusted: ${cause.message} ` +
    "Repair the file, or move it away and trust your folders again with `skillet trust`.";
  return new SkilletError("trust-store-invalid", message, { data: { file, problem: cause.message }, cause });
}
