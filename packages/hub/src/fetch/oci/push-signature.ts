import { type Digest, digestBytes } from "@skillet/core";
import { type Envelope, formatEnvelope } from "../../signature/envelope.ts";
import type { OciClient } from "./oci-client.ts";
import { fetchManifest, type OciDescriptor } from "./oci-manifest.ts";
import {
  EMPTY_TYPE,
  ENVELOPE_TYPE,
  INDEX_TYPE,
  MANIFEST_TYPE,
  SIGNATURE_ARTIFACT_TYPE,
} from "./oci-media-types.ts";
import { referrersTag } from "./oci-signatures.ts";
import { pushBlob } from "./push-blob.ts";
import { pushManifest } from "./push-manifest.ts";

/** Pushes a signature as an artefact that refers to the manifest it is about, and gives the digest of its own. */
export async function pushSignature(
  client: OciClient,
  options: {
    /** The manifest's bytes. */
    readonly subject: Uint8Array;
    readonly envelope: Envelope;
  },
): Promise<Digest> {
  const subject = digestBytes(options.subject);
  const envelope = Buffer.from(formatEnvelope(options.envelope));
  const empty = Buffer.from("{}");
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType: SIGNATURE_ARTIFACT_TYPE,
      config: { mediaType: EMPTY_TYPE, digest: digestBytes(empty), size: empty.length },
      layers: [{ mediaType: ENVELOPE_TYPE, digest: digestBytes(envelope), size: envelope.length }],
      subject: { mediaType: MANIFEST_TYPE, digest: subject, size: options.subject.length },
    }),
  );
  const digest = digestBytes(manifest);
  await pushBlob(client, empty);
  await pushBlob(client, envelope);
  const put = { bytes: manifest, mediaType: MANIFEST_TYPE, reference: digest };
  const { listsReferrers } = await pushManifest(client, put);
  if (!listsReferrers) {
    const own = {
      mediaType: MANIFEST_TYPE,
      digest,
      size: manifest.length,
      artifactType: SIGNATURE_ARTIFACT_TYPE,
    };
    await addToReferrersTag(client, subject, own);
  }
  return digest;
}

// Two publishers that sign one manifest at the same moment can lose one entry: the specification offers no condition.
async function addToReferrersTag(client: OciClient, subject: Digest, own: OciDescriptor): Promise<void> {
  const tag = referrersTag(subject);
  const known = await fetchManifest(client, tag);
  if (known?.manifests?.some(({ digest }) => digest === own.digest)) return;
  // Entries of other tools keep what only those understand.
  const others = known?.manifests === undefined ? [] : entriesOf(known.bytes);
  const index = { schemaVersion: 2, mediaType: INDEX_TYPE, manifests: [...others, own] };
  const bytes = Buffer.from(JSON.stringify(index));
  await pushManifest(client, { bytes, mediaType: INDEX_TYPE, reference: tag });
}

function entriesOf(index: Uint8Array): readonly unknown[] {
  return (JSON.parse(Buffer.from(index).toString()) as { readonly manifests: readonly unknown[] }).manifests;
}
