import { SkilletError } from "@skillet/kit/errors";
import { type Envelope, MAX_ENVELOPE_BYTES, parseEnvelope } from "../signature/envelope.ts";
import type { FetchContext } from "./fetch-context.ts";
import { download } from "./http/download.ts";

export interface FoundEnvelopes {
  readonly envelopes: readonly Envelope[];
  readonly failures: readonly string[];
}

export const NO_ENVELOPES: FoundEnvelopes = { envelopes: [], failures: [] };

// Anybody who may add to a registry or a site may add without end, and what he adds is read before anybody knows it.
const MAX_TRIED = 256;
const MAX_TOTAL_BYTES = 64 * MAX_ENVELOPE_BYTES;

/**
 * Reads signatures one after the other, and passes over what cannot be had or read: it must not hide a good one.
 *
 * All of them together may take as long as one download, and no more bytes than is useful. `read` gives the bytes of one,
 * or nothing for what is no signature of this tree.
 */
export async function collectEnvelopes<Place>(
  places: readonly Place[],
  {
    context,
    read,
  }: {
    readonly context: FetchContext;
    readonly read: (place: Place, context: FetchContext) => Promise<Uint8Array | undefined>;
  },
): Promise<FoundEnvelopes> {
  const deadline = AbortSignal.timeout(context.limits.deadlineMs);
  const signal = context.signal === undefined ? deadline : AbortSignal.any([deadline, context.signal]);
  const envelopes: Envelope[] = [];
  const failures: string[] = [];
  let bytes = 0;
  for (const [index, place] of places.entries()) {
    if (index === MAX_TRIED || bytes > MAX_TOTAL_BYTES || deadline.aborted) {
      failures.push(`${places.length - index} more of ${places.length} were not looked at`);
      break;
    }
    try {
      const found = await read(place, { ...context, signal });
      if (found === undefined) continue;
      bytes += found.length;
      envelopes.push(parseEnvelope(found));
    } catch (error) {
      context.signal?.throwIfAborted();
      if (!deadline.aborted && !SkilletError.isInstance(error)) throw error;
      failures.push(SkilletError.isInstance(error) ? error.message : "one was not there in time");
    }
  }
  return { envelopes, failures };
}

/** Downloads the signatures that an index names for one skill; whether any is worth something is not decided here. */
export function fetchEnvelopes(urls: readonly string[], context: FetchContext): Promise<FoundEnvelopes> {
  return collectEnvelopes(urls, {
    context,
    read: async (url, bounded) => (await download(url, bounded, { maxBytes: MAX_ENVELOPE_BYTES })).bytes,
  });
}
