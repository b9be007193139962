import { SkilletError } from "@skillet/core";
import type { FetchContext } from "../fetch/fetch-context.ts";
import { download } from "../fetch/http/download.ts";
import { type Envelope, MAX_ENVELOPE_BYTES, parseEnvelope } from "./envelope.ts";

const MAX_SIGNATURES = 16;

/** Downloads the signatures that an index names for one skill; whether any is worth something is not decided here. */
export async function fetchEnvelopes(
  urls: readonly string[],
  context: FetchContext,
): Promise<readonly Envelope[]> {
  const envelopes: Envelope[] = [];
  for (const url of urls.slice(0, MAX_SIGNATURES)) {
    const { bytes, status } = await download(url, context, {
      maxBytes: MAX_ENVELOPE_BYTES,
      statuses: [404, 410],
    });
    const envelope = status === 200 ? readEnvelope(bytes) : undefined;
    if (envelope !== undefined) envelopes.push(envelope);
  }
  return envelopes;
}

/** Reads an envelope among others, where one that cannot be read must not keep a good one from being found. */
export function readEnvelope(bytes: Uint8Array): Envelope | undefined {
  try {
    return parseEnvelope(bytes);
  } catch (error) {
    if (SkilletError.isInstance(error) && error.code === "signature-malformed") return undefined;
    throw error;
  }
}
