import type { Candidate } from "../candidate/candidate.ts";
import { checkSignaturePolicy, needsSignature } from "../signature/check-signature-policy.ts";
import type { FoundEnvelopes } from "../signature/collect-envelopes.ts";
import type { HubParts } from "./hub-parts.ts";
import { signaturePolicy } from "./signature-policy.ts";

/** A tree that a policy may want signed. */
export interface SignedTree {
  readonly candidate: Pick<Candidate, "name" | "manifest" | "digest" | "resolved">;
  /** The name that it had when it was installed, where it must still be the same. */
  readonly installedName?: string | undefined;
  /** Every spelling by which it was asked for. */
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
  const policy = signaturePolicy(parts, { sources, resolved });
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
