import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { array, digest, object, optional, readDocument, text } from "@skillet/kit/schema";
import type { Manifest } from "../../../format/manifest.ts";
import type { Resource, ResourceIndex } from "../../../registry/resource.ts";
import type { Skill } from "../../../registry/skill.ts";
import type { RootReport, Snapshot } from "../../../registry/snapshot.ts";
import type { JournalEntry } from "../journal.ts";
import { placeOf } from "../session-record.ts";
import {
  type ArtefactFrame,
  frameOf,
  pathInSource,
  pickPresent,
  type ResourcePaths,
  rootOfSource,
  type SkillPaths,
  skillPaths,
} from "./artefact.ts";

/** `skill-registry.json`: the skills that a session had, with the files of those that were frozen. */
interface RegistryArtefact extends ArtefactFrame<"skill-registry"> {
  readonly snapshotVersion: Digest;
  /** Of the root with the highest precedence, for readers that know one root only. */
  readonly skillsRoot?: string;
  readonly sandboxSkillsRoot?: string;
  /** All of them, highest precedence first. */
  readonly roots: readonly RegisteredRoot[];
  readonly skills: readonly RegisteredSkill[];
  readonly diagnostics: readonly Diagnostic[];
}

/** One root: in its source, and as the agent's tools see it. */
interface RegisteredRoot extends Pick<RootReport, "scope" | "sourceId" | "state" | "trusted"> {
  readonly skillsRoot: string;
  readonly sandboxSkillsRoot: string;
}

/** One skill; `indexed` says whether its files were looked at, and without that `resources` says nothing. */
interface RegisteredSkill extends SkillPaths, Pick<Skill, (typeof FACTS)[number]> {
  readonly description: string;
  readonly treeDigest?: Digest;
  readonly indexed: boolean;
  readonly resources: readonly RegisteredResource[];
  readonly frontmatter: Manifest;
}

interface RegisteredResource extends Required<ResourcePaths>, Omit<Resource, "size"> {
  readonly sizeBytes: number;
  readonly diagnostics: readonly Diagnostic[];
}

const FACTS = [
  "name",
  "qualifiedName",
  "scope",
  "origin",
  "kind",
  "state",
  "reason",
  "digest",
  "settingsDigest",
  "diagnostics",
] as const;

export function registryArtefact(
  entries: readonly JournalEntry[],
  snapshot: Snapshot,
  resources: ReadonlyMap<string, ResourceIndex>,
): RegistryArtefact {
  const roots = snapshot.roots.map(describeRoot);
  const [first] = roots;
  return {
    ...frameOf("skill-registry", entries),
    snapshotVersion: snapshot.version,
    ...(first === undefined ? {} : pickPresent(first, ["skillsRoot", "sandboxSkillsRoot"])),
    roots,
    skills: snapshot.skills.map((skill) => describeSkill(skill, resources.get(skill.qualifiedName))),
    diagnostics: snapshot.diagnostics,
  };
}

function describeRoot({ scope, sourceId, state, trusted, path }: RootReport): RegisteredRoot {
  return { scope, sourceId, state, trusted, skillsRoot: rootOfSource(sourceId), sandboxSkillsRoot: path };
}

function describeSkill(skill: Skill, index: ResourceIndex | undefined): RegisteredSkill {
  return {
    ...pickPresent(skill, FACTS),
    description: skill.manifest.description,
    ...(index?.treeDigest === undefined ? {} : { treeDigest: index.treeDigest }),
    ...skillPaths(placeOf(skill)),
    indexed: index !== undefined,
    resources: (index?.resources ?? []).map((resource) =>
      describeResource(skill, resource, index?.diagnostics ?? []),
    ),
    frontmatter: skill.manifest,
    diagnostics: [...skill.diagnostics, ...(index?.diagnostics ?? [])],
  };
}

function describeResource(
  skill: Skill,
  resource: Resource,
  diagnostics: readonly Diagnostic[],
): RegisteredResource {
  const { id, folder } = skill.source;
  const { path, kind, size, digest, contentKind, script } = resource;
  const sandboxResourcePath = `${skill.directory}/${path}`;
  return {
    path,
    kind,
    resourcePath: pathInSource(id, folder, path),
    sandboxResourcePath,
    sizeBytes: size,
    digest,
    contentKind,
    ...(script === undefined ? {} : { script }),
    diagnostics: diagnostics.filter(({ file }) => file === sandboxResourcePath),
  };
}

type KnownResource = Pick<RegisteredResource, "path" | "digest">;
type KnownSkill = Pick<RegisteredSkill, "qualifiedName" | "sourceId" | "treeDigest"> & {
  readonly resources: readonly KnownResource[];
};

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
