import { isAbsolute, join, resolve } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { canonicalPath } from "@skillet/kit/files";
import type { Candidate } from "../candidate/candidate.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import {
  checkSignaturePolicy,
  needsSignature,
  type PolicyQuestion,
  type SignatureRule,
} from "../signature/check-signature-policy.ts";
import { decodePercent } from "../signature/fold-source.ts";
import { type FoundEnvelopes, keptSignatures } from "../sources/collect-envelopes.ts";
import { type Resolved, showSource, sourceOfResolved } from "../sources/source.ts";
import type { HubParts } from "./hub-parts.ts";

interface SignedTree {
  readonly candidate: Pick<Candidate, "name" | "manifest" | "digest" | "resolved">;
  /** The name that it had when it was installed, where it must still be the same. */
  readonly installedName?: string | undefined;
  readonly sources: readonly string[];
  /** Fetched only where a rule asks for them. */
  readonly findEnvelopes: () => Promise<FoundEnvelopes>;
}

/** Checks what the policy says must be signed: what was found where it is, else why it cannot be installed. */
export async function checkSignatures(
  parts: Pick<HubParts, "signatures" | "root" | "userHome">,
  { candidate, installedName, sources, findEnvelopes }: SignedTree,
): Promise<Pick<Candidate, "envelopes" | "statements" | "signers"> | { readonly problem: string }> {
  const { digest, resolved } = candidate;
  const policy = signaturePolicy(parts, sources, resolved);
  if (!needsSignature(policy)) return {};
  const { envelopes, failures } = await findEnvelopes();
  const names = [...namesOf(candidate), ...(installedName === candidate.name ? [] : named(installedName))];
  const decision = checkSignaturePolicy({ ...policy, digest, names, envelopes, failures });
  if (decision.state === "refused") return { problem: decision.message };
  if (decision.state === "not-required") return {};
  const { statements, signers } = decision;
  // First those that count: of a great many not all are kept.
  return { envelopes: [...new Set([...decision.envelopes, ...envelopes])], statements, signers };
}

// An index is not signed: by what it says alone, one skill of a publisher would pass for another.
function namesOf({ name, manifest, resolved }: SignedTree["candidate"]): readonly string[] {
  return [manifest?.name ?? name, ...(resolved.kind === "well-known" ? [resolved.name] : [])];
}

function named(name: string | undefined): readonly string[] {
  return name === undefined ? [] : [name];
}

/** The rules for signatures, and every spelling of one source that they may be about; folders by where they really are. */
export function signaturePolicy(
  { signatures, root, userHome }: Pick<HubParts, "signatures" | "root" | "userHome">,
  sources: readonly string[],
  resolved: Resolved,
): Pick<PolicyQuestion, "requireSignature" | "sources"> {
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
  return [...new Set([path, `${canonicalPath(folder || "/")}${rest}`])].map((sources) => ({
    ...rule,
    sources,
  }));
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
  if (resolved.kind === "local") return [resolved.path];
  if (resolved.kind === "archive") return isAbsolute(resolved.location) ? [resolved.location] : [];
  const path = resolved.kind === "git" ? pathOfUrl(resolved.url) : undefined;
  // Where git looks as well.
  return path === undefined ? [] : [path, `${path}.git`, join(path, ".git")];
}

export interface InstalledSkill extends Pick<LockEntry, "source" | "resolved"> {
  readonly home: string;
  readonly signatures: readonly SignatureRule[];
  readonly root: string;
  readonly userHome: string;
  readonly name: string;
  /** Of its files as they lie there, which is what counts, and not what a lock says of them. */
  readonly digest: Digest;
}

/**
 * The keys that signed an installed skill exactly as it lies there, by id; none where no rule of the policy is about its
 * source, since a signature by a key that no one named says nothing.
 */
export async function installedSigners(skill: InstalledSkill): Promise<readonly Digest[]> {
  const { home, name, source, resolved, digest } = skill;
  const checked = await checkSignatures(skill, {
    candidate: { name, digest, resolved },
    sources: [source],
    findEnvelopes: async () => keptSignatures(home, digest),
  });
  return "problem" in checked ? [] : (checked.signers ?? []);
}
