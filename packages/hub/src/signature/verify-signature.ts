import type { Digest } from "@skillet/kit/digest";
import { parseJsonObject } from "@skillet/kit/json";
import { type Envelope, signersOf } from "./envelope.ts";
import type { VerifyingKey } from "./key.ts";
import { STATEMENT_TYPE, type Statement } from "./sign-tree.ts";

/** What a signature is worth for one tree. */
export type SignatureVerification =
  | { readonly state: "verified"; readonly signers: readonly Digest[]; readonly statement: Statement }
  /** Well signed, by a trusted key, for other bytes. */
  | { readonly state: "other-tree"; readonly signers: readonly Digest[]; readonly statement: Statement }
  /** No trusted key made it, or it was changed since. */
  | { readonly state: "untrusted" }
  /** It is about something that is no skill. */
  | { readonly state: "not-a-statement" };

/** Checks an envelope against the keys that are trusted and the digest of the tree that is there. */
export function verifySignature(
  envelope: Envelope,
  trustedKeys: readonly VerifyingKey[],
  digest: Digest,
): SignatureVerification {
  if (envelope.payloadType !== STATEMENT_TYPE) return { state: "not-a-statement" };
  const { payload, signers } = signersOf(envelope, trustedKeys);
  // Nothing is read from what nobody trusted has signed.
  if (signers.length === 0) return { state: "untrusted" };
  const statement = parseStatement(payload);
  if (statement === undefined) return { state: "not-a-statement" };
  return { state: statement.treeDigest === digest ? "verified" : "other-tree", signers, statement };
}

function parseStatement(payload: Uint8Array): Statement | undefined {
  const { name, treeDigest, version, source } = parseJsonObject(payload) ?? {};
  if (typeof name !== "string" || !isDigest(treeDigest)) return undefined;
  return {
    ...{ name, treeDigest },
    ...(typeof version === "string" && { version }),
    ...(typeof source === "string" && { source }),
  };
}

/** Whether a value is a digest as Skillet writes it. */
export function isDigest(value: unknown): value is Digest {
  return typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value);
}
