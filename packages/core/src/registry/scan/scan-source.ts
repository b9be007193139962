import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { MAX_SKILL_BYTES } from "../../format/format-limits.ts";
import type { SkillFolder, SkillSource } from "../../source/skill-source.ts";
import { type Companion, loadSkill } from "./load-skill.ts";
import type { ScannedSkill, SourceScan } from "./scanned-skill.ts";

/** Scans any source through its interface alone: list, read, parse. */
export async function scanSource(
  source: SkillSource,
  options: { readonly signal?: AbortSignal } = {},
): Promise<SourceScan> {
  const listing = await source.listSkills(options);
  const skills: ScannedSkill[] = [];
  const diagnostics: Diagnostic[] = [...listing.diagnostics];
  let failed = 0;
  for (const folder of listing.folders) {
    const loaded = await readAndLoad(source, folder, options);
    if (loaded.skill !== undefined) skills.push(loaded.skill);
    else {
      failed++;
      diagnostics.push(...loaded.diagnostics);
    }
  }
  return { skills, diagnostics, failed, followedLinks: true, plugins: listing.plugins ?? [] };
}

async function readAndLoad(
  source: SkillSource,
  folder: SkillFolder,
  options: { readonly signal?: AbortSignal },
): Promise<Pick<ReturnType<typeof loadSkill>, "skill" | "diagnostics">> {
  const path = folder.path === "" ? folder.file : `${folder.path}/${folder.file}`;
  const label = source.toolPath(path);
  try {
    const { bytes, truncated } = await source.read(path, { ...options, maxBytes: MAX_SKILL_BYTES });
    if (truncated)
      return {
        skill: undefined,
        diagnostics: [refusal(label, "skill-too-large", `The file has more than ${MAX_SKILL_BYTES} bytes.`)],
      };
    const companion =
      folder.companion === undefined
        ? undefined
        : await readCompanion(source, folder.companion.path, options);
    return loadSkill({
      folder: folder.path,
      file: folder.file,
      canonicalFile: folder.canonicalFile ?? `${source.id}/${path}`,
      label,
      directoryName: folder.path.slice(folder.path.lastIndexOf("/") + 1),
      bytes,
      isCommand: false,
      companion,
    });
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return { skill: undefined, diagnostics: [refusal(label, "unreadable-skill", error.message)] };
  }
}

async function readCompanion(
  source: SkillSource,
  path: string,
  options: { readonly signal?: AbortSignal },
): Promise<Companion> {
  const label = source.toolPath(path);
  try {
    const { bytes, truncated } = await source.read(path, { ...options, maxBytes: MAX_SKILL_BYTES });
    if (truncated) return { label, digest: undefined, text: undefined, fault: "It is too large." };
    return { label, digest: digestBytes(bytes), text: new TextDecoder().decode(bytes), fault: undefined };
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return { label, digest: undefined, text: undefined, fault: error.message };
  }
}

function refusal(file: string, code: string, message: string): Diagnostic {
  return {
    code,
    severity: "error",
    message,
    file,
    range: { line: 1, column: 1 },
    hint: "Make SKILL.md a readable text file of less than a megabyte.",
  };
}
