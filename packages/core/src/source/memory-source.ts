import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { checkRelativePath, pathBelow } from "./check-relative-path.ts";
import { isSkillFileName } from "./skill-file-name.ts";
import type {
  FileListing,
  ListingExtent,
  SkillFolder,
  SkillListing,
  SkillSource,
  SourceFile,
  SourceRead,
} from "./skill-source.ts";

/**
 * Skills that live in memory: generated, fetched or made in a test.
 *
 * @example
 * const source = new MemorySource({ "greet/SKILL.md": "---\nname: greet\ndescription: Says hello.\n---\nWave." });
 */
export class MemorySource implements SkillSource {
  readonly id: string;
  readonly #files: ReadonlyMap<string, Uint8Array>;

  constructor(files: Readonly<Record<string, string | Uint8Array>>, options: { readonly id?: string } = {}) {
    this.id = options.id ?? "memory:";
    const encoder = new TextEncoder();
    const entries = Object.entries(files).sort(([left], [right]) => compareByteOrder(left, right));
    for (const [path] of entries) checkRelativePath(path);
    this.#files = new Map(
      entries.map(([path, content]) => [
        path,
        typeof content === "string" ? encoder.encode(content) : content,
      ]),
    );
  }

  async listSkills(): Promise<SkillListing> {
    const folders = new Map<string, SkillFolder>();
    for (const file of this.#files.keys()) {
      const { folder, name } = split(file);
      if (!isSkillFileName(name) || folders.has(folder)) continue;
      const companion = pathBelow(folder, "agents/openai.yaml");
      folders.set(folder, {
        path: folder,
        file: name,
        ...(this.#files.has(companion) ? { companion: { path: companion } } : {}),
      });
    }
    return { folders: [...folders.values()], diagnostics: [] };
  }

  async listFiles(folder: string, options: { readonly extent?: ListingExtent } = {}): Promise<FileListing> {
    const nested = (await this.listSkills()).folders.filter(
      ({ path }) => path !== folder && isBelow(path, folder),
    );
    const left = options.extent === "folder" ? [] : nested;
    const files: SourceFile[] = [];
    for (const [path, bytes] of this.#files) {
      if (!isBelow(path, folder) || left.some((other) => isBelow(path, other.path))) continue;
      files.push({ path: below(path, folder), kind: "file", size: bytes.length, executable: false });
    }
    return {
      files,
      nested: left.map(({ path, file }) => pathBelow(below(path, folder), file)),
      diagnostics: [],
    };
  }

  async read(path: string, options: { readonly maxBytes: number }): Promise<SourceRead> {
    checkRelativePath(path);
    const bytes = this.#files.get(path);
    if (bytes === undefined)
      throw new SkilletError("file-not-found", `There is no file ${path} in ${this.id}.`, { data: { path } });
    return {
      bytes: bytes.slice(0, options.maxBytes),
      size: bytes.length,
      truncated: bytes.length > options.maxBytes,
    };
  }

  toolPath(path: string): string {
    return pathBelow(this.id.replace(/\/$/, ""), path);
  }
}

function split(path: string): { folder: string; name: string } {
  const slash = path.lastIndexOf("/");
  return slash < 0
    ? { folder: "", name: path }
    : { folder: path.slice(0, slash), name: path.slice(slash + 1) };
}

function isBelow(path: string, folder: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}

function below(path: string, folder: string): string {
  return folder === "" ? path : path.slice(folder.length + 1);
}
