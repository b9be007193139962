import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Manifest } from "../../../format/manifest.ts";
import type { ResourceIndex } from "../../../registry/resource.ts";
import type { Skill } from "../../../registry/skill.ts";
import type { SkillReader } from "../../skill-reader.ts";
import { readSkillToolsets } from "./read-skill-toolsets.ts";

/** Which tools of a skill that is loaded a model will not hear of, and why; what is merely worth knowing is left out. */
export async function checkSkillToolsets(
  skill: Skill,
  { manifest, index }: { readonly manifest: Manifest; readonly index: ResourceIndex },
  reader: SkillReader,
): Promise<readonly Diagnostic[]> {
  if (manifest.toolsets.length === 0) return [];
  const toolsets = await readSkillToolsets(skill, manifest, index, reader);
  return toolsets.flatMap(({ diagnostics }) => diagnostics.filter(({ severity }) => severity !== "info"));
}
