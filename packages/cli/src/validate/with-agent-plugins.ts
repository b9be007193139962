import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { LocalSource } from "@skillet/core";
import { isRootManifest, readPlugins } from "@skillet/core/internal";
import { canonicalPath } from "@skillet/kit/files";
import { asTyped, type FoundFiles, type SkillFile } from "./find-skill-files.ts";

/**
 * Adds the manifests and server lists of Agent Plugins to the files to check, and leaves out what only looks like a skill
 * of theirs. All of a plugin that is rejected stays: everything that is wrong should be told at once.
 */
export async function withAgentPlugins(
  path: string,
  workingDirectory: string,
  found: FoundFiles,
): Promise<FoundFiles> {
  const manifests = (found.plugins ?? []).filter(isRootManifest);
  if (manifests.length === 0) return found;
  const absolute = resolve(workingDirectory, path);
  const source = new LocalSource(absolute);
  const placed = found.files.map((skill) => {
    const { folder, fileName: file } = skill;
    return { folder, file, canonicalFile: canonicalPath(join(source.canonicalRoot, folder, file)), skill };
  });
  const { agentPlugins, skills, diagnostics } = await readPlugins(source, manifests, placed);
  const offered = new Set(skills.map(({ skill }) => skill));
  const documents: SkillFile[] = [];
  const rejected: string[] = [];
  for (const [folder, { manifest, diagnostics: faults }] of agentPlugins) {
    const at = { kind: "plugin", source, folder, directoryName: "", isLink: false } as const;
    const document = (fileName: string): SkillFile => {
      const file = join(path, folder, fileName);
      return { ...at, path: file, file, fileName };
    };
    documents.push({ ...document("plugin.json"), faults: asTyped(faults, absolute, path) });
    if (manifest === undefined) rejected.push(join(folder, "/"));
    else if (existsSync(join(absolute, folder, "mcp.json")))
      documents.push({ ...document("mcp.json"), schema: manifest.$schema });
  }
  const isIn = (skill: SkillFile): boolean =>
    skill.kind === "command" ||
    offered.has(skill) ||
    rejected.some((folder) => folder === "/" || `${skill.folder}/`.startsWith(folder));
  const misplaced = diagnostics.filter(({ code }) => code === "agent-plugin-skill-left-out");
  return {
    files: [...documents, ...found.files.filter(isIn)],
    diagnostics: [
      ...found.diagnostics.filter(({ code }) => documents.length === 0 || code !== "no-skill"),
      ...asTyped(misplaced, absolute, path),
    ],
  };
}
