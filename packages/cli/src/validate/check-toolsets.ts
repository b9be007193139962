import { dirname, join } from "node:path";
import { type Diagnostic, parseSkillBytes, readToolsets } from "@skillet/core";
import type { SkillFile } from "./skill-file.ts";

/** What is wrong with the toolset files that a skill's header names. */
export async function checkToolsets(skill: SkillFile, bytes: Uint8Array): Promise<readonly Diagnostic[]> {
  // Most skills have none, and parsing a second time would cost as much as the rest.
  if (skill.kind === "command" || !Buffer.from(bytes).includes("toolsets")) return [];
  const { file, directoryName, source, sourcePath } = skill;
  const { manifest } = parseSkillBytes(bytes, { mode: "lenient", file, directoryName });
  const toolsets = await readToolsets(manifest?.toolsets ?? [], {
    skillPath: file,
    read: (path, options) => source.read(join(dirname(sourcePath), path), options),
    pathOf: (path) => join(dirname(file), path),
  });
  return toolsets.flatMap(({ diagnostics }) => diagnostics);
}
