import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Digest, readBoundedFile, writeAtomic } from "@skillet/core";
import { asObject, parseJsonObject } from "../discover/json-object.ts";
import { type Envelope, formatEnvelope, MAX_ENVELOPE_BYTES } from "../signature/envelope.ts";
import { readEnvelope } from "../signature/fetch-envelopes.ts";

const MAX_KEPT_BYTES = 16 * MAX_ENVELOPE_BYTES;

/**
 * The signatures that came with a tree when it was installed, so that it can be brought back without its source.
 *
 * They need no protection: each is checked anew against the keys that the policy names by then.
 */
export function keptSignatures(home: string, digest: Digest): readonly Envelope[] {
  const bytes = readBoundedFile(pathOf(home, digest), { maxBytes: MAX_KEPT_BYTES });
  const listed = bytes && parseJsonObject(bytes)?.envelopes;
  if (!Array.isArray(listed)) return [];
  return listed
    .filter((item) => asObject(item) !== undefined)
    .map((item) => readEnvelope(Buffer.from(JSON.stringify(item))))
    .filter((envelope) => envelope !== undefined);
}

/** Keeps what was signed about a tree. */
export async function keepSignatures(
  home: string,
  digest: Digest,
  envelopes: readonly Envelope[],
): Promise<void> {
  await mkdir(join(home, "signatures"), { recursive: true, mode: 0o700 });
  const plain = envelopes.map((envelope): unknown => JSON.parse(formatEnvelope(envelope)));
  await writeAtomic(pathOf(home, digest), `${JSON.stringify({ envelopes: plain }, null, 2)}\n`);
}

function pathOf(home: string, digest: Digest): string {
  return join(home, "signatures", `${digest.slice("sha256:".length)}.json`);
}
