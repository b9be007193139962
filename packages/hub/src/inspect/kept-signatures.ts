import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { asObject, parseJsonObject } from "@skillet/kit/json";
import { type Envelope, formatEnvelope, MAX_ENVELOPE_BYTES, parseEnvelope } from "../signature/envelope.ts";
import type { FoundEnvelopes } from "../sources/collect-envelopes.ts";

const MAX_KEPT_BYTES = 16 * MAX_ENVELOPE_BYTES;
// What an envelope grows by within the file.
const MAX_INDENT_BYTES = 1024;

/**
 * The signatures that came with a tree when it was installed, so that it can be brought back without its source.
 *
 * They need no protection: each is checked anew against the keys that the policy names by then.
 */
export function keptSignatures(home: string, digest: Digest): FoundEnvelopes {
  const bytes = readBoundedFile(pathOf(home, digest), { maxBytes: MAX_KEPT_BYTES });
  const listed = bytes && parseJsonObject(bytes)?.envelopes;
  const envelopes: Envelope[] = [];
  const failures: string[] = [];
  for (const item of Array.isArray(listed) ? listed : [])
    try {
      envelopes.push(parseEnvelope(Buffer.from(JSON.stringify(asObject(item) ?? {}))));
    } catch (error) {
      if (!SkilletError.isInstance(error) || error.code !== "signature-malformed") throw error;
      failures.push(error.message);
    }
  return { envelopes, failures };
}

/** Keeps what was signed about a tree: of a great many the first, as many as are read again. */
export async function keepSignatures(
  home: string,
  digest: Digest,
  envelopes: readonly Envelope[],
): Promise<void> {
  await mkdir(join(home, "signatures"), { recursive: true, mode: 0o700 });
  let room = MAX_KEPT_BYTES;
  const plain = envelopes
    .map((envelope) => formatEnvelope(envelope))
    .filter((text) => {
      room -= Buffer.byteLength(text) + MAX_INDENT_BYTES;
      return room >= 0;
    })
    .map((text): unknown => JSON.parse(text));
  await writeAtomic(pathOf(home, digest), `${JSON.stringify({ envelopes: plain }, null, 2)}\n`);
}

function pathOf(home: string, digest: Digest): string {
  return join(home, "signatures", `${digest.slice("sha256:".length)}.json`);
}
