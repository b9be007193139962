import { dirname, join } from "node:path";
import { parseSkillBytes, readToolsets } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { SkillFile } from "./skill-file.ts";

/** What is wrong with the toolset files that a skill's header names. */
export async function checkToolsets(skill: SkillFile, bytes: Uint8Array): Promise<readonly Diagnostic[]> {
  // Most skills have none, and parsing a second time would cost as much as the rest.
  if (skill.kind === "command" || !Buffer.from(bytes).includes("toolsets")) return [];
  const { file, directoryName, source, sourcePath } = skill;
  const { manifest } = parseSkillBytes(bytes, { mode: "lenient", file, directoryName });
  const entries = manifest?.toolsets ?? [];
  if (entries.length === 0) return [];
  const folder = join(dirname(sourcePath), ".");
  const toolsets = await readToolsets(entries, {
    skillPath: file,
    files: (await source.listFiles(folder)).files,
    read: (path, options) => source.read(join(folder, path), options),
    pathOf: (path) => join(dirname(file), path),
  });
  return toolsets.flatMap(({ diagnostics }) => diagnostics);
}
