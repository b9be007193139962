import type { Digest } from "@skillet/core";
import type { Envelope } from "./envelope.ts";
import { foldSource } from "./fold-source.ts";
import { readKey } from "./read-key.ts";
import type { Statement } from "./sign-tree.ts";
import { type SignatureVerification, verifySignature } from "./verify-signature.ts";

/** Whose signature skills of certain sources need. */
export interface SignatureRule {
  /**
   * A source in any spelling, `*` for any characters: `github:acme/*`, `oci://registry.example.com`, `*`; it holds for
   * everything below it, and however that is spelled.
   */
  readonly sources: string;
  /** Any one of them is enough; see `readKey` for the forms. */
  readonly keys: readonly string[];
}

/** Whether a policy lets a tree in. */
export type SignatureDecision =
  | { readonly state: "not-required" }
  | { readonly state: "satisfied"; readonly signers: readonly Digest[]; readonly statement: Statement }
  | { readonly state: "refused"; readonly rule: SignatureRule; readonly message: string };

/** What is checked against a policy. */
export interface PolicyQuestion {
  readonly requireSignature: readonly SignatureRule[];
  /** What the source is known by, as asked and as resolved: a rule that fits one of them holds. */
  readonly sources: readonly string[];
  readonly digest: Digest;
  /** What it was asked for as and what it calls itself: a publisher signs many skills, and each for one name. */
  readonly names: readonly string[];
  readonly envelopes: readonly Envelope[];
}

/** Whether any rule is about a source. */
export function needsSignature({
  requireSignature,
  sources,
}: Pick<PolicyQuestion, "requireSignature" | "sources">): boolean {
  return rulesFor(requireSignature, sources).length > 0;
}

/** Checks every rule that a source falls under: each must find a signature of its own keys for exactly this tree and name. */
export function checkSignaturePolicy(question: PolicyQuestion): SignatureDecision {
  const { requireSignature, sources, envelopes } = question;
  const all = new Set<Digest>();
  let statement: Statement | undefined;
  for (const rule of rulesFor(requireSignature, sources)) {
    const keys = rule.keys.map((text) => readKey(text));
    const verifications = envelopes.map((envelope) => verifySignature(envelope, keys, question.digest));
    const good = verifications
      .filter((one) => one.state === "verified")
      .filter((one) => isNamed(one, question));
    for (const { signers } of good) for (const signer of signers) all.add(signer);
    statement ??= good[0]?.statement;
    if (good.length === 0) return { state: "refused", rule, message: refusal(question, rule, verifications) };
  }
  return statement === undefined
    ? { state: "not-required" }
    : { state: "satisfied", signers: [...all].sort(), statement };
}

function rulesFor(rules: readonly SignatureRule[], sources: readonly string[]): readonly SignatureRule[] {
  const places = sources.flatMap((source) => placesAbove(foldSource(source)));
  return rules.filter((rule) => {
    const pattern = foldSource(rule.sources);
    return places.some((place) => matches(pattern, place));
  });
}

// A ref or a skill behind a source, or a folder in it, leads no rule about the source astray.
function placesAbove(source: string): readonly string[] {
  const start = source.indexOf(":") + 2;
  const cuts = [...source.matchAll(/[/#@:]/g)].map(({ index }) => index).filter((index) => index >= start);
  return [source, ...cuts.map((index) => source.slice(0, index))];
}

function isNamed(
  { statement }: { readonly statement: Statement },
  { names }: Pick<PolicyQuestion, "names">,
): boolean {
  return names.every((name) => name === statement.name);
}

function refusal(
  { sources, names }: PolicyQuestion,
  rule: SignatureRule,
  verifications: readonly SignatureVerification[],
): string {
  const signed = verifications.find((one) => one.state === "verified");
  const found =
    verifications.length === 0
      ? "it carries none"
      : signed !== undefined
        ? `the publisher signed it as ${JSON.stringify(signed.statement.name.slice(0, 80))}, not as ${JSON.stringify(names.find((name) => name !== signed.statement.name))}`
        : verifications.some(({ state }) => state === "other-tree")
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
