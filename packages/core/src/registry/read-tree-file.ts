import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import type { SkillSource, SourceFile } from "../source/skill-source.ts";
import type { TreeFile } from "./tree-file.ts";

// Skills are text and small assets; one file or skill beyond this is data that belongs elsewhere.
export const MAX_RESOURCE_BYTES: number = 64 * 1024 * 1024;
const MAX_SKILL_TREE_BYTES = 512 * 1024 * 1024;

/** Reads the files of one skill in turn, as far as they are within bounds altogether. */
export class TreeFileReader {
  readonly #source: SkillSource;
  readonly #folder: string;
  #total = 0;

  constructor(source: SkillSource, folder: string) {
    this.#source = source;
    this.#folder = folder;
  }

  /** A file with its bytes, a link with its text; or why it cannot be had. */
  async read(
    file: SourceFile,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<TreeFile | Diagnostic> {
    const path = pathBelow(this.#folder, file.path);
    const shown = this.#source.toolPath(path);
    this.#total += file.size;
    if (this.#total > MAX_SKILL_TREE_BYTES) return tooLarge(shown);
    if (file.kind === "link")
      return { path: file.path, mode: "120000", bytes: Buffer.from(file.target ?? "") };
    try {
      const { bytes, truncated } = await this.#source.read(path, {
        ...options,
        maxBytes: MAX_RESOURCE_BYTES,
      });
      return truncated ? tooLarge(shown) : { path: file.path, mode: file.executable ? "755" : "644", bytes };
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      return {
        code: "unreadable-skill-resource",
        severity: "error",
        message: error.message,
        file: shown,
        hint: "Make it a file that you may read, or remove it.",
      };
    }
  }
}

/** A path of a source, from a path below one of its folders; the empty folder is the source itself. */
export function pathBelow(folder: string, path: string): string {
  return folder === "" ? path : `${folder}/${path}`;
}

/** What is said of a file that is beyond the bounds. */
export function tooLarge(file: string): Diagnostic {
  return {
    code: "resource-too-large",
    severity: "error",
    message: `The file is larger than ${MAX_RESOURCE_BYTES} bytes, or brings the skill over ${MAX_SKILL_TREE_BYTES}, and was not read.`,
    file,
    hint: "Keep data out of the skill and let a script fetch it.",
  };
}
