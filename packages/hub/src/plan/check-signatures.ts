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
  /** The name that it was signed under when it was installed; it must still be the same. */
  readonly installedName?: string | undefined;
  readonly sources: readonly string[];
  /** Called only if a rule requires signatures. */
  readonly findEnvelopes: () => Promise<FoundEnvelopes>;
}

/** Finds the signatures that the policy requires, or says why the item cannot be installed without them. */
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
    // An index is not signed: on its own it could pass off one skill of a publisher as another.
    ...(resolved.kind === "well-known" ? [resolved.name] : []),
    ...(installedName === undefined || installedName === name ? [] : [installedName]),
  ];
  const decision = checkSignaturePolicy({ ...policy, digest, names, envelopes, failures });
  if (decision.state === "refused") return { problem: decision.message };
  if (decision.state === "not-required") return {};
  const { statements, signers } = decision;
  // Those that count come first, because only some of very many are kept.
  return { signed: { envelopes: [...new Set([...decision.envelopes, ...envelopes])], statements, signers } };
}

/** Like `checkSignatures`, but returns an unfit item if required signatures are missing. */
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

/** The signature rules, and every spelling of a source that they may apply to; folders by their real paths. */
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

// A rule for a folder also applies through a link; from the first wildcard on, there is nothing to resolve.
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

// Decoded as git does, which accepts invalid encodings.
function pathOfUrl(url: string): string | undefined {
  const [, path] = /^file:\/\/(?:localhost)?(\/.*)$/is.exec(url) ?? [];
  return path === undefined ? undefined : decodePercent(path);
}

function localPaths(resolved: Resolved): readonly string[] {
  const path = resolved.kind === "git" ? pathOfUrl(resolved.url) : placeOnThisMachine(resolved);
  if (path === undefined) return [];
  // Git looks at these paths as well.
  return resolved.kind === "git" ? [path, `${path}.git`, join(path, ".git")] : [path];
}

interface InstalledSkill extends Pick<LockEntry, "source" | "resolved">, Policed, Pick<HubParts, "home"> {
  readonly name: string;
  /** Computed from its files on disk; a lock's digest does not count. */
  readonly digest: Digest;
}

/**
 * The ids of the keys that signed an installed skill exactly as it is on disk; none if no rule of the policy
 * applies to its source, because a signature by an unlisted key proves nothing.
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
