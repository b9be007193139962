import type { Digest } from "@skillet/core";
import type { Envelope } from "./envelope.ts";
import type { VerifyingKey } from "./key.ts";
import { readKey } from "./read-key.ts";
import { verifySignature } from "./verify-signature.ts";

/** Whose signature skills of certain sources need. */
export interface SignatureRule {
  /** A source as it is shown, `*` for any characters: `github:acme/*`, `oci://registry.example.com/*`, `*`. */
  readonly sources: string;
  /** Any one of them is enough; see `readKey` for the forms. */
  readonly keys: readonly string[];
}

/** Whether a policy lets a tree in. */
export type SignatureDecision =
  | { readonly state: "not-required" }
  | { readonly state: "satisfied"; readonly signers: readonly Digest[] }
  | { readonly state: "refused"; readonly rule: SignatureRule; readonly message: string };

/** Checks every rule that a source falls under: each must find a signature of its own keys for exactly this tree. */
export function checkSignaturePolicy(options: {
  readonly requireSignature: readonly SignatureRule[];
  /** Every spelling the source is known by, as asked and as resolved: a rule that fits one of them holds. */
  readonly sources: readonly string[];
  readonly digest: Digest;
  readonly envelopes: readonly Envelope[];
}): SignatureDecision {
  const { requireSignature, sources, digest, envelopes } = options;
  const rules = requireSignature.filter((rule) => sources.some((source) => matches(rule.sources, source)));
  if (rules.length === 0) return { state: "not-required" };
  const all = new Set<Digest>();
  for (const rule of rules) {
    const keys = rule.keys.map((text) => readKey(text));
    const signers = envelopes.flatMap((envelope) => verifiedBy(envelope, keys, digest));
    if (signers.length === 0) return { state: "refused", rule, message: refusal(options, rule, keys) };
    for (const signer of signers) all.add(signer);
  }
  return { state: "satisfied", signers: [...all].sort() };
}

function verifiedBy(envelope: Envelope, keys: readonly VerifyingKey[], digest: Digest): readonly Digest[] {
  const verification = verifySignature(envelope, keys, digest);
  return verification.state === "verified" ? verification.signers : [];
}

function refusal(
  { sources, digest, envelopes }: Parameters<typeof checkSignaturePolicy>[0],
  rule: SignatureRule,
  keys: readonly VerifyingKey[],
): string {
  const states = envelopes.map((envelope) => verifySignature(envelope, keys, digest).state);
  const found =
    states.length === 0
      ? "it carries none"
      : states.includes("other-tree")
        ? "the signature is for other files"
        : "no key that the policy names made the signature that it carries";
  return `Skills from ${sources[0] ?? "this source"} need a signature (rule \`${rule.sources}\`), and ${found}; ask the publisher to sign it, or have the policy changed.`;
}

/** Matches `*` from left to right without going back, so that no pattern is slow. */
function matches(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let position = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return text.length - last.length >= position && text.endsWith(last);
}
