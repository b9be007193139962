import { type Digest, digestBytes, treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { isDigest } from "@skillet/kit/schema";
import { MAX_ENVELOPE_BYTES } from "../../signature/envelope.ts";
import { unpackArchive } from "../archive.ts";
import { collectEnvelopes, type FoundEnvelopes } from "../collect-envelopes.ts";
import { type FetchContext, type OpenedSource, openTree } from "../fetch-context.ts";
import type { OciSource, ResolvedOf } from "../source.ts";
import { checkOciReference, OciClient, showOci } from "./oci-client.ts";
import {
  ENVELOPE_TYPE,
  fetchManifest,
  INDEX_TYPE,
  malformedManifest,
  type OciDescriptor,
  type OciManifest,
  parseReferrers,
  SIGNATURE_ARTIFACT_TYPE,
  skillLayerOf,
  TREE_DIGEST_ANNOTATION,
} from "./oci-manifest.ts";

/** The manifest and its single layer are each checked against their digests before they are read. */
export async function openOciSource(
  source: OciSource,
  context: FetchContext,
  expected?: ResolvedOf<"oci">,
): Promise<OpenedSource> {
  const { client, manifest, layer, resolved } = await locateSkill(source, context, expected?.digest);
  const name = showOci(client.place, manifest.digest);
  const bytes = await fetchBlob(client, layer, context.limits.maxDownloadBytes);
  const files = unpackArchive(bytes, { ...context, name });
  const stated = manifest.annotations[TREE_DIGEST_ANNOTATION];
  const found = treeDigestOf(files);
  if (stated !== undefined && stated !== found) {
    const message = `${name} says that its files have the digest ${stated.slice(0, 100)}, but they have ${found}: it was packed wrongly or changed. Nothing was taken from it; ask its publisher to push it again.`;
    throw new SkilletError("oci-digest-mismatch", message, { data: { expected: stated, found } });
  }
  return openTree({ resolved, files, signaturesOf: () => fetchSignatures(client, manifest.digest) });
}

export async function resolveOci(source: OciSource, context: FetchContext): Promise<ResolvedOf<"oci">> {
  return (await locateSkill(source, context)).resolved;
}

/** Finds the manifest of a skill, by pin, digest or tag in that order, and the layer with its files. */
async function locateSkill(
  { registry, repository, tag, digest }: OciSource,
  context: FetchContext,
  pinned?: Digest,
): Promise<{
  readonly client: OciClient;
  readonly manifest: OciManifest;
  readonly layer: OciDescriptor;
  readonly resolved: ResolvedOf<"oci">;
}> {
  const client = new OciClient({ place: { registry, repository }, context, actions: "pull" });
  const reference = pinned ?? digest ?? tag ?? "latest";
  const shown = showOci(client.place, reference);
  context.onStep?.({ step: "resolve", what: shown });
  const manifest = await fetchManifest(client, reference);
  if (manifest === undefined) {
    const message = `The registry has no ${shown}; check the spelling, or list its tags.`;
    throw new SkilletError("oci-not-found", message, { data: { registry, repository, reference } });
  }
  const place = { registry, repository, ...(tag && { tag }) };
  const resolved: ResolvedOf<"oci"> = { kind: "oci", ...place, digest: manifest.digest };
  return { client, manifest, layer: skillLayerOf(manifest, shown), resolved };
}

const MAX_REFERRERS_BYTES = 4 * 1024 * 1024;

/** The signatures that refer to a manifest, not yet checked. */
async function fetchSignatures(client: OciClient, subject: Digest): Promise<FoundEnvelopes> {
  const list = await fetchReferrers(client, subject);
  const { place, context } = client;
  const listed = list === undefined ? [] : parseReferrers(list, showOci(place, subject));
  // One client for all of them signs in only once.
  let reader: OciClient | undefined;
  return collectEnvelopes([...new Set(listed)], context, (digest, bounded) => {
    reader ??= new OciClient({ place, context: bounded, actions: "pull" });
    return fetchSignature(reader, digest, subject);
  });
}

async function fetchSignature(
  client: OciClient,
  digest: string,
  subject: Digest,
): Promise<Uint8Array | undefined> {
  if (!isDigest(digest)) {
    const shown = showOci(client.place, subject);
    throw malformedManifest(shown, "something that refers to it has no SHA-256 digest");
  }
  const manifest = await fetchManifest(client, digest);
  const [layer] = manifest?.layers ?? [];
  if (manifest?.subject?.digest !== subject || layer?.mediaType !== ENVELOPE_TYPE) return undefined;
  return fetchBlob(client, layer, MAX_ENVELOPE_BYTES);
}

/** The list of a manifest's referrers; if the registry does not support it, the tag that replaces the list. */
async function fetchReferrers(client: OciClient, subject: Digest): Promise<Uint8Array | undefined> {
  const type = encodeURIComponent(SIGNATURE_ARTIFACT_TYPE);
  const options = { accept: INDEX_TYPE, maxBytes: MAX_REFERRERS_BYTES };
  // Registries without the list answer unknown paths in different ways.
  const statuses = [400, 404, 405];
  const path = `/referrers/${subject}?artifactType=${type}`;
  const answer = await client.send(path, { ...options, statuses });
  if (answer.status === 200) return answer.bytes;
  const tag = checkOciReference(referrersTag(subject));
  const tagged = await client.send(`/manifests/${tag}`, { ...options, statuses: [404] });
  return tagged.status === 404 ? undefined : tagged.bytes;
}

export function referrersTag(subject: Digest): string {
  return subject.replace(":", "-");
}

/** Fetches a blob and checks its size and digest before any of it is read. */
async function fetchBlob(
  client: OciClient,
  { digest, size }: OciDescriptor,
  maxBytes: number,
): Promise<Uint8Array> {
  const shown = showOci(client.place, digest);
  if (size > maxBytes) {
    const message = `${shown} has ${size} bytes, more than the ${maxBytes} that are downloaded; nothing was.`;
    throw new SkilletError("oci-blob-too-large", message, { data: { size, maxBytes } });
  }
  const { bytes } = await client.send(`/blobs/${digest}`, { maxBytes: size });
  const found = digestBytes(bytes);
  if (bytes.length === size && found === digest) return bytes;
  const message = `The registry answered with ${bytes.length} bytes of the digest ${found} for ${shown} of ${size} bytes: it is damaged or malicious. Nothing was unpacked; ask its operator.`;
  throw new SkilletError("oci-digest-mismatch", message, { data: { expected: digest, found } });
}
