import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { packChecked } from "../../publish/pack-skill.ts";
import { checkSkillToPublish, type SkillToPublish, signSkill } from "../../publish/skill-to-publish.ts";
import type { SigningKey } from "../../signature/key.ts";
import { treeDigestOf } from "../../tree-digest-of.ts";
import type { FetchContext } from "../fetch-context.ts";
import type { ResolvedOci } from "../resolved.ts";
import { OciClient } from "./oci-client.ts";
import { fetchManifest } from "./oci-manifest.ts";
import {
  MANIFEST_TYPE,
  SKILL_ARTIFACT_TYPE,
  SKILL_CONFIG_TYPE,
  SKILL_CONTENT_TYPE,
  TREE_DIGEST_ANNOTATION,
} from "./oci-media-types.ts";
import { checkOciTag, type OciPlace, showOci } from "./oci-place.ts";
import { pushBlob } from "./push-blob.ts";
import { pushManifest } from "./push-manifest.ts";
import { pushSignature } from "./push-signature.ts";

/** What `pushOci` needs. */
export interface PushOciOptions {
  readonly skill: SkillToPublish;
  readonly place: OciPlace;
  readonly tag: string;
  readonly context: FetchContext;
  /** Signs it. */
  readonly key?: SigningKey;
  /** What to do when the tag already names other bytes; default `refuse`. */
  readonly existingTag?: "refuse" | "move";
}

/** What is in the registry now. */
export interface PushedOci {
  readonly resolved: ResolvedOci;
  readonly treeDigest: Digest;
  /** The manifest of the signature. */
  readonly signature?: Digest;
}

/**
 * Pushes a skill to an OCI registry, by digest and by tag; the tag comes last, so that it never names half of it.
 *
 * @example
 * await pushOci({ skill, place: { registry: "registry.example.com", repository: "skills/pdf-tools" }, tag: "1.0.0", context });
 */
export async function pushOci(options: PushOciOptions): Promise<PushedOci> {
  const { skill, place, key } = options;
  checkSkillToPublish(skill);
  const tag = checkOciTag(options.tag);
  const client = new OciClient({ place, context: patient(options.context), actions: "pull,push" });
  const treeDigest = treeDigestOf(skill.files);
  const layer = packChecked(skill);
  const config = Buffer.from(JSON.stringify(configOf(skill)));
  const manifest = Buffer.from(JSON.stringify(manifestOf(skill, { config, layer, treeDigest })));
  const digest = digestBytes(manifest);
  if (options.existingTag !== "move") await refuseToMove(client, tag, digest);
  await pushBlob(client, config);
  await pushBlob(client, layer);
  await pushManifest(client, { bytes: manifest, mediaType: MANIFEST_TYPE, reference: digest });
  const envelope = key && signSkill(skill, { key, treeDigest });
  const signature = envelope && (await pushSignature(client, { subject: manifest, envelope }));
  await pushManifest(client, { bytes: manifest, mediaType: MANIFEST_TYPE, reference: tag });
  const resolved = { kind: "oci", ...client.place, tag, digest } as const;
  return { resolved, treeDigest, ...(signature !== undefined && { signature }) };
}

// An upload says nothing until it is complete; the deadline still holds.
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

function configOf({ name, description, version }: SkillToPublish): object {
  return { schemaVersion: "1", name, description, version };
}

function manifestOf(
  { name, description, version, source }: SkillToPublish,
  parts: { readonly config: Uint8Array; readonly layer: Uint8Array; readonly treeDigest: Digest },
): object {
  return {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    artifactType: SKILL_ARTIFACT_TYPE,
    config: descriptorOf(SKILL_CONFIG_TYPE, parts.config),
    layers: [descriptorOf(SKILL_CONTENT_TYPE, parts.layer)],
    annotations: {
      [TREE_DIGEST_ANNOTATION]: parts.treeDigest,
      "io.agentskills.skill.name": name,
      "org.opencontainers.image.description": description,
      ...(source && { "org.opencontainers.image.source": source }),
      "org.opencontainers.image.title": name,
      ...(version && { "org.opencontainers.image.version": version }),
    },
  };
}

function descriptorOf(mediaType: string, bytes: Uint8Array): object {
  return { mediaType, digest: digestBytes(bytes), size: bytes.length };
}
