import type { Digest } from "@skillet/core";
import { type Envelope, MAX_ENVELOPE_BYTES } from "../../signature/envelope.ts";
import { readEnvelope } from "../../signature/fetch-envelopes.ts";
import { fetchBlob } from "./fetch-blob.ts";
import type { OciClient } from "./oci-client.ts";
import { fetchManifest, type OciDescriptor, parseManifest } from "./oci-manifest.ts";
import { ENVELOPE_TYPE, INDEX_TYPE, SIGNATURE_ARTIFACT_TYPE } from "./oci-media-types.ts";
import { showOci } from "./oci-place.ts";

// Whoever may push to a registry may add signatures without end.
const MAX_SIGNATURES = 16;
const MAX_REFERRERS_BYTES = 4 * 1024 * 1024;

/** The signatures that refer to a manifest, as found; whether any of them is worth something is not decided here. */
export async function fetchSignatures(client: OciClient, subject: Digest): Promise<readonly Envelope[]> {
  const referrers = await fetchReferrers(client, subject);
  const candidates = referrers.filter(({ artifactType }) => artifactType === SIGNATURE_ARTIFACT_TYPE);
  const envelopes: Envelope[] = [];
  for (const { digest } of candidates.slice(0, MAX_SIGNATURES)) {
    const manifest = await fetchManifest(client, digest);
    const [layer] = manifest?.layers ?? [];
    if (manifest?.subject?.digest !== subject || layer?.mediaType !== ENVELOPE_TYPE) continue;
    const envelope = readEnvelope(await fetchBlob(client, layer, { maxBytes: MAX_ENVELOPE_BYTES }));
    if (envelope !== undefined) envelopes.push(envelope);
  }
  return envelopes;
}

/** What refers to a manifest; by the tag that stands in for it where a registry has no list of referrers. */
async function fetchReferrers(client: OciClient, subject: Digest): Promise<readonly OciDescriptor[]> {
  const type = encodeURIComponent(SIGNATURE_ARTIFACT_TYPE);
  const answer = await client.send(`/referrers/${subject}?artifactType=${type}`, {
    accept: INDEX_TYPE,
    maxBytes: MAX_REFERRERS_BYTES,
    // Registries without the list have other things to say about a path that they do not know.
    statuses: [400, 404, 405],
  });
  const shown = showOci(client.place, subject);
  const index =
    answer.status === 200
      ? parseManifest(answer.bytes, { shown, contentType: answer.contentType })
      : await fetchManifest(client, referrersTag(subject));
  return index?.manifests ?? [];
}

/** The tag of the index that stands in for a list of referrers. */
export function referrersTag(subject: Digest): string {
  return subject.replace(":", "-");
}
