import { parseUrl } from "@skillet/kit/network";
import { itemOfTree } from "../inspect/inspect-item.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { ReadItem } from "../plan-item.ts";
import { findSigned } from "../signature/check-signature-policy.ts";
import { keptSignatures } from "../sources/collect-envelopes.ts";
import type { Resolved } from "../sources/source.ts";
import { signaturePolicy } from "./check-signatures.ts";
import type { HubParts } from "./hub-parts.ts";
import { installedFiles } from "./read-installed.ts";

/** Looks for doubts about a new version; a rollback or a restore means exactly the version that it names. */
export async function findDoubts(
  parts: HubParts,
  before: LockEntry,
  item: Omit<ReadItem, "state">,
  action: "update" | "rollback" | "restore" | undefined,
): Promise<{ readonly downgrade?: string | undefined; readonly move?: string | undefined }> {
  if (action === "rollback" || action === "restore") return {};
  const move = findMove(before.resolved, item.resolved);
  return { downgrade: await findDowngrade(parts, before, item), move };
}

/**
 * A signature never expires: an attacker who controls a site but not the key can still serve a version that
 * was signed before a vulnerability was fixed.
 */
export async function findDowngrade(
  parts: HubParts,
  before: LockEntry,
  item: Omit<ReadItem, "state">,
): Promise<string | undefined> {
  const { signed, digest } = item;
  const [first, ...others] = signed?.statements ?? [];
  if (first === undefined || before.digest === digest) return undefined;
  const installed = await installedVersions(parts, before, first.name);
  if (installed === undefined) return "whether it is older than the installed version cannot be determined";
  const offered = [...new Set([first, ...others].map(({ version }) => version ?? versionOf(item)))];
  // If publishers signed several versions, the highest counts as installed and the lowest as offered.
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
    : `it is signed as version ${shown(version)}, and whether that is older than the installed ${shown(installed)} cannot be determined`;
}

/** The versions that its publishers signed it with under its own name; if there are none, its declared version. */
async function installedVersions(
  parts: HubParts,
  before: LockEntry,
  name: string,
): Promise<readonly string[] | undefined> {
  const { digest, source, resolved } = before;
  const policy = signaturePolicy(parts, [source], resolved);
  const { envelopes } = keptSignatures(parts.home, digest);
  const { statements } = findSigned({ ...policy, digest, names: [name], envelopes });
  const signed = statements.map(({ version }) => version).filter((version) => version !== undefined);
  if (signed.length > 0) return [...new Set(signed)].sort();
  const files = await installedFiles(parts, before);
  if (files === undefined) return undefined;
  const known = { ...before, name: "installed", identity: undefined, isProven: false };
  const version = versionOf(itemOfTree(files, known));
  return version === undefined ? [] : [version];
}

function versionOf({ manifest, parts }: Pick<ReadItem, "manifest" | "parts">): string | undefined {
  const version = manifest?.metadata.version ?? parts?.version;
  return typeof version === "string" && version !== "" ? version : undefined;
}

function shown(version: string): string {
  return JSON.stringify(version.slice(0, 80));
}

/** The requested source stays the same, but a marketplace may redirect its users to anyone. */
export function findMove(before: Resolved, after: Resolved): string | undefined {
  const [old, now] = [publisherOf(before), publisherOf(after)];
  return old === now ? undefined : `it comes from ${now} now, and the installed version from ${old}`;
}

/**
 * Only for a few forges is it known which part of a path is an owner's name; elsewhere whole paths are
 * compared, because an unnecessary question is better than a stranger who goes unnoticed.
 */
export function publisherOf(resolved: Resolved): string {
  switch (resolved.kind) {
    case "local":
      return "this machine";
    case "git":
      return ofRepository(resolved.url);
    case "archive":
      return resolved.location.startsWith("/") ? "this machine" : ofFile(resolved.location);
    case "skill-file":
      return ofFile(resolved.url);
    case "well-known":
      // A site may serve its index at several paths.
      return ofFile(resolved.index.replace(/\/\.well-known\/(?:agent-)?skills\/index\.json$/, "/index.json"));
    case "npm":
      return `the package ${resolved.name}`;
    case "oci":
      return `${resolved.registry}/${resolved.repository}`;
  }
}

function ofRepository(url: string): string {
  const address = addressOf(url);
  if (address === undefined) return url;
  const { host, path } = address;
  const [, owner = "", repository = ""] = path.split("/");
  return FORGES.has(host) && isOwner(owner) && repository !== ""
    ? `${host}/${owner.toLowerCase()}`
    : `${host}${path.replace(/\/+$/, "").replace(/\.git$/, "")}`;
}

function ofFile(url: string): string {
  const address = addressOf(url);
  if (address === undefined) return url;
  const { host, path } = address;
  const owner = OWN_FILES.map((form) => form.exec(`${host}${path}`)?.[1]).find((name) => name !== undefined);
  if (owner !== undefined && isOwner(owner)) return `${host}/${owner.toLowerCase()}`;
  // A URL with a query or an encoded slash has no folder.
  if (/[?]|%2f|%5c/i.test(path)) return `${host}${path}`;
  return `${host}${path.slice(0, path.lastIndexOf("/"))}`;
}

// Forges where the first folder is the owner of the repository.
const FORGES: ReadonlySet<string> = new Set(
  "github.com gitlab.com bitbucket.org codeberg.org git.sr.ht".split(" "),
);

// Files that only the owner in the path can have put there; a stranger's commit is served under any fork's name.
const OWN_FILES: readonly RegExp[] = [
  /^github\.com\/([^/]+)\/[^/]+\/(?:releases\/download|archive\/refs\/(?:heads|tags))\//,
  /^codeload\.github\.com\/([^/]+)\/[^/]+\/(?:zip|tar\.gz)\/refs\/(?:heads|tags)\//,
  /^gitlab\.com\/([^/]+)\/(?:[^/]+\/)+-\/releases\//,
  /^bitbucket\.org\/([^/]+)\/[^/]+\/downloads\//,
  /^codeberg\.org\/([^/]+)\/[^/]+\/releases\/download\//,
];

// First folders on those forges that are not owners.
const SHARED: ReadonlySet<string> = new Set(["-", "api", "attachments", "snippets", "user-attachments"]);

function isOwner(name: string): boolean {
  return /^[A-Za-z0-9._~-]+$/.test(name) && !SHARED.has(name.toLowerCase());
}

function addressOf(url: string): { readonly host: string; readonly path: string } | undefined {
  const [, user, machine, place] = /^(?:([^/:@]+)@)?([^/:@]+):(?!\/\/)(.*)$/.exec(url) ?? [];
  if (machine !== undefined && place !== undefined)
    return { host: hostOf(machine, user), path: place.startsWith("/") ? place : `/${place}` };
  const parsed = parseUrl(url);
  if (parsed === undefined) return undefined;
  const { protocol, username, host, pathname, search } = parsed;
  if (protocol === "file:") return undefined;
  const path = `${pathname}${search}`;
  return { path, host: protocol === "ssh:" ? hostOf(host.replace(/:22$/, ""), username) : hostOf(host) };
}

// Over ssh, paths begin at the user's home; everyone shares the user `git`.
function hostOf(host: string, user = ""): string {
  return `${user === "" || user === "git" ? "" : `${user}@`}${host.toLowerCase()}`;
}

export function compareVersions(left: string, right: string): "older" | "same" | "newer" | undefined {
  if (left === right) return "same";
  const [one, other] = [parseVersion(left), parseVersion(right)];
  if (one === undefined || other === undefined) return undefined;
  const order =
    compareParts(one.release, other.release, 0n) ||
    // A pre-release is older than its release.
    Number(one.early.length === 0) - Number(other.early.length === 0) ||
    compareParts(one.early, other.early, undefined);
  return order < 0 ? "older" : order > 0 ? "newer" : "same";
}

type Part = bigint | string;

const MAX_VERSION_CHARACTERS = 256;

// Semver with any number of parts: dates and `v2` are versions too.
function parseVersion(
  text: string,
): { readonly release: readonly Part[]; readonly early: readonly Part[] } | undefined {
  if (text.length > MAX_VERSION_CHARACTERS) return undefined;
  const [, release, early] = /^v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(text) ?? [];
  return release === undefined ? undefined : { release: partsOf(release), early: partsOf(early ?? "") };
}

function partsOf(text: string): readonly Part[] {
  if (text === "") return [];
  return text.split(".").map((part) => (/^\d+$/.test(part) ? BigInt(part) : part));
}

// A missing part sorts first, and numbers sort before words.
function compareParts(left: readonly Part[], right: readonly Part[], missing: Part | undefined): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [one, other] = [left[index] ?? missing, right[index] ?? missing];
    if (one === other) continue;
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    if (typeof one !== typeof other) return typeof one === "bigint" ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return 0;
}
