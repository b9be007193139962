import { isAbsolute, join, resolve } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { canonicalPath } from "@skillet/kit/files";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { ReadItem, UnfitItem } from "../plan-item.ts";
import {
  checkSignaturePolicy,
  needsSignature,
  type PolicyScope,
  type SignatureRule,
} from "../signature/check-signature-policy.ts";
import { decodePercent } from "../signature/fold-source.ts";
import { type FoundEnvelopes, keptSignatures } from "../sources/collect-envelopes.ts";
import { placeOnThisMachine, type Resolved, showSource, sourceOfResolved } from "../sources/source.ts";
import type { HubParts } from "./hub-parts.ts";

type Policed = Pick<HubParts, "signatures" | "root" | "userHome">;

interface SignedTree {
  readonly item: Pick<ReadItem, "name" | "manifest" | "digest" | "resolved">;
  /** The name under which it was signed when it was installed; it must still be the same. */
  readonly installedName?: string | undefined;
  readonly sources: readonly string[];
  /** Fetched only where a rule asks for them. */
  readonly findEnvelopes: () => Promise<FoundEnvelopes>;
}

/** Finds the signatures that the policy asks for, or says why it cannot be installed without. */
export async function checkSignatures(
  parts: Policed,
  { item, installedName, sources, findEnvelopes }: SignedTree,
): Promise<Pick<ReadItem, "signed"> | { readonly problem: string }> {
  const { digest, resolved, name, manifest } = item;
  const policy = signaturePolicy(parts, sources, resolved);
  if (!needsSignature(policy)) return {};
  const { envelopes, failures } = await findEnvelopes();
  const names = [
    manifest?.name ?? name,
    // An index is not signed: an index alone could pass one skill of a publisher off as another.
    ...(resolved.kind === "well-known" ? [resolved.name] : []),
    ...(installedName === undefined || installedName === name ? [] : [installedName]),
  ];
  const decision = checkSignaturePolicy({ ...policy, digest, names, envelopes, failures });
  if (decision.state === "refused") return { problem: decision.message };
  if (decision.state === "not-required") return {};
  const { statements, signers } = decision;
  // First those that count: of a great many not all are kept.
  return { signed: { envelopes: [...new Set([...decision.envelopes, ...envelopes])], statements, signers } };
}

/** The same for something that was read: it is unfit without the signatures that it needs. */
export async function requireSignatures(
  parts: Policed,
  item: ReadItem,
  tree: Omit<SignedTree, "item">,
): Promise<ReadItem | UnfitItem> {
  const checked = await checkSignatures(parts, { item, ...tree });
  if (!("problem" in checked)) return { ...item, ...checked };
  const { name } = item;
  return { state: "unfit", name, problem: checked.problem, code: "signature-missing", diagnostics: [] };
}

/** The rules for signatures, and every spelling of one source that they may be about; folders by where they really are. */
export function signaturePolicy(
  { signatures, root, userHome }: Policed,
  sources: readonly string[],
  resolved: Resolved,
): PolicyScope {
  const absolute = (path: string): string => resolve(root, path);
  return {
    requireSignature: signatures.flatMap((rule) => rulesOf(rule, userHome)),
    sources: [
      ...sources,
      showSource(sourceOfResolved(resolved, absolute)),
      ...localPaths(resolved).map((path) => canonicalPath(absolute(path))),
    ],
  };
}

// A rule for a folder holds also where that is a link; where a pattern begins, there is nothing to follow.
function rulesOf(rule: SignatureRule, userHome: string): readonly SignatureRule[] {
  const path = pathOf(rule.sources.trim(), userHome);
  if (path === undefined) return [rule];
  const star = path.indexOf("*");
  const slash = path.lastIndexOf("/", star < 0 ? undefined : star);
  const [folder, rest] = star < 0 ? [path, ""] : [path.slice(0, slash), path.slice(slash)];
  const paths = new Set([path, `${canonicalPath(folder || "/")}${rest}`]);
  return [...paths].map((sources) => ({ ...rule, sources }));
}

function pathOf(written: string, userHome: string): string | undefined {
  if (written === "~" || written.startsWith("~/")) return join(userHome, written.slice(1));
  if (isAbsolute(written)) return written;
  return pathOfUrl(written.replace(/^git[:+]/i, ""));
}

// As git reads it, which knows no wrong encoding.
function pathOfUrl(url: string): string | undefined {
  const [, path] = /^file:\/\/(?:localhost)?(\/.*)$/is.exec(url) ?? [];
  return path === undefined ? undefined : decodePercent(path);
}

function localPaths(resolved: Resolved): readonly string[] {
  const path = resolved.kind === "git" ? pathOfUrl(resolved.url) : placeOnThisMachine(resolved);
  if (path === undefined) return [];
  // Where git looks as well.
  return resolved.kind === "git" ? [path, `${path}.git`, join(path, ".git")] : [path];
}

interface InstalledSkill extends Pick<LockEntry, "source" | "resolved">, Policed, Pick<HubParts, "home"> {
  readonly name: string;
  /** Of its files on disk; a lock's digest does not count. */
  readonly digest: Digest;
}

/**
 * The keys that signed an installed skill exactly as it is on disk, by id; none where no rule of the policy is about its
 * source, since a signature by a key that no one named proves nothing.
 */
export async function installedSigners(skill: InstalledSkill): Promise<readonly Digest[]> {
  const { home, name, source, resolved, digest } = skill;
  const checked = await checkSignatures(skill, {
    item: { name, digest, resolved },
    sources: [source],
    findEnvelopes: async () => keptSignatures(home, digest),
  });
  return "problem" in checked ? [] : (checked.signed?.signers ?? []);
}
