import type { Digest } from "@skillet/kit/digest";
import { matchesName, parseStars } from "@skillet/kit/glob";
import { type Envelope, type SignatureVerification, type Statement, verifySignature } from "./envelope.ts";
import { foldSource, rulePattern } from "./fold-source.ts";
import { readKey } from "./key.ts";

export interface SignatureRule {
  /**
   * A source in any spelling, with `*` for any characters: `github:acme/*`, `oci://registry.example.com`,
   * `*`. It applies to everything below the source, in every spelling and version.
   */
  readonly sources: string;
  readonly keys: readonly string[];
}

type SignatureDecision =
  | { readonly state: "not-required" }
  | ({ readonly state: "satisfied" } & Signed)
  | { readonly state: "refused"; readonly rule: SignatureRule; readonly message: string };

export interface Signed {
  /** The ids of the policy's keys that signed it, in byte order. */
  readonly signers: readonly Digest[];
  /** All that count: each rule has its own publisher, and none speaks for another. */
  readonly statements: readonly Statement[];
  /** The envelopes to store with exactly these bytes. */
  readonly envelopes: readonly Envelope[];
}

export interface PolicyQuestion {
  readonly requireSignature: readonly SignatureRule[];
  /** The names of the source, as requested and as resolved: a rule that matches one of them applies. */
  readonly sources: readonly string[];
  readonly digest: Digest;
  /** The requested and the declared name: a publisher signs each skill for one name. */
  readonly names: readonly string[];
  readonly envelopes: readonly Envelope[];
  readonly failures?: readonly string[];
}

/** What alone determines whether a signature is required. */
export type PolicyScope = Pick<PolicyQuestion, "requireSignature" | "sources">;

export function needsSignature({ requireSignature, sources }: PolicyScope): boolean {
  return rulesFor(requireSignature, sources).length > 0;
}

/** Checks every rule for a source: each needs a signature by its own keys for exactly this tree and name. */
export function checkSignaturePolicy(question: PolicyQuestion): SignatureDecision {
  const good: Verified[] = [];
  for (const rule of rulesFor(question.requireSignature, question.sources)) {
    const verifications = verifyAll(question, rule);
    const own = verifications.filter((one) => isGood(one, question));
    if (own.length === 0) return { state: "refused", rule, message: refusal(question, rule, verifications) };
    good.push(...own);
  }
  if (good.length === 0) return { state: "not-required" };
  return { state: "satisfied", ...signedBy(good) };
}

/** The statements of a source's publishers about a tree, even if some signatures that a policy requires are missing. */
export function findSigned(question: PolicyQuestion): Signed {
  const rules = rulesFor(question.requireSignature, question.sources);
  return signedBy(rules.flatMap((rule) => verifyAll(question, rule).filter((one) => isGood(one, question))));
}

type Verification = SignatureVerification & { readonly envelope: Envelope };
type Verified = Extract<Verification, { readonly state: "verified" }>;

function verifyAll({ envelopes, digest }: PolicyQuestion, rule: SignatureRule): readonly Verification[] {
  const keys = rule.keys.map((text) => readKey(text));
  return envelopes.map((envelope) => ({ ...verifySignature(envelope, keys, digest), envelope }));
}

function isGood(one: Verification, { names }: PolicyQuestion): one is Verified {
  return one.state === "verified" && names.every((name) => name === one.statement.name);
}

function signedBy(good: readonly Verified[]): Signed {
  const byEnvelope = new Map(good.map(({ envelope, statement }) => [envelope, statement]));
  const signers = [...new Set(good.flatMap((one) => one.signers))].sort();
  return { signers, envelopes: [...byEnvelope.keys()], statements: [...byEnvelope.values()] };
}

function rulesFor(rules: readonly SignatureRule[], sources: readonly string[]): readonly SignatureRule[] {
  const spellings = sources.flatMap((source) => [
    foldSource(source),
    foldSource(source, { hosts: "as-written" }),
  ]);
  const places = [...new Set(spellings.flatMap(placesAbove))];
  return rules.filter((rule) => {
    const pattern = parseStars(rulePattern(rule.sources));
    return places.some((place) => matchesName(pattern, place));
  });
}

// A rule about a source applies to every ref, query, skill and folder of it.
function placesAbove(source: string): readonly string[] {
  const start = source.indexOf(":") + 2;
  const cuts = [...source.matchAll(/[/#@:?]/g)].map(({ index }) => index).filter((index) => index >= start);
  return [source, ...cuts.map((index) => source.slice(0, index))];
}

function refusal(
  { sources, names, failures = [] }: PolicyQuestion,
  rule: SignatureRule,
  verifications: readonly Verification[],
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
  return `Skills from ${sources[0] ?? "this source"} need a signature (rule \`${rule.sources}\`), and ${found}${unread(failures)}; ask the publisher to sign it, or have the policy changed.`;
}

const MAX_SHOWN_FAILURES = 2;

function unread(failures: readonly string[]): string {
  if (failures.length === 0) return "";
  const shown = failures
    .slice(0, MAX_SHOWN_FAILURES)
    .map((failure) => failure.slice(0, 200).replace(/\.$/, ""));
  const more = failures.length - shown.length;
  return `, besides what could not be read: ${shown.join(". ")}${more > 0 ? `. And ${more} more` : ""}`;
}
