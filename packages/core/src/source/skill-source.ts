import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";

/** Represents the status of everything in a skill's folder. */
export interface TreeStamp {
  /** Differs whenever a file may have changed, appeared or disappeared. */
  readonly text: string;
  /** When something in it last changed. */
  readonly changedMs: number;
}

/** A folder with a SKILL.md; paths are relative to the source, with `/`, and `""` is the source itself. */
export interface SkillFolder {
  readonly path: string;
  /** The file's name as spelled on disk: `SKILL.md`, or a spelling that gets a diagnostic. */
  readonly file: string;
  /** Codex's `agents/openai.yaml`, relative to the source, if it exists. */
  readonly companion?: { readonly path: string };
  /**
   * What a server says about a SKILL.md without fetching it: its header with both fences, and the digest of
   * the whole file.
   */
  readonly header?: { readonly text: string; readonly digest: Digest };
  /** Differs whenever SKILL.md or the companion may have changed; otherwise a reload reads neither. */
  readonly version?: string;
  /** The skill file's real path, if a link led to it; files with equal canonical paths are one skill. */
  readonly canonicalFile?: string;
}

/** The skills of a source, always in the same order, and the places that it could or would not enter. */
export interface SkillListing {
  readonly folders: readonly SkillFolder[];
  /** Plugin folders and their `plugin.json`, relative to the source; one right in the folder comes first. */
  readonly plugins?: readonly { readonly path: string; readonly manifest: string }[];
  readonly diagnostics: readonly Diagnostic[];
}

/** One file of a skill, without its content. */
export interface SourceFile {
  /** Relative to the skill's folder. */
  readonly path: string;
  readonly kind: "file" | "link";
  readonly size: number;
  readonly executable: boolean;
  /** The text of a link, which is never followed. */
  readonly target?: string;
}

/**
 * How much is listed: the files of a skill alone, or everything in its folder.
 *
 * `folder` adds nested skills, and anything in a `.git` that git itself would not keep there.
 */
export type ListingExtent = "skill" | "folder";

/** The files of one skill in byte order of path. */
export interface FileListing {
  readonly files: readonly SourceFile[];
  /** Nested skill files, relative to the folder; the files of their folders are left out. */
  readonly nested?: readonly string[];
  /** The `.git` folders below it. */
  readonly repositories?: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Bytes of one file, never more than requested. */
export interface SourceRead {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly truncated: boolean;
}

/**
 * Where skills live: a local folder, memory, a sandbox or a server.
 *
 * @example
 * const source: SkillSource = new MemorySource({ "greet/SKILL.md": "---\nname: greet\ndescription: Says hello.\n---\n" });
 * const { folders } = await source.listSkills();
 */
export interface SkillSource {
  /** Unique among the sources of a registry, and stable across runs. */
  readonly id: string;
  listSkills(options?: { readonly signal?: AbortSignal | undefined }): Promise<SkillListing>;
  /** All files of a skill, without nested skills and `.git` unless the whole folder is asked for. */
  listFiles(
    folder: string,
    options?: { readonly signal?: AbortSignal | undefined; readonly extent?: ListingExtent },
  ): Promise<FileListing>;
  /** Reads at most `maxBytes` of a file inside the source, or throws a SkilletError with the reason. */
  read(
    path: string,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
  ): Promise<SourceRead>;
  /** How many files are read at once; default: 16. */
  readonly concurrency?: number;
  /**
   * Set for someone else's server, with the user's label for it. Its skills are called `label:name` and have
   * the origin `community`; none of their files is read, to scan or rank them, before a skill is loaded.
   */
  readonly remote?: { readonly label: string };
  /** Differs whenever anything in it may have changed; if it is unchanged, a reload asks for nothing else. */
  version?(options?: { readonly signal?: AbortSignal | undefined }): Promise<string | undefined>;
  /** Calls back when something in it may have changed, until the returned function is called. */
  watch?(onChange: () => void): () => void;
  /** How the agent's own tools see a path of this source. */
  toolPath(path: string): string;
  /** The status of a skill's folder or of a file, without reading any; undefined if it cannot be told. */
  stamp?(path: string): TreeStamp | undefined;
}
