import type { Candidate } from "../candidate/candidate.ts";
import { checkSignaturePolicy, needsSignature } from "../signature/check-signature-policy.ts";
import type { Envelope } from "../signature/envelope.ts";
import { showSource } from "../source/show-source.ts";
import { sourceOfResolved } from "../source/source-of-resolved.ts";
import type { HubParts } from "./hub-parts.ts";

/** A tree that a policy may want signed. */
export interface SignedTree {
  readonly candidate: Pick<Candidate, "name" | "manifest" | "digest" | "resolved">;
  /** The name that it had when it was installed, where it must still be the same. */
  readonly installedName?: string | undefined;
  /** Every spelling by which it was asked for. */
  readonly sources: readonly string[];
  /** Fetched only where a rule asks for them. */
  readonly findEnvelopes: () => Promise<readonly Envelope[]>;
}

/** Checks what the policy says must be signed: what was found where it is, else why it cannot be installed. */
export async function checkSignatures(
  { signatures }: Pick<HubParts, "signatures">,
  { candidate, installedName, sources, findEnvelopes }: SignedTree,
): Promise<Pick<Candidate, "envelopes" | "statement"> | { readonly problem: string }> {
  const { digest, resolved } = candidate;
  const places = [...sources, showSource(sourceOfResolved(resolved, (path) => path))];
  const policy = { requireSignature: signatures, sources: places };
  if (!needsSignature(policy)) return {};
  const envelopes = await findEnvelopes();
  const names = [...namesOf(candidate), ...(installedName === candidate.name ? [] : named(installedName))];
  const decision = checkSignaturePolicy({ ...policy, digest, names, envelopes });
  if (decision.state === "refused") return { problem: decision.message };
  return decision.state === "satisfied" ? { envelopes, statement: decision.statement } : {};
}

// An index is not signed: by what it says alone, one skill of a publisher would pass for another.
function namesOf({ name, manifest, resolved }: SignedTree["candidate"]): readonly string[] {
  return [manifest?.name ?? name, ...(resolved.kind === "well-known" ? [resolved.name] : [])];
}

function named(name: string | undefined): readonly string[] {
  return name === undefined ? [] : [name];
}
