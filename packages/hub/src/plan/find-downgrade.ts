import type { Candidate } from "../candidate/candidate.ts";
import { candidateOfTree } from "../candidate/candidate-of-tree.ts";
import { keptSignatures } from "../inspect/kept-signatures.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { compareVersions } from "../signature/compare-versions.ts";
import { readKey } from "../signature/read-key.ts";
import { verifySignature } from "../signature/verify-signature.ts";
import type { HubParts } from "./hub-parts.ts";
import { readPlaced } from "./read-placed.ts";

/**
 * Why a signed candidate might bring back an old version; undefined where it does not.
 *
 * A signature holds for ever, so whoever holds a site but not the key can still serve what was signed before a hole was
 * mended.
 */
export async function findDowngrade(
  parts: HubParts,
  before: LockEntry,
  candidate: Candidate,
): Promise<string | undefined> {
  const { statement, digest } = candidate;
  if (statement === undefined || before.digest === digest) return undefined;
  const installed = await installedVersion(parts, before);
  if (installed === undefined) return "whether it is older than the installed version cannot be told here";
  if (installed.version === undefined) return undefined;
  const version = statement.version ?? versionOf(candidate);
  if (version === undefined)
    return `it is signed without a version, and version ${shown(installed.version)} is installed`;
  const order = compareVersions(version, installed.version);
  if (order === "same" || order === "newer") return undefined;
  return order === "older"
    ? `it is signed as version ${shown(version)}, and the newer ${shown(installed.version)} is installed`
    : `it is signed as version ${shown(version)}, and whether that is older than the installed ${shown(installed.version)} cannot be told`;
}

async function installedVersion(
  parts: HubParts,
  before: LockEntry,
): Promise<{ readonly version: string | undefined } | undefined> {
  const { kind, digest, resolved, folder } = before;
  const keys = parts.signatures.flatMap((rule) => rule.keys).map((text) => readKey(text));
  for (const envelope of keptSignatures(parts.home, digest)) {
    const verification = verifySignature(envelope, keys, digest);
    if (verification.state === "verified" && verification.statement.version !== undefined)
      return { version: verification.statement.version };
  }
  const files = (await parts.store.get(digest)) ?? (await readPlaced(parts, before));
  if (files === undefined) return undefined;
  const known = { kind, name: "installed", resolved, folder, identity: undefined, isProven: false };
  return { version: versionOf(candidateOfTree(files, known)) };
}

function versionOf({ manifest, parts }: Pick<Candidate, "manifest" | "parts">): string | undefined {
  const version = manifest?.metadata.version ?? parts?.version;
  return typeof version === "string" && version !== "" ? version : undefined;
}

function shown(version: string): string {
  return JSON.stringify(version.slice(0, 80));
}
