import type { Manifest } from "../../../format/manifest.ts";
import type { ResourceIndex } from "../../../registry/resource.ts";
import type { Skill } from "../../../registry/skill.ts";
import type { SkillReader } from "../../skill-reader.ts";
import type { DeclaredToolset } from "./declared-toolset.ts";
import { readToolsets } from "./read-toolsets.ts";

/** Reads the toolsets that a header names from the files of its skill, as they were when the index was made. */
export function readSkillToolsets(
  skill: Skill,
  { toolsets }: Manifest,
  { resources }: ResourceIndex,
  reader: SkillReader,
): Promise<readonly DeclaredToolset[]> {
  return readToolsets(toolsets, {
    skillPath: skill.path,
    files: resources.map(({ path, contentKind, digest }) => ({
      path,
      kind: contentKind === "link" ? "link" : "file",
      digest,
    })),
    read: (path, options) => reader.readFile(skill, path, options),
    pathOf: (path) => reader.toolPath(skill, path),
  });
}
