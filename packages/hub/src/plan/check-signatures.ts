import type { Digest } from "@skillet/core";
import type { Resolved } from "../fetch/resolved.ts";
import { checkSignaturePolicy } from "../signature/check-signature-policy.ts";
import type { Envelope } from "../signature/envelope.ts";
import { showSource } from "../source/show-source.ts";
import { sourceOfResolved } from "../source/source-of-resolved.ts";
import type { HubParts } from "./hub-parts.ts";

/** A tree that a policy may want signed. */
export interface SignedTree {
  readonly digest: Digest;
  readonly resolved: Resolved;
  /** Every spelling by which it was asked for. */
  readonly sources: readonly string[];
  /** Fetched only where a rule asks for them. */
  readonly findEnvelopes: () => Promise<readonly Envelope[]>;
}

/** Checks what the policy says must be signed: what was found where it is, else why it cannot be installed. */
export async function checkSignatures(
  { signatures }: Pick<HubParts, "signatures">,
  { digest, resolved, sources, findEnvelopes }: SignedTree,
): Promise<{ readonly envelopes: readonly Envelope[] } | { readonly problem: string }> {
  if (signatures.length === 0) return { envelopes: [] };
  const spelled = spellings(resolved, sources);
  const policy = { requireSignature: signatures, sources: spelled, digest };
  if (checkSignaturePolicy({ ...policy, envelopes: [] }).state === "not-required") return { envelopes: [] };
  const envelopes = await findEnvelopes();
  const decision = checkSignaturePolicy({ ...policy, envelopes });
  return decision.state === "refused" ? { problem: decision.message } : { envelopes };
}

// A rule must hold for a source however somebody spells it.
function spellings(resolved: Resolved, sources: readonly string[]): readonly string[] {
  const shown = showSource(sourceOfResolved(resolved, (path) => path));
  const bare = [...sources, shown].map((text) => text.replace(/[#@][^/]*$/, ""));
  const all = [...sources, ...bare, shown];
  if (resolved.kind === "git") {
    all.push(resolved.url);
    const github = /^(?:https:\/\/|ssh:\/\/git@|git@)github\.com[/:](.+?)(?:\.git)?$/.exec(resolved.url)?.[1];
    if (github !== undefined) all.push(github, `github:${github}`, `https://github.com/${github}`);
  }
  return [...new Set(all.flatMap((text) => [text, text.toLowerCase()]))];
}
