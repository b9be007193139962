import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { CallOptions } from "../ask.ts";
import { MAX_SKILL_BYTES } from "../format/format-limits.ts";
import { indexCommand, indexResources } from "../registry/index-resources.ts";
import {
  type ContentBounds,
  readCommandContent,
  readSkillContent,
  type SkillContent,
} from "../registry/read-skill-content.ts";
import type { TreeFile } from "../registry/read-tree.ts";
import { pathBelow, readTree } from "../registry/read-tree.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { SkillRoot } from "../registry/skill-root.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { SkillReader } from "../session/skill-reader.ts";
import type { DeclaredToolset } from "../session/tools/declaration/parse-toolset.ts";
import { readSkillToolsets } from "../session/tools/declaration/read-toolsets.ts";
import type { SkillSource, SourceRead, TreeStamp } from "../source/skill-source.ts";
import type { LoadedWorkspace } from "./load-workspace.ts";
import { type TrustVerification, verifyTrust } from "./trusted-skills.ts";

/**
 * Reads the files of skills through the roots of the newest snapshot: after a reload, a skill that is no longer trusted
 * is not trusted by any open session either. Everything goes through the sources, the one gate for files.
 */
export class SourceReader implements SkillReader {
  readonly #loaded: () => Pick<LoadedWorkspace, "snapshot" | "roots">;
  #skillPaths: { readonly of: Snapshot; readonly paths: ReadonlySet<string> } | undefined;

  constructor(loaded: () => Pick<LoadedWorkspace, "snapshot" | "roots">) {
    this.#loaded = loaded;
  }

  /** A SKILL.md as it is now, and whether it is still what the snapshot saw. */
  readText(skill: Skill, options: CallOptions = {}): Promise<SkillText> {
    return this.readSkillFile(skill, options).then((bytes) => ({
      text: new TextDecoder().decode(bytes),
      drifted: digestBytes(bytes) !== skill.digest,
    }));
  }

  readSkillFile(skill: Skill, options: CallOptions = {}): Promise<Uint8Array> {
    const limits = { ...options, maxBytes: MAX_SKILL_BYTES };
    return this.readFile(skill, skill.source.file, limits).then(({ bytes, truncated }) => {
      if (!truncated) return bytes;
      const message = `${skill.path} has grown beyond ${MAX_SKILL_BYTES} bytes and is not read; shorten it.`;
      throw new SkilletError("skill-too-large", message, { data: { path: skill.path } });
    });
  }

  readFile(
    skill: Skill,
    path: string,
    options: CallOptions & { readonly maxBytes: number },
  ): Promise<SourceRead> {
    return this.#sourceOf(skill).read(pathIn(skill, path), options);
  }

  indexResources(skill: Skill, options: CallOptions = {}): Promise<ResourceIndex> {
    const source = this.#sourceOf(skill);
    if (skill.kind === "command") return indexCommand(source, skill.source, options);
    return indexResources(source, skill.source, { ...options, isSkill: (path) => this.#isSkill(path) });
  }

  readTree(skill: Skill, options: CallOptions): AsyncIterable<TreeFile> {
    const isSkill = (path: string): boolean => this.#isSkill(path);
    return readTree(this.#sourceOf(skill), skill.source.folder, { ...options, isSkill });
  }

  /** Everything that a skill holds, for a scan; a file that cannot be read is reported in its place. */
  readContent(skill: Skill, options: ContentBounds & CallOptions): Promise<SkillContent> {
    const read = skill.kind === "command" ? readCommandContent : readSkillContent;
    return read(this.#sourceOf(skill), skill.source, options);
  }

  /** The tools that a skill declares, and their faults; whether one may run is for a session to say. */
  async toolsets(skill: Skill, options: CallOptions = {}): Promise<readonly DeclaredToolset[]> {
    if (skill.manifest.toolsets.length === 0) return [];
    const index = await this.indexResources(skill, options);
    return readSkillToolsets(skill, skill.manifest, index, this);
  }

  /** Whether every file of a project's skill is what was trusted; with the digest of its content, often without reading. */
  verifyTrust(
    skill: Skill,
    { content, ...options }: CallOptions & { readonly content?: Digest | undefined } = {},
  ): Promise<TrustVerification> {
    const index = (): Promise<ResourceIndex> => this.indexResources(skill, options);
    return verifyTrust(skill, this.#rootOf(skill).trust, index, content);
  }

  async findTrustFault(skill: Skill, index: ResourceIndex): ReturnType<SkillReader["findTrustFault"]> {
    const { outcome, reason } = await verifyTrust(skill, this.#rootOf(skill).trust, async () => index);
    if (outcome === "unneeded" || outcome === "unchanged") return undefined;
    return { kind: outcome === "untrusted" ? "untrusted" : "changed", reason };
  }

  /** The status of a skill's folder; of a command's file, because the folder holds other commands. */
  stamp(skill: Skill): TreeStamp | undefined {
    const { folder } = skill.source;
    const source = this.#sourceOf(skill);
    try {
      return source.stamp?.(skill.kind === "command" ? pathIn(skill, skill.source.file) : folder);
    } catch (error) {
      // It is gone, or leads elsewhere by now: nothing is known of it, and reading it says why.
      if (SkilletError.isInstance(error)) return undefined;
      throw error;
    }
  }

  async hasScripts(skill: Skill): Promise<boolean> {
    if (skill.kind === "command") return false;
    try {
      const { files, diagnostics } = await this.#sourceOf(skill).listFiles(skill.source.folder);
      // A file that could not be looked at may be a script.
      return (
        diagnostics.length > 0 ||
        files.some(({ path, executable }) => executable || path.startsWith("scripts/"))
      );
    } catch (error) {
      if (SkilletError.isInstance(error)) return true;
      throw error;
    }
  }

  toolPath(skill: Skill, path: string): string {
    return this.#sourceOf(skill).toolPath(pathIn(skill, path));
  }

  #sourceOf(skill: Skill): SkillSource {
    return this.#rootOf(skill).source;
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

export function rootIn(roots: ReadonlyMap<string, SkillRoot>, skill: Skill): SkillRoot {
  const root = roots.get(skill.source.id);
  if (root !== undefined) return root;
  throw new SkilletError(
    "skill-not-here",
    `${skill.qualifiedName} is not among these skills; take it from snapshot.skills.`,
    { data: { skill: skill.qualifiedName, source: skill.source.id } },
  );
}

function pathIn({ source }: Skill, path: string): string {
  return pathBelow(source.folder, path);
}

export interface SkillText {
  readonly text: string;
  /** Whether the bytes are no longer those the snapshot saw. */
  readonly drifted: boolean;
}
