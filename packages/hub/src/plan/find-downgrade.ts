import type { Candidate } from "../candidate/candidate.ts";
import { candidateOfTree } from "../candidate/candidate-of-tree.ts";
import { keptSignatures } from "../inspect/kept-signatures.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { findSigned } from "../signature/check-signature-policy.ts";
import { compareVersions } from "../signature/compare-versions.ts";
import type { HubParts } from "./hub-parts.ts";
import { readPlaced } from "./read-placed.ts";
import { signaturePolicy } from "./signature-policy.ts";

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
  const { statements = [], digest } = candidate;
  const [first] = statements;
  if (first === undefined || before.digest === digest) return undefined;
  const installed = await installedVersions(parts, before, first.name);
  if (installed === undefined) return "whether it is older than the installed version cannot be told here";
  const offered = [...new Set(statements.map(({ version }) => version ?? versionOf(candidate)))];
  // Whoever signed with one version signed with that: the highest is installed, the lowest offered.
  return installed
    .flatMap((known) => offered.map((version) => findOlder(version, known)))
    .find((doubt) => doubt !== undefined);
}

function findOlder(version: string | undefined, installed: string): string | undefined {
  if (version === undefined)
    return `it is signed without a version, and version ${shown(installed)} is installed`;
  const order = compareVersions(version, installed);
  if (order === "same" || order === "newer") return undefined;
  return order === "older"
    ? `it is signed as version ${shown(version)}, and the newer ${shown(installed)} is installed`
    : `it is signed as version ${shown(version)}, and whether that is older than the installed ${shown(installed)} cannot be told`;
}

/** The versions that the publishers of its own source signed it with, by its own name; where there are none, its own. */
async function installedVersions(
  parts: HubParts,
  before: LockEntry,
  name: string,
): Promise<readonly string[] | undefined> {
  const { kind, digest, source, resolved, folder } = before;
  const policy = signaturePolicy(parts, { sources: [source], resolved });
  const { envelopes } = keptSignatures(parts.home, digest);
  const { statements } = findSigned({ ...policy, digest, names: [name], envelopes });
  const signed = statements.map(({ version }) => version).filter((version) => version !== undefined);
  if (signed.length > 0) return [...new Set(signed)].sort();
  const files = (await parts.store.get(digest)) ?? (await readPlaced(parts, before));
  if (files === undefined) return undefined;
  const known = { kind, name: "installed", resolved, folder, identity: undefined, isProven: false };
  const version = versionOf(candidateOfTree(files, known));
  return version === undefined ? [] : [version];
}

function versionOf({ manifest, parts }: Pick<Candidate, "manifest" | "parts">): string | undefined {
  const version = manifest?.metadata.version ?? parts?.version;
  return typeof version === "string" && version !== "" ? version : undefined;
}

function shown(version: string): string {
  return JSON.stringify(version.slice(0, 80));
}
