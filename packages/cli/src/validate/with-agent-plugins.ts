import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { LocalSource } from "@skillet/core";
import { isRootManifest, MAX_PLUGIN_FILE_BYTES, readAgentPlugin, readPlugins } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { asTyped, type FoundFiles, type SkillFile } from "./find-skill-files.ts";

/**
 * Adds the manifests and server lists of Agent Plugins to the files to check, and leaves out what only looks like a skill
 * of theirs. The skills of a plugin that is rejected stay: everything that is wrong should be told at once.
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
  const documentIn = (folder: string, fileName: string, schema?: string): SkillFile => {
    const file = join(path, folder, fileName);
    const at = { kind: "plugin", path: file, file, source, folder, fileName, isLink: false } as const;
    return { ...at, directoryName: "", ...(schema !== undefined && { schema }) };
  };
  const documents: SkillFile[] = [];
  const placing: (typeof manifests)[number][] = [];
  for (const listed of manifests) {
    const bytes = await readIfPossible(source, listed.manifest);
    const plugin = bytes && readAgentPlugin(bytes, listed.manifest);
    // A link that leads out is reported with the places of skills.
    if (plugin?.manifest !== undefined || bytes === undefined) placing.push(listed);
    if (plugin === undefined) continue;
    documents.push(documentIn(listed.path, "plugin.json"));
    const schema = plugin.manifest?.$schema;
    if (schema !== undefined && existsSync(join(absolute, listed.path, "mcp.json")))
      documents.push(documentIn(listed.path, "mcp.json", schema));
  }
  const skills = found.files
    .filter(({ kind }) => kind === "skill")
    .map((skill) => {
      const { folder, fileName: file } = skill;
      return { folder, file, canonicalFile: canonicalPath(join(source.canonicalRoot, folder, file)), skill };
    });
  const placed = await readPlugins(source, placing, skills);
  const misplaced = placed.diagnostics.filter(({ code }) => code !== "agent-plugin-field-ignored");
  return {
    files: [
      ...documents,
      ...placed.skills.map(({ skill }) => skill),
      ...found.files.filter(({ kind }) => kind !== "skill"),
    ],
    diagnostics: [
      ...found.diagnostics.filter(({ code }) => documents.length === 0 || code !== "no-skill"),
      ...asTyped(misplaced, absolute, path),
    ],
  };
}

async function readIfPossible(source: LocalSource, path: string): Promise<Uint8Array | undefined> {
  try {
    return (await source.read(path, { maxBytes: MAX_PLUGIN_FILE_BYTES + 1 })).bytes;
  } catch (error) {
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}
