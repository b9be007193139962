import { readAudit } from "@skillet/core";
import type { Digest } from "@skillet/kit/digest";
import { parseJson } from "@skillet/kit/json";
import { digest, object, readDocument, wholeNumber } from "@skillet/kit/schema";
import { type Envelope, signEnvelope, signersOf } from "./envelope.ts";
import type { SigningKey, VerifyingKey } from "./key.ts";

const HEAD_TYPE = "application/vnd.skillet.audit-head+json";

export interface AuditHead {
  readonly sequence: number;
  readonly hash: Digest;
}

export type HeadVerification =
  | { readonly state: "intact"; readonly head: AuditHead; readonly later: number }
  | { readonly state: "cut-off"; readonly head: AuditHead; readonly last: number }
  | { readonly state: "rewritten"; readonly head: AuditHead; readonly found: Digest }
  | { readonly state: "damaged"; readonly head: AuditHead; readonly problem: string }
  | { readonly state: "untrusted" }
  | { readonly state: "not-a-head" };

/** Signs the head of an audit log, to be stored out of reach of anyone who could truncate the log. */
export function signHead(options: { readonly head: AuditHead; readonly key: SigningKey }): Envelope {
  const { sequence, hash } = options.head;
  return signEnvelope(HEAD_TYPE, Buffer.from(JSON.stringify({ sequence, hash })), options.key);
}

export async function verifyHead(options: {
  readonly envelope: Envelope;
  readonly trustedKeys: readonly VerifyingKey[];
  readonly file: string;
}): Promise<HeadVerification> {
  const { envelope, trustedKeys, file } = options;
  if (envelope.payloadType !== HEAD_TYPE) return { state: "not-a-head" };
  const { payload, signers } = signersOf(envelope, trustedKeys);
  if (signers.length === 0) return { state: "untrusted" };
  const head = readDocument(headSchema, parseJson(payload)).value;
  return head === undefined ? { state: "not-a-head" } : findHead(file, head);
}

export async function findHead(file: string, head: AuditHead): Promise<HeadVerification> {
  let last = 0;
  let isFound = false;
  for await (const { line, record, problems } of readAudit(file)) {
    // Later lines do not concern the head: `verifyAudit` reports what is wrong with them.
    if (!isFound && (problems[0] !== undefined || record === undefined))
      return { state: "damaged", head, problem: `line ${line} ${problems[0] ?? "cannot be read"}` };
    last = record?.sequence ?? last;
    if (isFound || record?.sequence !== head.sequence) continue;
    if (record.hash !== head.hash) return { state: "rewritten", head, found: record.hash };
    isFound = true;
  }
  return isFound ? { state: "intact", head, later: last - head.sequence } : { state: "cut-off", head, last };
}

const headSchema = object<AuditHead>({ sequence: wholeNumber(1), hash: digest }, { unknown: "drop" });
