import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { parseJson } from "@skillet/kit/json";
import { array, lenient, object, readDocument } from "@skillet/kit/schema";
import {
  type Envelope,
  envelopeSchema,
  formatEnvelope,
  MAX_ENVELOPE_BYTES,
  parseEnvelope,
} from "../signature/envelope.ts";
import { type FetchContext, withDeadline } from "./fetch-context.ts";
import { download } from "./http/download.ts";

export interface FoundEnvelopes {
  readonly envelopes: readonly Envelope[];
  readonly failures: readonly string[];
}

export const NO_ENVELOPES: FoundEnvelopes = { envelopes: [], failures: [] };

// Whoever can add signatures to a registry or a site can add any number, and each is read before it is checked.
const MAX_TRIED = 256;
const MAX_TOTAL_BYTES = 64 * MAX_ENVELOPE_BYTES;

/**
 * Reads signatures one by one, and skips those that cannot be read, so that none of them hides a good one.
 *
 * Together they may take as long as one download, and a bounded number of bytes. `read` returns the bytes of
 * one, or undefined if it is not a signature of this tree.
 */
export async function collectEnvelopes<Place>(
  places: readonly Place[],
  context: FetchContext,
  read: (place: Place, context: FetchContext) => Promise<Uint8Array | undefined>,
): Promise<FoundEnvelopes> {
  const { deadline, signal } = withDeadline(context);
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

/** Downloads the signatures that an index names for one skill, without checking them. */
export function fetchEnvelopes(urls: readonly string[], context: FetchContext): Promise<FoundEnvelopes> {
  return collectEnvelopes(
    urls,
    context,
    async (url, bounded) => (await download(url, bounded, { maxBytes: MAX_ENVELOPE_BYTES })).bytes,
  );
}

const MAX_KEPT_BYTES = 16 * MAX_ENVELOPE_BYTES;
// An envelope grows by at most this much within the file.
const MAX_INDENT_BYTES = 1024;

/** They need no protection: each is checked again with the policy's current keys. */
export function keptSignatures(home: string, digest: Digest): FoundEnvelopes {
  const bytes = readBoundedFile(pathOf(home, digest), { maxBytes: MAX_KEPT_BYTES });
  const { value: kept, faults } = readDocument(keptFile, parseJson(bytes), {
    name: "what was kept",
    maxFaults: Number.POSITIVE_INFINITY,
  });
  const failures = bytes === undefined ? [] : faults.map(({ message }) => `${message}.`);
  return { envelopes: kept?.envelopes ?? [], failures };
}

const keptFile = object<Pick<FoundEnvelopes, "envelopes">>({ envelopes: array(lenient(envelopeSchema)) });

/** Stores the signatures of a tree: the first ones, up to the size that is read back. */
export async function keepSignatures(
  home: string,
  digest: Digest,
  envelopes: readonly Envelope[],
): Promise<void> {
  await mkdir(join(home, "signatures"), { recursive: true, mode: 0o700 });
  let room = MAX_KEPT_BYTES;
  const kept = envelopes.map(formatEnvelope).filter((text) => {
    room -= Buffer.byteLength(text) + MAX_INDENT_BYTES;
    return room >= 0;
  });
  const plain = kept.map((text): unknown => JSON.parse(text));
  await writeAtomic(pathOf(home, digest), `${JSON.stringify({ envelopes: plain }, null, 2)}\n`);
}

function pathOf(home: string, digest: Digest): string {
  return join(home, "signatures", `${digest.slice("sha256:".length)}.json`);
}
