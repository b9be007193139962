import { listOf, objectOf, optional, ShapeCheck, text } from "../../../registry/json-shape.ts";
import { digest } from "../../../registry/snapshot-shape.ts";
import type { RegisteredResource, RegisteredSkill, RegistryArtefact } from "./registry-artefact.ts";

type KnownResource = Pick<RegisteredResource, "path" | "digest">;
type KnownSkill = Pick<RegisteredSkill, "qualifiedName" | "sourceId" | "treeDigest"> & {
  readonly resources: readonly KnownResource[];
};

/** What is read back of a registry artefact; the rest is for people. */
export interface KnownRegistry extends Pick<RegistryArtefact, "snapshotVersion"> {
  readonly skills: readonly KnownSkill[];
}

/** Checks what is used of a registry artefact, since whoever can write its file can also seal it; or says what is wrong. */
export function checkRegistryArtefact(value: unknown): KnownRegistry | string {
  const check = new ShapeCheck();
  shape(value, check);
  return check.problems[0] ?? (value as KnownRegistry);
}

const shape = objectOf<KnownRegistry>({
  snapshotVersion: digest,
  skills: listOf(
    objectOf<KnownSkill>({
      qualifiedName: text,
      sourceId: text,
      treeDigest: optional(digest),
      resources: listOf(objectOf<KnownResource>({ path: text, digest })),
    }),
  ),
});
