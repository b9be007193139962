import { type Digest, digestBytes, treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { parseUrl } from "@skillet/kit/network";
import { type Envelope, formatEnvelope } from "../signature/envelope.ts";
import type { SigningKey } from "../signature/key.ts";
import type { FetchContext } from "../sources/fetch-context.ts";
import { checkOciTag, isConfidential, OciClient, type OciPlace, showOci } from "../sources/oci/oci-client.ts";
import {
  ARCHIVE_TYPE,
  EMPTY_TYPE,
  ENVELOPE_TYPE,
  fetchManifest,
  INDEX_TYPE,
  MANIFEST_TYPE,
  type OciDescriptor,
  PLUGIN_ARTIFACT_TYPE,
  SIGNATURE_ARTIFACT_TYPE,
  SKILL_ARTIFACT_TYPE,
  SKILL_CONFIG_TYPE,
  SKILL_CONTENT_TYPE,
  TREE_DIGEST_ANNOTATION,
} from "../sources/oci/oci-manifest.ts";
import { referrersTag } from "../sources/oci/open-oci-source.ts";
import type { ResolvedOf } from "../sources/source.ts";
import { checkSkillToPublish, packChecked, type SkillToPublish, signSkill } from "./skill-to-publish.ts";

export interface PushOciOptions {
  readonly skill: SkillToPublish;
  readonly place: OciPlace;
  readonly tag: string;
  readonly context: FetchContext;
  readonly key?: SigningKey;
  /** What to do if the tag already names other bytes. Default: `refuse`. */
  readonly existingTag?: "refuse" | "move";
}

export interface PushedOci {
  readonly resolved: ResolvedOf<"oci">;
  readonly treeDigest: Digest;
  readonly signature?: Digest;
}

/** Pushes a skill to an OCI registry by digest, and by tag last, so that the tag never names half of it. */
export async function pushOci(options: PushOciOptions): Promise<PushedOci> {
  const { skill, place, key } = options;
  checkSkillToPublish(skill);
  const tag = checkOciTag(options.tag);
  const client = new OciClient({ place, context: patient(options.context), actions: "pull,push" });
  const treeDigest = treeDigestOf(skill.files);
  const layer = packChecked(skill);
  const { name, description, version } = skill;
  const isPlugin = skill.kind === "plugin";
  const config = jsonBytes(isPlugin ? {} : { schemaVersion: "1", name, description, version });
  const manifest = jsonBytes(manifestOf(skill, { config, layer, treeDigest }));
  const digest = digestBytes(manifest);
  if (options.existingTag !== "move") await refuseToMove(client, tag, digest);
  await pushBlob(client, config);
  await pushBlob(client, layer);
  await pushManifest(client, { bytes: manifest, mediaType: MANIFEST_TYPE, reference: digest });
  const envelope = key && signSkill(skill, key, treeDigest);
  const signature = envelope && (await pushSignature(client, { subject: manifest, envelope }));
  await pushManifest(client, { bytes: manifest, mediaType: MANIFEST_TYPE, reference: tag });
  const resolved = { kind: "oci", ...client.place, tag, digest } as const;
  return { resolved, treeDigest, ...(signature !== undefined && { signature }) };
}

function jsonBytes(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

// A server does not answer until an upload is complete; the deadline still applies.
function patient(context: FetchContext): FetchContext {
  return { ...context, limits: { ...context.limits, idleMs: context.limits.deadlineMs } };
}

async function refuseToMove(client: OciClient, tag: string, digest: Digest): Promise<void> {
  const existing = await fetchManifest(client, tag);
  if (existing === undefined || existing.digest === digest) return;
  const shown = showOci(client.place, tag);
  const message = `${shown} exists and has other bytes (${existing.digest}); give a new version another tag, or pass --move-tag to move this one.`;
  throw new SkilletError("oci-tag-exists", message, { data: { reference: shown, digest: existing.digest } });
}

function manifestOf(
  { kind, name, description, version, source }: SkillToPublish,
  parts: { readonly config: Uint8Array; readonly layer: Uint8Array; readonly treeDigest: Digest },
): object {
  const isPlugin = kind === "plugin";
  return {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    artifactType: isPlugin ? PLUGIN_ARTIFACT_TYPE : SKILL_ARTIFACT_TYPE,
    config: descriptorOf(isPlugin ? EMPTY_TYPE : SKILL_CONFIG_TYPE, parts.config),
    layers: [descriptorOf(isPlugin ? ARCHIVE_TYPE : SKILL_CONTENT_TYPE, parts.layer)],
    annotations: {
      [TREE_DIGEST_ANNOTATION]: parts.treeDigest,
      ...(!isPlugin && { "io.agentskills.skill.name": name }),
      "org.opencontainers.image.description": description,
      ...(source && { "org.opencontainers.image.source": source }),
      "org.opencontainers.image.title": name,
      ...(version && { "org.opencontainers.image.version": version }),
    },
  };
}

function descriptorOf(mediaType: string, bytes: Uint8Array): OciDescriptor {
  return { mediaType, digest: digestBytes(bytes), size: bytes.length };
}

async function pushBlob(client: OciClient, bytes: Uint8Array): Promise<void> {
  const digest = digestBytes(bytes);
  const present = await client.send(`/blobs/${digest}`, { method: "HEAD", statuses: [404] });
  if (present.status === 200) return;
  const start = await client.send("/blobs/uploads/", { method: "POST", body: new Uint8Array() });
  const location = uploadAddress(client, start.url, start.headers.location);
  location.searchParams.set("digest", digest);
  const end = await client.send(location.href, {
    method: "PUT",
    headers: { "content-type": "application/octet-stream" },
    body: bytes,
  });
  if (end.status !== 201) throw refused(client, `it answered ${end.status} to the end of an upload`);
}

/** Where to send the bytes: relative to the request or absolute, with any state that the registry added. */
function uploadAddress(client: OciClient, base: string, location: string | undefined): URL {
  const url = location === undefined ? undefined : parseUrl(location, base);
  if (url === undefined) throw refused(client, "it does not say where to upload to");
  // A registry behind a proxy may believe that clients contact it without TLS.
  if (!isConfidential(url)) throw refused(client, `it wants the upload at ${url.origin}, without TLS`);
  return url;
}

function refused(client: OciClient, what: string): SkilletError {
  const message = `${showOci(client.place)} rejected the upload: ${what}; ask the operator of the registry.`;
  return new SkilletError("oci-push-refused", message, { data: { ...client.place } });
}

/** Puts a manifest under its digest or a tag; returns whether the registry lists referrers of its subject itself. */
export async function pushManifest(
  client: OciClient,
  options: { readonly bytes: Uint8Array; readonly mediaType: string; readonly reference: string },
): Promise<{ readonly listsReferrers: boolean }> {
  const { bytes, mediaType, reference } = options;
  const { headers } = await client.send(`/manifests/${reference}`, {
    method: "PUT",
    headers: { "content-type": mediaType },
    body: bytes,
  });
  const [expected, found] = [digestBytes(bytes), headers["docker-content-digest"]];
  if (found !== undefined && found !== expected) {
    const message = `${showOci(client.place, reference)} was stored as ${String(found).slice(0, 100)} instead of ${expected}: the registry changes what it is given; use another.`;
    throw new SkilletError("oci-digest-mismatch", message, { data: { expected, found } });
  }
  return { listsReferrers: headers["oci-subject"] !== undefined };
}

export async function pushSignature(
  client: OciClient,
  options: { readonly subject: Uint8Array; readonly envelope: Envelope },
): Promise<Digest> {
  const envelope = Buffer.from(formatEnvelope(options.envelope));
  const empty = jsonBytes({});
  const subject = descriptorOf(MANIFEST_TYPE, options.subject);
  const bytes = jsonBytes({
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    artifactType: SIGNATURE_ARTIFACT_TYPE,
    config: descriptorOf(EMPTY_TYPE, empty),
    layers: [descriptorOf(ENVELOPE_TYPE, envelope)],
    subject,
  });
  const own = { ...descriptorOf(MANIFEST_TYPE, bytes), artifactType: SIGNATURE_ARTIFACT_TYPE };
  await pushBlob(client, empty);
  await pushBlob(client, envelope);
  const put = { bytes, mediaType: MANIFEST_TYPE, reference: own.digest };
  const { listsReferrers } = await pushManifest(client, put);
  if (!listsReferrers) await addToReferrersTag(client, subject.digest, own);
  return own.digest;
}

const MAX_ATTEMPTS = 5;

/**
 * The specification has no conditional put, so another publisher who signs at the same moment may remove the
 * entry; then it is added once more.
 */
async function addToReferrersTag(client: OciClient, subject: Digest, own: OciDescriptor): Promise<void> {
  const tag = referrersTag(subject);
  for (let attempt = 0; attempt <= MAX_ATTEMPTS; attempt++) {
    const known = await fetchManifest(client, tag);
    if (known?.manifests?.some(({ digest }) => digest === own.digest)) return;
    if (attempt === MAX_ATTEMPTS) break;
    // Keeps the unknown keys of other tools' entries.
    const others = known?.manifests === undefined ? [] : entriesOf(known.bytes);
    const bytes = jsonBytes({ schemaVersion: 2, mediaType: INDEX_TYPE, manifests: [...others, own] });
    await pushManifest(client, { bytes, mediaType: INDEX_TYPE, reference: tag });
  }
  const message = `The signature was pushed to ${showOci(client.place, own.digest)}, but it does not stay in the list ${tag}, by which clients find it: others write there at the same time, or the registry forgets. Publish again when they are done.`;
  throw new SkilletError("oci-referrers-lost", message, { data: { ...client.place, tag } });
}

function entriesOf(index: Uint8Array): readonly unknown[] {
  return (JSON.parse(Buffer.from(index).toString()) as { readonly manifests: readonly unknown[] }).manifests;
}
