import type { FetchContext } from "../fetch/fetch-context.ts";
import { download } from "../fetch/http/download.ts";
import { collectEnvelopes, type FoundEnvelopes } from "./collect-envelopes.ts";
import { MAX_ENVELOPE_BYTES } from "./envelope.ts";

/** Downloads the signatures that an index names for one skill; whether any is worth something is not decided here. */
export function fetchEnvelopes(urls: readonly string[], context: FetchContext): Promise<FoundEnvelopes> {
  return collectEnvelopes(urls, {
    context,
    read: async (url, bounded) => (await download(url, bounded, { maxBytes: MAX_ENVELOPE_BYTES })).bytes,
  });
}
