import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
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
import { showOci } from "./oci-place.ts";
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

const MAX_ATTEMPTS = 5;

/**
 * Adds an entry to the tag that stands in for a list, and looks whether it stayed.
 *
 * The specification offers no condition for the put, so another publisher who signs at the same moment may take the
 * entry away again; whoever finds his own missing adds it once more.
 */
async function addToReferrersTag(client: OciClient, subject: Digest, own: OciDescriptor): Promise<void> {
  const tag = referrersTag(subject);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const known = await fetchManifest(client, tag);
    if (known?.manifests?.some(({ digest }) => digest === own.digest)) return;
    // Entries of other tools keep what only those understand.
    const others = known?.manifests === undefined ? [] : entriesOf(known.bytes);
    const index = { schemaVersion: 2, mediaType: INDEX_TYPE, manifests: [...others, own] };
    const bytes = Buffer.from(JSON.stringify(index));
    await pushManifest(client, { bytes, mediaType: INDEX_TYPE, reference: tag });
  }
  const last = await fetchManifest(client, tag);
  if (last?.manifests?.some(({ digest }) => digest === own.digest)) return;
  const message = `The signature was pushed to ${showOci(client.place, own.digest)}, but it does not stay in the list ${tag}, by which clients find it: others write there at the same time, or the registry forgets. Publish again when they are done.`;
  throw new SkilletError("oci-referrers-lost", message, { data: { ...client.place, tag } });
}

function entriesOf(index: Uint8Array): readonly unknown[] {
  return (JSON.parse(Buffer.from(index).toString()) as { readonly manifests: readonly unknown[] }).manifests;
}
