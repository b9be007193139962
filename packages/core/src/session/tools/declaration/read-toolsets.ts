import { isUtf8 } from "node:buffer";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";
import type { Manifest } from "../../../format/manifest.ts";
import type { ResourceIndex } from "../../../registry/resource.ts";
import type { Skill } from "../../../registry/skill.ts";
import type { SourceRead } from "../../../source/skill-source.ts";
import { normaliseResourcePath } from "../../read/read-resource.ts";
import type { SkillReader } from "../../skill-reader.ts";
import {
  type DeclaredTool,
  type DeclaredToolset,
  MAX_TOOLSET_BYTES,
  MAX_TOOLSETS,
} from "./declared-toolset.ts";
import { parseToolset } from "./parse-toolset.ts";

/** The files of one skill. */
export interface ToolsetFiles {
  /** The skill's SKILL.md, for what is wrong with its header. */
  readonly skillPath: string;
  /** All of them; where they were frozen, with their digests. */
  readonly files: readonly ListedFile[];
  /** Reads a file of the skill through the gate for files. */
  read(path: string, options: { readonly maxBytes: number }): Promise<SourceRead>;
  /** What a file of the skill is called in diagnostics. */
  pathOf(path: string): string;
}

/** A file of a skill; links are not followed, wherever they lead. */
export interface ListedFile {
  readonly path: string;
  readonly kind: "file" | "link";
  readonly digest?: Digest;
}

/**
 * Reads what the `toolsets` of a header declare.
 *
 * An entry that ends in `.json`, `.yaml` or `.yml` is a file of the skill; others are left to whoever understands them.
 */
export async function readToolsets(
  entries: readonly string[],
  files: ToolsetFiles,
): Promise<readonly DeclaredToolset[]> {
  const named = [...new Set(entries)];
  const read = new Set(named.filter(isToolsetFile).slice(0, MAX_TOOLSETS));
  const toolsets: DeclaredToolset[] = [];
  for (const file of named) {
    if (!isToolsetFile(file)) toolsets.push({ file, isSupported: false, tools: [], diagnostics: [] });
    else if (read.has(file)) toolsets.push({ file, isSupported: true, ...(await readToolset(file, files)) });
    else toolsets.push({ file, isSupported: true, tools: [], diagnostics: [tooMany(files.skillPath)] });
  }
  return checkTools(toolsets, files);
}

function isToolsetFile(entry: string): boolean {
  return /\.(?:json|ya?ml)$/.test(entry);
}

async function readToolset(
  path: string,
  files: ToolsetFiles,
): Promise<Pick<DeclaredToolset, "tools" | "diagnostics">> {
  if (normaliseResourcePath(path) !== path)
    return failed("toolset-path", files.skillPath, PATH.message, PATH.hint);
  const file = files.pathOf(path);
  const listed = files.files.find((one) => one.path === path);
  if (listed === undefined) return failed("toolset-missing", file, MISSING.message, MISSING.hint);
  if (listed.kind === "link")
    return failed("toolset-unreadable", file, "The file is a link, and links are not followed.", REGULAR);
  try {
    const { bytes, truncated } = await files.read(path, { maxBytes: MAX_TOOLSET_BYTES });
    if (truncated) return failed("toolset-too-large", file, TOO_LARGE.message, TOO_LARGE.hint);
    if (listed.digest !== undefined && digestBytes(bytes) !== listed.digest)
      return failed("toolset-changed", file, CHANGED.message, CHANGED.hint);
    if (!isUtf8(bytes)) return failed("not-utf8", file, "The file is not UTF-8.", "Save it as UTF-8.");
    return parseToolset(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), { file });
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    if (error.code === "file-not-found")
      return failed("toolset-missing", file, MISSING.message, MISSING.hint);
    return failed("toolset-unreadable", file, error.message, REGULAR);
  }
}

const REGULAR = "Make it a regular file that you may read.";
const PATH = {
  message: "The header names a toolset by a path that is not plain and relative, so it is left out.",
  hint: "Name it from the skill's folder on, such as toolsets/forms.yaml.",
};
const MISSING = {
  message: "The header names this toolset, but the skill has no such file.",
  hint: "Correct the header's toolsets, or add the file.",
};
const TOO_LARGE = {
  message: `The file is larger than ${MAX_TOOLSET_BYTES} bytes and was not read.`,
  hint: "Split it, or shorten the descriptions and schemas.",
};
const CHANGED = {
  message: "The file has changed since the skill was loaded, so its tools are left out.",
  hint: "Load the skill again to make the change known, or put the file back.",
};

function failed(
  code:
    | "toolset-path"
    | "toolset-missing"
    | "toolset-too-large"
    | "toolset-changed"
    | "toolset-unreadable"
    | "not-utf8",
  file: string,
  message: string,
  hint: string,
): Pick<DeclaredToolset, "tools" | "diagnostics"> {
  return { tools: [], diagnostics: [{ code, severity: "error", message, file, hint }] };
}

function tooMany(file: string): Diagnostic {
  const message = `The header names more than ${MAX_TOOLSETS} toolsets; the others are left out.`;
  return { code: "toolset-limit", severity: "error", message, file, hint: "Put the tools into fewer files." };
}

/** Leaves out tools that share a name, in one file or in several, and those whose script is not there or a link. */
function checkTools(
  toolsets: readonly DeclaredToolset[],
  { files, pathOf }: ToolsetFiles,
): readonly DeclaredToolset[] {
  const kinds = new Map(files.map(({ path, kind }) => [path, kind]));
  const counts = new Map<string, number>();
  for (const { name } of toolsets.flatMap(({ tools }) => tools))
    counts.set(keyOf(name), (counts.get(keyOf(name)) ?? 0) + 1);
  const checked: DeclaredToolset[] = [];
  for (const toolset of toolsets) {
    const tools: DeclaredTool[] = [];
    const diagnostics: Diagnostic[] = [...toolset.diagnostics];
    for (const tool of toolset.tools) {
      const place = {
        file: pathOf(toolset.file),
        ...(tool.range !== undefined && { range: tool.range }),
      };
      if ((counts.get(keyOf(tool.name)) ?? 0) > 1) diagnostics.push({ ...nameTaken(tool), ...place });
      else if (kinds.get(tool.script) === "file") tools.push(tool);
      else diagnostics.push({ ...scriptMissing(tool, kinds.get(tool.script)), ...place });
    }
    checked.push({ ...toolset, tools, diagnostics });
  }
  return checked;
}

// Hosts compare the names of tools without regard to case.
function keyOf(name: string): string {
  return name.toLowerCase();
}

function nameTaken({ name }: DeclaredTool): Omit<Diagnostic, "file"> {
  return {
    code: "tool-name-taken",
    severity: "error",
    message: `More than one tool of the skill is called ${name}, so all of them are left out.`,
    hint: "Give each a name of its own; upper and lower case are the same.",
  };
}

function scriptMissing(
  { name, script }: DeclaredTool,
  kind: ListedFile["kind"] | undefined,
): Omit<Diagnostic, "file"> {
  const shown = quoteName(script);
  const isLink = kind === "link";
  const problem = isLink ? `${shown} is a link, and links are not run` : `the skill has no script ${shown}`;
  return {
    code: "tool-script-missing",
    severity: "error",
    message: `The tool ${name} is left out: ${problem}.`,
    hint: isLink ? "Put the script itself there." : "Correct the path, or add the script.",
  };
}

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
