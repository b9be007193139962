import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { MAX_SKILL_BYTES } from "../format/format-limits.ts";
import { indexCommand, indexResources } from "../registry/index-resources.ts";
import {
  type ContentBounds,
  readCommandContent,
  readSkillContent,
  type SkillContent,
} from "../registry/read-skill-content.ts";
import { readTree } from "../registry/read-tree.ts";
import { pathBelow } from "../registry/read-tree-file.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { SkillRoot } from "../registry/skill-root.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { SkillReader } from "../session/skill-reader.ts";
import type { DeclaredToolset } from "../session/tools/declaration/declared-toolset.ts";
import { readSkillToolsets } from "../session/tools/declaration/read-toolsets.ts";
import type { SkillSource, TreeStamp } from "../source/skill-source.ts";
import type { LoadedWorkspace } from "./load-workspace.ts";
import type { CallOptions } from "./skills.ts";
import { type TrustVerification, verifyTrust } from "./trusted-skills.ts";

/**
 * Reads the files of skills for a registry, through the roots of its newest snapshot.
 *
 * Sessions read through it, too: what is no longer trusted after a reload is not trusted by any of them.
 */
export class RegistryReader {
  readonly forSessions: SkillReader;
  readonly #loaded: () => Pick<LoadedWorkspace, "snapshot" | "roots">;
  #skillPaths: { readonly of: Snapshot; readonly paths: ReadonlySet<string> } | undefined;

  constructor(loaded: () => Pick<LoadedWorkspace, "snapshot" | "roots">) {
    this.#loaded = loaded;
    this.forSessions = createSkillReader({
      sourceOf: (skill) => this.#rootOf(skill).source,
      indexResources: (skill) => this.resources(skill, {}),
      isSkill: (path) => this.#isSkill(path),
      verifyTrust: (skill, index) => verifyTrust(skill, this.#rootOf(skill).trust, async () => index),
    });
  }

  readText(skill: Skill, options: CallOptions): Promise<SkillText> {
    return readSkillText(this.#rootOf(skill).source, skill, options);
  }

  resources(skill: Skill, options: CallOptions): Promise<ResourceIndex> {
    const { source } = this.#rootOf(skill);
    if (skill.kind === "command") return indexCommand(source, skill.source, options);
    return indexResources(source, skill.source, { ...options, isSkill: (path) => this.#isSkill(path) });
  }

  async toolsets(skill: Skill, options: CallOptions): Promise<readonly DeclaredToolset[]> {
    if (skill.manifest.toolsets.length === 0) return [];
    const index = await this.resources(skill, options);
    return readSkillToolsets(skill, skill.manifest, index, this.forSessions);
  }

  verifyTrust(skill: Skill, options: CallOptions): Promise<TrustVerification> {
    return verifyTrust(skill, this.#rootOf(skill).trust, () => this.resources(skill, options));
  }

  stamp(skill: Skill): TreeStamp | undefined {
    return stampSkill(this.#rootOf(skill).source, skill);
  }

  content(skill: Skill, options: ContentBounds & CallOptions): Promise<SkillContent> {
    return this.forSessions.readContent(skill, options);
  }

  #rootOf(skill: Skill): SkillRoot {
    return rootIn(this.#loaded().roots, skill);
  }

  #isSkill(path: string): boolean {
    const { snapshot } = this.#loaded();
    if (this.#skillPaths?.of !== snapshot) {
      const paths = snapshot.skills.flatMap((skill) => [skill.path, ...skill.alsoAt]);
      this.#skillPaths = { of: snapshot, paths: new Set(paths) };
    }
    return this.#skillPaths.paths.has(path);
  }
}

/** The root that a skill was found in, or `skill-not-here`. */
export function rootIn(roots: ReadonlyMap<string, SkillRoot>, skill: Skill): SkillRoot {
  const root = roots.get(skill.source.id);
  if (root !== undefined) return root;
  throw new SkilletError(
    "skill-not-here",
    `${skill.qualifiedName} is not a skill of this registry; take it from snapshot.skills.`,
    { data: { skill: skill.qualifiedName, source: skill.source.id } },
  );
}

/** The reader of a registry's sessions: everything goes through the sources, which are the one gate for files. */
function createSkillReader(registry: {
  readonly sourceOf: (skill: Skill) => SkillSource;
  readonly indexResources: (skill: Skill) => Promise<ResourceIndex>;
  readonly isSkill: (path: string) => boolean;
  readonly verifyTrust: (skill: Skill, index: ResourceIndex) => Promise<TrustVerification>;
}): SkillReader {
  const { sourceOf, indexResources, isSkill, verifyTrust } = registry;
  return {
    indexResources,
    readTree: (skill, options) => readTree(sourceOf(skill), skill.source.folder, { ...options, isSkill }),
    readContent: (skill, bounds) =>
      skill.kind === "command"
        ? readCommandContent(sourceOf(skill), skill.source, bounds)
        : readSkillContent(sourceOf(skill), skill.source, bounds),
    stamp: (skill) => stampSkill(sourceOf(skill), skill),
    findTrustFault: async (skill, index) => {
      const { outcome, reason } = await verifyTrust(skill, index);
      if (outcome === "unneeded" || outcome === "unchanged") return undefined;
      return { kind: outcome === "untrusted" ? "untrusted" : "changed", reason };
    },
    readSkillFile: async (skill) => {
      const { bytes, truncated } = await sourceOf(skill).read(pathIn(skill, skill.source.file), {
        maxBytes: MAX_SKILL_BYTES,
      });
      if (!truncated) return bytes;
      const message = `${skill.path} has grown beyond ${MAX_SKILL_BYTES} bytes and is not read; shorten it.`;
      throw new SkilletError("skill-too-large", message, { data: { path: skill.path } });
    },
    readFile: (skill, path, options) => sourceOf(skill).read(pathIn(skill, path), options),
    hasScripts: async (skill) => {
      if (skill.kind === "command") return false;
      try {
        const { files, diagnostics } = await sourceOf(skill).listFiles(skill.source.folder);
        // What could not be looked at may be a script.
        return (
          diagnostics.length > 0 ||
          files.some(({ path, executable }) => executable || path.startsWith("scripts/"))
        );
      } catch (error) {
        if (SkilletError.isInstance(error)) return true;
        throw error;
      }
    },
    toolPath: (skill, path) => sourceOf(skill).toolPath(pathIn(skill, path)),
  };
}

/** The status of a skill's folder; of a command's file, because the folder holds other commands. */
function stampSkill(source: SkillSource, { kind, source: place }: Skill): TreeStamp | undefined {
  try {
    return source.stamp?.(kind === "command" ? pathBelow(place.folder, place.file) : place.folder);
  } catch (error) {
    // It is gone, or leads elsewhere by now: nothing is known of it, and reading it says why.
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}

function pathIn({ source }: Skill, path: string): string {
  return pathBelow(source.folder, path);
}

/** The text of a SKILL.md as it is now. */
export interface SkillText {
  readonly text: string;
  /** Whether the bytes are no longer those the snapshot saw. */
  readonly drifted: boolean;
}

export async function readSkillText(
  source: SkillSource,
  skill: Skill,
  options: { readonly signal?: AbortSignal } = {},
): Promise<SkillText> {
  const { folder, file } = skill.source;
  const { bytes, truncated } = await source.read(folder === "" ? file : `${folder}/${file}`, {
    ...options,
    maxBytes: MAX_SKILL_BYTES,
  });
  if (truncated)
    throw new SkilletError(
      "skill-too-large",
      `${skill.path} has grown beyond ${MAX_SKILL_BYTES} bytes and is not read.`,
      {
        data: { path: skill.path },
      },
    );
  return { text: new TextDecoder().decode(bytes), drifted: digestBytes(bytes) !== skill.digest };
}
