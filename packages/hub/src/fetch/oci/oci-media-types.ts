/** Of a manifest that is a skill. */
export const SKILL_ARTIFACT_TYPE = "application/vnd.agentskills.skill.v1";
/** The type that another convention gives to the same. */
export const RIVAL_ARTIFACT_TYPE = "application/vnd.agent.skill.v1+json";
/** Of a manifest that names several skills. */
export const COLLECTION_ARTIFACT_TYPE = "application/vnd.agentskills.collection.v1";
/** Of a manifest that carries a signature of another one. */
export const SIGNATURE_ARTIFACT_TYPE = "application/vnd.skillet.signature.v1";

export const SKILL_CONFIG_TYPE = "application/vnd.agentskills.skill.config.v1+json";
export const SKILL_CONTENT_TYPE = "application/vnd.agentskills.skill.content.v1.tar+gzip";
export const ENVELOPE_TYPE = "application/vnd.dsse.envelope.v1+json";
export const EMPTY_TYPE = "application/vnd.oci.empty.v1+json";

export const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";
export const INDEX_TYPE = "application/vnd.oci.image.index.v1+json";

/** Everything a registry may answer with, so that what is no skill can be named instead of not found. */
export const ACCEPTED_MANIFESTS: string = [
  MANIFEST_TYPE,
  INDEX_TYPE,
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
].join(", ");

/** The annotation with the digest of the tree, which is the one that locks and signatures name. */
export const TREE_DIGEST_ANNOTATION = "dev.skillet.tree-digest";
