import { isUtf8 } from "node:buffer";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { SourceRead } from "../../../source/skill-source.ts";
import { normaliseResourcePath } from "../../read/read-resource.ts";
import { checkTools } from "./check-tools.ts";
import type { DeclaredToolset } from "./declared-toolset.ts";
import { parseToolset } from "./parse-toolset.ts";
import { MAX_TOOLSET_BYTES, MAX_TOOLSETS } from "./tool-limits.ts";

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
