import type { RecordedPlace, ResourceReadRecord, ScriptExecutionRecord } from "../session-record.ts";

/** A skill's place in its source, and as the agent's tools see it. */
export interface SkillPaths {
  readonly sourceId: string;
  readonly skillPath: string;
  readonly skillDir: string;
  readonly sandboxSkillPath: string;
  readonly sandboxSkillDir: string;
}

/** The place of a skill's file in its source, where that is known, and as the agent's tools see it. */
export interface ResourcePaths {
  readonly resourcePath?: string;
  readonly sandboxResourcePath?: string;
}

/** Where a source begins: a local folder's canonical path, otherwise the source's id. */
export function rootOfSource(sourceId: string): string {
  return sourceId.replace(/^(?:file|commands):/, "");
}

/** A path of a source, from its root on; the empty path is the root itself. */
export function pathInSource(sourceId: string, ...parts: readonly string[]): string {
  const root = rootOfSource(sourceId);
  const path = parts.filter((part) => part !== "").join("/");
  return path === "" ? root : `${root.replace(/\/$/, "")}/${path}`;
}

/** The name of a skill's file, which is SKILL.md but for commands and odd spellings. */
export function fileNameOf(skillPath: string): string {
  return skillPath.slice(Math.max(skillPath.lastIndexOf("/"), skillPath.lastIndexOf("\\")) + 1);
}

/** The paths of a skill that was recorded. */
export function skillPaths({ sourceId, folder, skillPath, skillDir }: RecordedPlace): SkillPaths {
  return {
    sourceId,
    skillPath: pathInSource(sourceId, folder, fileNameOf(skillPath)),
    skillDir: pathInSource(sourceId, folder),
    sandboxSkillPath: skillPath,
    sandboxSkillDir: skillDir,
  };
}

/** The paths of a file that was asked for; one that was not found has none. */
export function resourcePaths(record: ResourceReadRecord | ScriptExecutionRecord): ResourcePaths {
  const { sourceId, folder, path, resourcePath } = record;
  if (resourcePath === undefined) return {};
  if (sourceId === undefined || folder === undefined) return { sandboxResourcePath: resourcePath };
  return { resourcePath: pathInSource(sourceId, folder, path), sandboxResourcePath: resourcePath };
}
