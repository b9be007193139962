import { array, digest, object, optional, readDocument, text } from "@skillet/kit/schema";
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
  const { value: registry, faults } = readDocument(schema, value);
  return registry ?? faults.map(({ message }) => message).join("; ");
}

const schema = object<KnownRegistry>({
  snapshotVersion: digest,
  skills: array(
    object<KnownSkill>({
      qualifiedName: text,
      sourceId: text,
      treeDigest: optional(digest),
      resources: array(object<KnownResource>({ path: text, digest })),
    }),
  ),
});
