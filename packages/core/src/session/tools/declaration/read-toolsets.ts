import { isUtf8 } from "node:buffer";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";
import type { Manifest } from "../../../format/manifest.ts";
import type { ResourceIndex } from "../../../registry/resource.ts";
import type { Skill } from "../../../registry/skill.ts";
import type { SourceRead } from "../../../source/skill-source.ts";
import { normaliseResourcePath } from "../../read/read-resource.ts";
import type { SourceReader } from "../../skill-reader.ts";
import {
  type DeclaredTool,
  type DeclaredToolset,
  MAX_TOOLSET_BYTES,
  MAX_TOOLSETS,
  parseToolset,
} from "./parse-toolset.ts";

export interface ToolsetFiles {
  /** For faults of the header. */
  readonly skillPath: string;
  /** All files of the skill; if they were frozen, with their digests. */
  readonly files: readonly ListedFile[];
  read(path: string, options: { readonly maxBytes: number }): Promise<SourceRead>;
  pathOf(path: string): string;
}

export interface ListedFile {
  readonly path: string;
  readonly kind: "file" | "link";
  readonly digest?: Digest;
}

/** A `.json`, `.yaml` or `.yml` is a file of the skill; others are for other systems, and never loaded. */
export async function readToolsets(
  entries: readonly string[],
  files: ToolsetFiles,
): Promise<readonly DeclaredToolset[]> {
  const toolsets: DeclaredToolset[] = [];
  let count = 0;
  for (const file of new Set(entries)) {
    const isSupported = /\.(?:json|ya?ml)$/.test(file);
    if (isSupported) count += 1;
    const read = !isSupported
      ? { tools: [], diagnostics: CLASS_OF_MODULE.test(file) ? [classOfModule(file, files.skillPath)] : [] }
      : count > MAX_TOOLSETS
        ? failed("toolset-limit", files.skillPath)
        : await readToolset(file, files);
    toolsets.push({ file, isSupported, ...read });
  }
  return checkTools(toolsets, files);
}

async function readToolset(path: string, files: ToolsetFiles): Promise<ReadToolset> {
  if (normaliseResourcePath(path) !== path) return failed("toolset-path", files.skillPath);
  const file = files.pathOf(path);
  const listed = files.files.find((one) => one.path === path);
  if (listed === undefined) return failed("toolset-missing", file);
  if (listed.kind === "link")
    return failed("toolset-unreadable", file, "The file is a link, and links are not followed.");
  try {
    const { bytes, truncated } = await files.read(path, { maxBytes: MAX_TOOLSET_BYTES });
    if (truncated) return failed("toolset-too-large", file);
    if (listed.digest !== undefined && digestBytes(bytes) !== listed.digest)
      return failed("toolset-changed", file);
    if (!isUtf8(bytes)) return failed("not-utf8", file);
    return parseToolset(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), { file });
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    if (error.code === "file-not-found") return failed("toolset-missing", file);
    return failed("toolset-unreadable", file, error.message);
  }
}

type ReadToolset = Pick<DeclaredToolset, "tools" | "diagnostics">;

const CLASS_OF_MODULE = /^[\w@./-]+:[A-Za-z_]\w*$/;

function classOfModule(entry: string, file: string): Diagnostic {
  const message = `The toolset ${quoteName(entry)} is a class of a module, which is never loaded here, so its tools are missing.`;
  const hint =
    "Declare the tools in a file of the skill, such as toolsets/tools.yaml, each with a script, and name that file.";
  return diagnostic("warning", "toolset-module", file, message, hint);
}

const FAULTS = {
  "toolset-limit": {
    message: `The header names more than ${MAX_TOOLSETS} toolsets; the others are left out.`,
    hint: "Put the tools into fewer files.",
  },
  "toolset-path": {
    message: "The header names a toolset by a path that is not plain and relative, so it is left out.",
    hint: "Name it from the skill's folder on, such as toolsets/forms.yaml.",
  },
  "toolset-missing": {
    message: "The header names this toolset, but the skill has no such file.",
    hint: "Correct the header's toolsets, or add the file.",
  },
  "toolset-unreadable": {
    message: "The file cannot be read.",
    hint: "Make it a regular file that you may read.",
  },
  "toolset-too-large": {
    message: `The file is larger than ${MAX_TOOLSET_BYTES} bytes and was not read.`,
    hint: "Split it, or shorten the descriptions and schemas.",
  },
  "toolset-changed": {
    message: "The file has changed since the skill was loaded, so its tools are left out.",
    hint: "Load the skill again to make the change known, or put the file back.",
  },
  "not-utf8": { message: "The file is not UTF-8.", hint: "Save it as UTF-8." },
};

function failed(code: keyof typeof FAULTS, file: string, why?: string): ReadToolset {
  const { message, hint } = FAULTS[code];
  return { tools: [], diagnostics: [{ code, severity: "error", message: why ?? message, file, hint }] };
}

/** Leaves out tools that share a name, in one file or several, or whose script is missing or a link. */
function checkTools(
  toolsets: readonly DeclaredToolset[],
  { files, pathOf }: ToolsetFiles,
): readonly DeclaredToolset[] {
  const kinds = new Map(files.map(({ path, kind }) => [path, kind]));
  const counts = new Map<string, number>();
  for (const { name } of toolsets.flatMap(({ tools }) => tools))
    counts.set(keyOf(name), (counts.get(keyOf(name)) ?? 0) + 1);
  return toolsets.map((toolset) => {
    const tools: DeclaredTool[] = [];
    const diagnostics: Diagnostic[] = [...toolset.diagnostics];
    for (const tool of toolset.tools) {
      const { name, script, range } = tool;
      const isTaken = (counts.get(keyOf(name)) ?? 0) > 1;
      const kind = kinds.get(script);
      if (!isTaken && kind === "file") {
        tools.push(tool);
        continue;
      }
      const fault = isTaken ? nameTaken(name) : scriptMissing(tool, kind === "link");
      const file = pathOf(toolset.file);
      diagnostics.push({ severity: "error", ...fault, file, ...(range !== undefined && { range }) });
    }
    return { ...toolset, tools, diagnostics };
  });
}

// Hosts compare tool names without regard to case.
function keyOf(name: string): string {
  return name.toLowerCase();
}

type ToolFault = Pick<Diagnostic, "code" | "message" | "hint">;

function nameTaken(name: string): ToolFault {
  return {
    code: "tool-name-taken",
    message: `More than one tool of the skill is called ${name}, so all of them are left out.`,
    hint: "Give each a name of its own; upper and lower case are the same.",
  };
}

function scriptMissing({ name, script }: DeclaredTool, isLink: boolean): ToolFault {
  const shown = quoteName(script);
  const problem = isLink ? `${shown} is a link, and links are not run` : `the skill has no script ${shown}`;
  return {
    code: "tool-script-missing",
    message: `The tool ${name} is left out: ${problem}.`,
    hint: isLink ? "Put the script itself there." : "Correct the path, or add the script.",
  };
}

export function readSkillToolsets(
  skill: Skill,
  { toolsets }: Manifest,
  { resources }: ResourceIndex,
  reader: SourceReader,
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

/** Why some tools of a loaded skill are not listed; mere notes are left out. */
export async function checkSkillToolsets(
  skill: Skill,
  { manifest, index }: { readonly manifest: Manifest; readonly index: ResourceIndex },
  reader: SourceReader,
): Promise<readonly Diagnostic[]> {
  if (manifest.toolsets.length === 0) return [];
  const toolsets = await readSkillToolsets(skill, manifest, index, reader);
  return toolsets.flatMap(({ diagnostics }) => diagnostics.filter(({ severity }) => severity !== "info"));
}
