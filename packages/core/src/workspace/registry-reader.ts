import { SkilletError } from "@skillet/kit/errors";
import { indexCommand, indexResources } from "../registry/index-resources.ts";
import type { ContentBounds, SkillContent } from "../registry/read-skill-content.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { SkillRoot } from "../registry/skill-root.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { SkillReader } from "../session/skill-reader.ts";
import type { DeclaredToolset } from "../session/tools/declaration/declared-toolset.ts";
import { readSkillToolsets } from "../session/tools/declaration/read-skill-toolsets.ts";
import type { TreeStamp } from "../source/skill-source.ts";
import { createSkillReader, stampSkill } from "./create-skill-reader.ts";
import type { LoadedWorkspace } from "./load-workspace.ts";
import { readSkillText, type SkillText } from "./read-skill-text.ts";
import type { CallOptions } from "./skills.ts";
import { type TrustVerification, verifyTrust } from "./verify-trust.ts";

/**
 * Reads the files of skills for a registry, through the roots of its newest snapshot.
 *
 * Sessions read through it, too: what is no longer trusted after a reload is not trusted by any of them.
 */
export class RegistryReader {
  /** What sessions read with. */
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
