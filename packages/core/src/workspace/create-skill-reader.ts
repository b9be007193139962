import { SkilletError } from "@skillet/kit/errors";
import { MAX_SKILL_BYTES } from "../format/format-limits.ts";
import { readCommandContent, readSkillContent } from "../registry/read-skill-content.ts";
import { readTree } from "../registry/read-tree.ts";
import { pathBelow } from "../registry/read-tree-file.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { SkillReader } from "../session/skill-reader.ts";
import type { SkillSource, TreeStamp } from "../source/skill-source.ts";
import type { TrustVerification } from "./verify-trust.ts";

/** The reader of a registry's sessions: everything goes through the sources, which are the one gate for files. */
export function createSkillReader(registry: {
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
export function stampSkill(source: SkillSource, { kind, source: place }: Skill): TreeStamp | undefined {
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
