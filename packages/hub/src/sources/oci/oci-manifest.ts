import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { fieldOf, parseJson } from "@skillet/kit/json";
import {
  array,
  digest,
  lenient,
  object,
  optional,
  readDocument,
  record,
  text,
  wholeNumber,
} from "@skillet/kit/schema";
import { checkOciReference, type OciClient, showOci } from "./oci-client.ts";

// Registries must accept at least this much, and most accept no more.
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

export interface OciDescriptor {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  readonly artifactType?: string;
}

export interface OciManifest {
  readonly mediaType: string;
  readonly artifactType?: string;
  readonly config?: OciDescriptor;
  readonly layers: readonly OciDescriptor[];
  readonly manifests?: readonly OciDescriptor[];
  readonly subject?: OciDescriptor;
  readonly annotations: Readonly<Record<string, string>>;
  /** Computed locally, from these bytes. */
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

const descriptor = object<OciDescriptor>(
  { mediaType: text, digest, size: wholeNumber(0), artifactType: lenient(text) },
  { unknown: "drop" },
);

const writtenManifest = object<Partial<Omit<OciManifest, "digest" | "bytes">>>(
  {
    mediaType: lenient(text),
    artifactType: lenient(text),
    config: optional(descriptor),
    layers: optional(array(descriptor)),
    manifests: optional(array(descriptor)),
    subject: optional(descriptor),
    annotations: lenient(record(lenient(text))),
  },
  { unknown: "drop" },
);

/** Fetches a manifest by tag or digest and checks the registry's claims about it; undefined if there is none. */
export async function fetchManifest(client: OciClient, reference: string): Promise<OciManifest | undefined> {
  const answer = await client.send(`/manifests/${checkOciReference(reference)}`, {
    accept: ACCEPTED_MANIFESTS,
    maxBytes: Math.min(MAX_MANIFEST_BYTES, client.context.limits.maxDownloadBytes),
    statuses: [404],
  });
  if (answer.status === 404) return undefined;
  const { bytes, headers, contentType } = answer;
  const found = digestBytes(bytes);
  const shown = showOci(client.place, reference);
  const expected = reference.startsWith("sha256:") ? reference : headers["docker-content-digest"];
  if (expected !== undefined && expected !== found) {
    const message = `The manifest of ${shown} has the digest ${found}, not ${String(expected).slice(0, 100)}: the registry is damaged or malicious. Nothing was taken from it; ask its operator.`;
    throw new SkilletError("oci-digest-mismatch", message, { data: { expected, found } });
  }
  const { value, faults } = readDocument(writtenManifest, parseJson(bytes));
  if (value === undefined) throw malformedManifest(shown, faults[0]?.message ?? "it is not JSON");
  const stated = contentType?.split(";")[0]?.trim();
  const { mediaType = stated ?? "", layers = [], annotations = {} } = value;
  // A document that one client reads as a manifest and another as an index is an attack.
  if (stated?.includes("vnd.") && stated !== mediaType)
    throw malformedManifest(shown, "the registry gives it another media type than its own");
  if (value.layers !== undefined && value.manifests !== undefined)
    throw malformedManifest(shown, "it has both layers and manifests");
  return { ...value, digest: found, bytes, mediaType, layers, annotations };
}

export function malformedManifest(shown: string, what: string): SkilletError {
  const message = `The manifest of ${shown} cannot be used: ${what}; ask its publisher to push it again.`;
  return new SkilletError("oci-manifest-malformed", message);
}

/** Anyone may add to the list, so an invalid entry fails when it is fetched and does not affect the others. */
export function parseReferrers(bytes: Uint8Array, shown: string): readonly string[] {
  const manifests = fieldOf(parseJson(bytes), "manifests");
  if (!Array.isArray(manifests)) throw malformedManifest(shown, "what refers to it is not a list");
  return (manifests as readonly unknown[])
    .filter((entry) => fieldOf(entry, "artifactType") === SIGNATURE_ARTIFACT_TYPE)
    .map((entry) => String(fieldOf(entry, "digest")));
}

export const SKILL_ARTIFACT_TYPE = "application/vnd.agentskills.skill.v1";
const RIVAL_ARTIFACT_TYPE = "application/vnd.agent.skill.v1+json";
const COLLECTION_ARTIFACT_TYPE = "application/vnd.agentskills.collection.v1";
/** Our own: there is no type for Agent Plugins yet, and clients must not mistake one for a skill. */
export const PLUGIN_ARTIFACT_TYPE = "application/vnd.skillet.agent-plugin.v1";
export const ARCHIVE_TYPE = "application/vnd.oci.image.layer.v1.tar+gzip";
export const SIGNATURE_ARTIFACT_TYPE = "application/vnd.skillet.signature.v1";

export const SKILL_CONFIG_TYPE = "application/vnd.agentskills.skill.config.v1+json";
export const SKILL_CONTENT_TYPE = "application/vnd.agentskills.skill.content.v1.tar+gzip";
export const ENVELOPE_TYPE = "application/vnd.dsse.envelope.v1+json";
export const EMPTY_TYPE = "application/vnd.oci.empty.v1+json";

export const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";
export const INDEX_TYPE = "application/vnd.oci.image.index.v1+json";

/** Everything that a registry may answer with, so that an artefact that is not a skill can be described. */
const ACCEPTED_MANIFESTS: string = [
  MANIFEST_TYPE,
  INDEX_TYPE,
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
].join(", ");

/** The annotation for the digest of the tree, which is the digest in locks and signatures. */
export const TREE_DIGEST_ANNOTATION = "dev.skillet.tree-digest";

/** The layer with a skill's files; any other artefact is refused with a description of what it is. */
export function skillLayerOf(manifest: OciManifest, shown: string): OciDescriptor {
  const { mediaType, layers, manifests } = manifest;
  if (manifests !== undefined) throw notASkill(shown, describeIndex(manifest));
  if (mediaType !== MANIFEST_TYPE) throw notASkill(shown, describe(manifest));
  // Before version 1.1 of the image specification, the config's type identified an artefact.
  const type = manifest.artifactType ?? manifest.config?.mediaType;
  const isRival = type === RIVAL_ARTIFACT_TYPE || type === PLUGIN_ARTIFACT_TYPE;
  if (type !== SKILL_ARTIFACT_TYPE && type !== SKILL_CONFIG_TYPE && !isRival)
    throw notASkill(shown, describe(manifest));
  const contents = layers.filter(({ mediaType: layerType }) => layerType === SKILL_CONTENT_TYPE);
  // The other conventions define no type for their single layer, so any archive is accepted.
  const found =
    contents.length === 0 && isRival
      ? layers.filter(({ mediaType: layerType }) => /\btar\+gzip$|[.+]zip$/.test(layerType))
      : contents;
  const [layer] = found;
  if (layer !== undefined && found.length === 1 && layers.length === 1) return layer;
  const count = `it has ${layers.length} layers, of which ${found.length} hold a skill, instead of one`;
  throw malformedManifest(shown, count);
}

function describeIndex({ artifactType, manifests = [] }: OciManifest): string {
  if (artifactType === COLLECTION_ARTIFACT_TYPE)
    return `a collection of ${manifests.length} skills; install them one by one`;
  return `an image index of ${manifests.length} manifests, as images for several platforms have; name the manifest of a skill by its digest`;
}

function describe({ artifactType, config, mediaType }: OciManifest): string {
  const type = artifactType ?? config?.mediaType ?? mediaType;
  if (type === COLLECTION_ARTIFACT_TYPE) return "a collection of skills; install them one by one";
  if (type === SIGNATURE_ARTIFACT_TYPE) return "a signature of another artefact; install what it signs";
  if (/image\.config|container\.image/.test(type)) return "a container image; check the reference";
  return `an artefact of the type ${JSON.stringify(type.slice(0, 100))}; check the reference`;
}

function notASkill(reference: string, what: string): SkilletError {
  return new SkilletError("oci-not-a-skill", `${reference} is not a skill but ${what}.`, {
    data: { reference },
  });
}
