import { SkilletError } from "@skillet/kit/errors";
import { malformedManifest, type OciDescriptor, type OciManifest } from "./oci-manifest.ts";
import {
  COLLECTION_ARTIFACT_TYPE,
  MANIFEST_TYPE,
  RIVAL_ARTIFACT_TYPE,
  SIGNATURE_ARTIFACT_TYPE,
  SKILL_ARTIFACT_TYPE,
  SKILL_CONFIG_TYPE,
  SKILL_CONTENT_TYPE,
} from "./oci-media-types.ts";

/** The layer that holds a skill's files; anything that is no skill is named for what it is. */
export function skillLayerOf(manifest: OciManifest, shown: string): OciDescriptor {
  const { mediaType, layers, manifests } = manifest;
  if (manifests !== undefined) throw notASkill(shown, describeIndex(manifest));
  if (mediaType !== MANIFEST_TYPE) throw notASkill(shown, describe(manifest));
  // Before version 1.1 of the image specification the config's type said what an artefact is.
  const type = manifest.artifactType ?? manifest.config?.mediaType;
  const isRival = type === RIVAL_ARTIFACT_TYPE;
  if (type !== SKILL_ARTIFACT_TYPE && type !== SKILL_CONFIG_TYPE && !isRival)
    throw notASkill(shown, describe(manifest));
  const contents = layers.filter(({ mediaType: layerType }) => layerType === SKILL_CONTENT_TYPE);
  // The other convention names no type for its one layer, so what counts is that it is an archive.
  const found =
    contents.length === 0 && isRival
      ? layers.filter(({ mediaType: layerType }) => /\btar\+gzip$|[.+]zip$/.test(layerType))
      : contents;
  const [layer] = found;
  if (layer === undefined || found.length !== 1 || layers.length !== 1)
    throw malformedManifest(
      shown,
      `it has ${layers.length} layers, of which ${found.length} hold a skill, instead of one`,
    );
  return layer;
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

function notASkill(shown: string, what: string): SkilletError {
  return new SkilletError("oci-not-a-skill", `${shown} is not a skill but ${what}.`, {
    data: { reference: shown },
  });
}
