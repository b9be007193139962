import { MAX_SKILL_BYTES } from "../format/format-limits.ts";
import { readTree } from "../registry/read-tree.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { SkillReader } from "../session/skill-reader.ts";
import { SkilletError } from "../skillet-error.ts";
import type { SkillSource } from "../source/skill-source.ts";
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

function pathIn({ source }: Skill, path: string): string {
  return source.folder === "" ? path : `${source.folder}/${path}`;
}
