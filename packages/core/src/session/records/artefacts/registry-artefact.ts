import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Manifest } from "../../../format/manifest.ts";
import type { Resource, ResourceIndex } from "../../../registry/resource.ts";
import type { Skill } from "../../../registry/skill.ts";
import type { RootReport, Snapshot } from "../../../registry/snapshot.ts";
import type { JournalEntry } from "../journal.ts";
import { placeOf } from "../place-of.ts";
import { type ArtefactFrame, frameOf } from "./artefact.ts";
import {
  pathInSource,
  type ResourcePaths,
  rootOfSource,
  type SkillPaths,
  skillPaths,
} from "./path-in-source.ts";
import { pickPresent } from "./pick-present.ts";

/** `skill-registry.json`: the skills that a session had, with the files of those that were frozen. */
export interface RegistryArtefact extends ArtefactFrame<"skill-registry"> {
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
export interface RegisteredSkill extends SkillPaths, Pick<Skill, (typeof FACTS)[number]> {
  readonly description: string;
  readonly treeDigest?: Digest;
  readonly indexed: boolean;
  readonly resources: readonly RegisteredResource[];
  readonly frontmatter: Manifest;
}

/** One file of a skill. */
export interface RegisteredResource extends Required<ResourcePaths>, Omit<Resource, "size"> {
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

/** Describes a snapshot and the files of the skills that were frozen, by qualified name. */
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
