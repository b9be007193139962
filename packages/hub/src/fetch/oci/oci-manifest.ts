import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { asObject, parseJsonObject } from "@skillet/kit/json";
import type { OciClient } from "./oci-client.ts";
import { ACCEPTED_MANIFESTS } from "./oci-media-types.ts";
import { checkOciReference, showOci } from "./oci-place.ts";

// What registries are told to accept at least, and most do at most.
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

/** What a manifest says about a blob or another manifest. */
export interface OciDescriptor {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  readonly artifactType?: string;
}

/** A manifest or an index, read from bytes whose digest was computed here. */
export interface OciManifest {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly artifactType?: string;
  readonly config?: OciDescriptor;
  readonly layers: readonly OciDescriptor[];
  /** Of an index. */
  readonly manifests?: readonly OciDescriptor[];
  readonly subject?: OciDescriptor;
  readonly annotations: ReadonlyMap<string, string>;
}

/** Fetches a manifest by tag or digest and checks what the registry says about it; nothing where there is none. */
export async function fetchManifest(client: OciClient, reference: string): Promise<OciManifest | undefined> {
  const answer = await client.send(`/manifests/${checkOciReference(reference)}`, {
    accept: ACCEPTED_MANIFESTS,
    maxBytes: Math.min(MAX_MANIFEST_BYTES, client.context.limits.maxDownloadBytes),
    statuses: [404],
  });
  if (answer.status === 404) return undefined;
  const digest = digestBytes(answer.bytes);
  const shown = showOci(client.place, reference);
  const stated = answer.headers["docker-content-digest"];
  const expected = reference.startsWith("sha256:") ? reference : stated;
  if (expected !== undefined && expected !== digest) {
    const message = `The manifest of ${shown} has the digest ${digest}, not ${String(expected).slice(0, 100)}: the registry is damaged or not honest. Nothing was taken from it; ask whoever runs it.`;
    throw new SkilletError("oci-digest-mismatch", message, { data: { expected, found: digest } });
  }
  return parseManifest(answer.bytes, { shown, contentType: answer.contentType });
}

/** That a manifest cannot be used. */
export function malformedManifest(shown: string, what: string): SkilletError {
  const message = `The manifest of ${shown} cannot be used: ${what}; ask its publisher to push it again.`;
  return new SkilletError("oci-manifest-malformed", message);
}

/** Reads a manifest or an index. */
function parseManifest(
  bytes: Uint8Array,
  context: { readonly shown: string; readonly contentType: string | undefined },
): OciManifest {
  const { shown } = context;
  const value = parseJsonObject(bytes);
  if (value === undefined) throw malformedManifest(shown, "it is not a JSON object");
  const stated = context.contentType?.split(";")[0]?.trim();
  const mediaType = typeof value.mediaType === "string" ? value.mediaType : (stated ?? "");
  // One document, read as a manifest by one and as an index by another, is an attack of its own.
  if (stated?.includes("vnd.") && stated !== mediaType)
    throw malformedManifest(shown, "the registry gives it another media type than its own");
  const { artifactType, config, layers, manifests, subject, annotations } = value;
  if (Array.isArray(layers) && Array.isArray(manifests))
    throw malformedManifest(shown, "it has both layers and manifests");
  return {
    ...{ digest: digestBytes(bytes), bytes, mediaType, annotations: readAnnotations(annotations) },
    ...(typeof artifactType === "string" && { artifactType }),
    ...(config !== undefined && { config: readDescriptor(config, shown) }),
    layers: readDescriptors(layers, shown),
    ...(manifests !== undefined && { manifests: readDescriptors(manifests, shown) }),
    ...(subject !== undefined && { subject: readDescriptor(subject, shown) }),
  };
}

/**
 * The digests of what a list of referrers has of one type. Anybody may have added to it, so what is odd about an entry
 * shows when that is fetched, and spoils no other.
 */
export function parseReferrers(
  bytes: Uint8Array,
  { shown, artifactType }: { readonly shown: string; readonly artifactType: string },
): readonly string[] {
  const { manifests } = parseJsonObject(bytes) ?? {};
  if (!Array.isArray(manifests)) throw malformedManifest(shown, "the list of what refers to it is none");
  return manifests
    .map((entry: unknown) => asObject(entry))
    .filter((entry) => entry?.artifactType === artifactType)
    .map((entry) => String(entry?.digest));
}

function readDescriptors(value: unknown, shown: string): readonly OciDescriptor[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw malformedManifest(shown, "its layers are not a list");
  return value.map((entry: unknown) => readDescriptor(entry, shown));
}

function readDescriptor(value: unknown, shown: string): OciDescriptor {
  const { mediaType, digest, size, artifactType } = asObject(value) ?? {};
  if (
    typeof mediaType !== "string" ||
    typeof digest !== "string" ||
    !Number.isSafeInteger(size) ||
    Number(size) < 0
  )
    throw malformedManifest(shown, "a descriptor lacks media type, digest or size");
  if (!/^sha256:[0-9a-f]{64}$/.test(digest))
    throw malformedManifest(shown, `${JSON.stringify(digest.slice(0, 100))} is not a SHA-256 digest`);
  return {
    ...{ mediaType, digest: digest as Digest, size: Number(size) },
    ...(typeof artifactType === "string" && { artifactType }),
  };
}

function readAnnotations(value: unknown): ReadonlyMap<string, string> {
  const entries = Object.entries(asObject(value) ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return new Map(entries);
}
