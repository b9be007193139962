import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { MAX_SKILL_BYTES } from "../../format/format-limits.ts";
import { GATING_LISTS, type Gating, NO_GATING } from "../../format/manifest.ts";
import type { SkillFolder } from "../../source/skill-source.ts";
import { pathBelow } from "../read-tree.ts";
import type { SkillRoot } from "../skill-root.ts";
import { DiscoveredSkill } from "./discovered-skill.ts";
import { loadSkill, type SkillBytes } from "./load-skill.ts";
import { SkillTable } from "./skill-table.ts";

export interface SourceScan {
  readonly skills: readonly DiscoveredSkill[];
  /** Of traversal, and of files that could not be loaded. */
  readonly diagnostics: readonly Diagnostic[];
  readonly failed: number;
  /** False when nothing in it can have been reached by two ways. */
  readonly followedLinks: boolean;
  readonly plugins: readonly { readonly path: string; readonly manifest: string }[];
}

export function hasRequirements(gating: Gating): boolean {
  if (gating === NO_GATING) return false;
  return GATING_LISTS.some(
    (name) => name !== "environments" && (gating[name] as readonly unknown[]).length > 0,
  );
}

interface ScanOptions {
  readonly signal?: AbortSignal;
}

/** Scans any source through its interface alone: list, read, parse. */
export async function scanSource(root: SkillRoot, options: ScanOptions = {}): Promise<SourceScan> {
  const listing = await root.source.listSkills(options);
  const table = new SkillTable();
  const skills: DiscoveredSkill[] = [];
  const diagnostics: Diagnostic[] = [...listing.diagnostics];
  let failed = 0;
  for (const folder of listing.folders) {
    const loaded = await loadFolder(root, folder, table, options);
    if (loaded instanceof DiscoveredSkill) skills.push(loaded);
    else {
      failed++;
      diagnostics.push(...loaded);
    }
  }
  return { skills, diagnostics, failed, followedLinks: true, plugins: listing.plugins ?? [] };
}

async function loadFolder(
  root: SkillRoot,
  folder: SkillFolder,
  table: SkillTable,
  options: ScanOptions,
): Promise<DiscoveredSkill | readonly Diagnostic[]> {
  const { source } = root;
  const { path, file, companion } = folder;
  const label = source.toolPath(pathBelow(path, file));
  try {
    const { bytes, truncated } = await source.read(pathBelow(path, file), {
      ...options,
      maxBytes: MAX_SKILL_BYTES,
    });
    if (truncated)
      return [refusal(label, "skill-too-large", `The file has more than ${MAX_SKILL_BYTES} bytes.`)];
    const loaded = loadSkill({
      label,
      settingsLabel: companion === undefined ? "" : source.toolPath(companion.path),
      file,
      directoryName: path.slice(path.lastIndexOf("/") + 1),
      isCommand: false,
      bytes,
      settings: companion && (await readSettings(root, companion.path, options)),
    });
    const { manifest, diagnostics, bodyCharacters } = loaded;
    if (manifest === undefined) return diagnostics;
    const row = table.add({
      name: manifest.name,
      bodyCharacters,
      digest: digestBytes(bytes),
      gating: hasRequirements(manifest.gating) ? manifest.gating : undefined,
      node: 0,
      stamp: undefined,
      settingsStamp: undefined,
      isFaultless: diagnostics.length === 0,
      // The skill below has all that parsing gave.
      form: "outcome",
      content: NO_BYTES,
    });
    const place = { folder: path, file, linkedFile: folder.canonicalFile };
    return new DiscoveredSkill(root, place, { table, row, loaded: { ...loaded, manifest } });
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return [refusal(label, "unreadable-skill", error.message)];
  }
}

const NO_BYTES = new Uint8Array();

async function readSettings(
  { source }: SkillRoot,
  path: string,
  options: ScanOptions,
): Promise<SkillBytes["settings"]> {
  try {
    const { bytes, truncated } = await source.read(path, { ...options, maxBytes: MAX_SKILL_BYTES });
    return truncated ? { fault: "It is too large." } : bytes;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return { fault: error.message };
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
