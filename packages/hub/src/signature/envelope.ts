import { sign, verify } from "node:crypto";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { parseJson } from "@skillet/kit/json";
import {
  array,
  digest as digestSchema,
  lenient,
  object,
  readDocument,
  refine,
  type Schema,
  scalar,
  text,
} from "@skillet/kit/schema";
import { decodeBase64, type SigningKey, type VerifyingKey } from "./key.ts";

export const MAX_ENVELOPE_BYTES = 262_144;
const MAX_SIGNATURES = 16;

/** A signed message in the DSSE format, which sigstore's bundles contain too. */
export interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly EnvelopeSignature[];
}

interface EnvelopeSignature {
  /** A hint about the key; no decision depends on it. */
  readonly keyid: string;
  readonly sig: string;
}

/** Signs a payload of one type; Ed25519 is deterministic, so the same payload gives the same envelope. */
export function signEnvelope(payloadType: string, payload: Uint8Array, key: SigningKey): Envelope {
  const sig = sign(null, preAuthenticationEncoding(payloadType, payload), key.privateKey);
  return {
    payloadType,
    payload: Buffer.from(payload).toString("base64"),
    signatures: [{ keyid: key.id, sig: sig.toString("base64") }],
  };
}

/** The ids of the trusted keys that signed the envelope, and its payload, which counts only if there are any. */
export function signersOf(
  envelope: Envelope,
  trustedKeys: readonly VerifyingKey[],
): { readonly payload: Uint8Array; readonly signers: readonly Digest[] } {
  const payload = decodeBase64(envelope.payload);
  if (payload === undefined || envelope.signatures.length > MAX_SIGNATURES)
    return { payload: new Uint8Array(), signers: [] };
  const message = preAuthenticationEncoding(envelope.payloadType, payload);
  const signatures = envelope.signatures.map(({ sig }) => decodeBase64(sig));
  const signers = trustedKeys
    .filter(({ publicKey }) =>
      signatures.some((bytes) => bytes !== undefined && verify(null, message, publicKey, bytes)),
    )
    .map(({ id }) => id);
  return { payload, signers: [...new Set(signers)] };
}

export function formatEnvelope(envelope: Envelope): string {
  const { payloadType, payload, signatures } = envelope;
  const plain = signatures.map(({ keyid, sig }) => ({ keyid, sig }));
  return `${JSON.stringify({ payloadType, payload, signatures: plain }, null, 2)}\n`;
}

export function parseEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length > MAX_ENVELOPE_BYTES)
    throw malformedEnvelope(`it has more than ${MAX_ENVELOPE_BYTES} bytes`);
  const { value, faults } = readDocument(envelopeSchema, parseJson(bytes), { name: "the envelope" });
  if (value === undefined) throw malformedEnvelope(faults[0]?.message ?? "it is not an envelope");
  return value;
}

const base64 = scalar("base64", (value) =>
  typeof value === "string" && decodeBase64(value) !== undefined ? value : undefined,
);

const signature = refine(
  object<{ readonly keyid?: string; readonly sig: string }>({ keyid: lenient(text), sig: base64 }),
  ({ keyid = "", sig }) => ({ keyid, sig }),
);

export const envelopeSchema: Schema<Envelope> = object<Envelope>(
  { payloadType: text, payload: base64, signatures: array(signature, { maxItems: MAX_SIGNATURES }) },
  { unknown: "drop" },
);

function malformedEnvelope(what: string): SkilletError {
  const message = `The signature cannot be read: ${what}; ask its publisher to sign again.`;
  return new SkilletError("signature-malformed", message);
}

/** The signed bytes: lengths keep type and payload from being confused. */
function preAuthenticationEncoding(type: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

export const STATEMENT_TYPE = "application/vnd.skillet.statement+json";

export interface Statement {
  readonly name: string;
  /** Of all files, as computed by `digestTree`, whatever archive contains them. */
  readonly treeDigest: Digest;
  readonly version?: string;
  readonly source?: string;
}

/** Signs a publisher's statement about a tree; the signature goes beside the artefact, never into the tree. */
export function signTree(options: { readonly key: SigningKey; readonly statement: Statement }): Envelope {
  const { name, treeDigest, version, source } = options.statement;
  const payload = Buffer.from(JSON.stringify({ name, treeDigest, version, source }));
  return signEnvelope(STATEMENT_TYPE, payload, options.key);
}

export type SignatureVerification =
  | { readonly state: "verified"; readonly signers: readonly Digest[]; readonly statement: Statement }
  /** A valid signature by a trusted key, but for other bytes. */
  | { readonly state: "other-tree"; readonly signers: readonly Digest[]; readonly statement: Statement }
  /** No trusted key made it, or it was changed since. */
  | { readonly state: "untrusted" }
  | { readonly state: "not-a-statement" };

export function verifySignature(
  envelope: Envelope,
  trustedKeys: readonly VerifyingKey[],
  digest: Digest,
): SignatureVerification {
  if (envelope.payloadType !== STATEMENT_TYPE) return { state: "not-a-statement" };
  const { payload, signers } = signersOf(envelope, trustedKeys);
  // A payload without a trusted signature is not even parsed.
  if (signers.length === 0) return { state: "untrusted" };
  const { value: statement } = readDocument(statementSchema, parseJson(payload));
  if (statement === undefined) return { state: "not-a-statement" };
  return { state: statement.treeDigest === digest ? "verified" : "other-tree", signers, statement };
}

const statementSchema = object<Statement>(
  { name: text, treeDigest: digestSchema, version: lenient(text), source: lenient(text) },
  { unknown: "drop" },
);
