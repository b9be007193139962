import { readlinkSync } from "node:fs";
import { resolve } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import type { FileStamp } from "@skillet/kit/files";
import {
  canonicalPath,
  isInside,
  readInto,
  resolveLinks,
  stampOf,
  statusOf,
  withRegularFile,
} from "@skillet/kit/files";
import { showName } from "@skillet/kit/text";
import { checkRelativePath, pathBelow } from "../check-relative-path.ts";
import type {
  FileListing,
  ListingExtent,
  SkillFolder,
  SkillListing,
  SkillSource,
  SourceRead,
  TreeStamp,
} from "../skill-source.ts";
import { listSkillFiles } from "./list-skill-files.ts";
import { stampTree } from "./stamp-tree.ts";
import { DEFAULT_LIMITS, type TraversalLimits } from "./traversal-limits.ts";
import { type FoundSkill, relativePath, type WalkOptions, type WalkResult, walkTree } from "./walk-tree.ts";

/** How a local folder is searched. */
export interface LocalSourceOptions {
  /** `commands` reads every `*.md` as a skill of its own, as in `.claude/commands`. */
  readonly layout?: "skills" | "commands";
  readonly limits?: Partial<TraversalLimits>;
  /** Canonical paths of further folders that links may lead into. */
  readonly allowedRoots?: readonly string[];
  /** Where the agent's tools see this folder, if elsewhere: `/workspace/skills` in the agent's sandbox. */
  readonly toolRoot?: string;
}

/**
 * Skills in a folder on this machine.
 *
 * @example
 * const source = new LocalSource("./skills");
 * const { folders, diagnostics } = await source.listSkills();
 */
export class LocalSource implements SkillSource {
  readonly id: string;
  /** As given, made absolute. */
  readonly root: string;
  /** The root with every link resolved, as far as it exists. */
  readonly canonicalRoot: string;
  readonly layout: "skills" | "commands";
  readonly limits: TraversalLimits;
  readonly allowedRoots: readonly string[];
  /** Without a trailing slash. */
  readonly toolRoot: string;

  constructor(root: string, options: LocalSourceOptions = {}) {
    this.root = resolve(root);
    this.canonicalRoot = canonicalPath(this.root);
    this.layout = options.layout ?? "skills";
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.allowedRoots = [this.canonicalRoot, ...(options.allowedRoots ?? [])];
    this.toolRoot = options.toolRoot?.replace(/\/+$/, "") ?? this.root;
    this.id = `${this.layout === "commands" ? "commands" : "file"}:${this.canonicalRoot}`;
  }

  async listSkills(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<SkillListing> {
    const folders: SkillFolder[] = [];
    const result = await this.walk({
      ...options,
      onSkill: (found) => {
        const file = found.linkedFile ?? `${found.absolute}/${found.file}`;
        // Listed, but its status cannot be read: reading it reports why.
        if (found.probing && statusOf(file)?.isFile() !== true) return false;
        const companion = found.hasAgentsFolder ? this.companionOf(found) : undefined;
        folders.push({
          path: relativePath(this.canonicalRoot, found),
          file: found.file,
          canonicalFile: file,
          ...(companion === undefined ? {} : { companion: { path: companion.path } }),
        });
        return true;
      },
    });
    return { folders, plugins: pluginManifests(result), diagnostics: result.diagnostics };
  }

  async listFiles(folder: string, options: { readonly extent?: ListingExtent } = {}): Promise<FileListing> {
    const absolute = this.#resolveInside(folder);
    return listSkillFiles(absolute, this.toolPath(folder), options.extent);
  }

  async read(path: string, options: { readonly maxBytes: number }): Promise<SourceRead> {
    checkRelativePath(path);
    const absolute = this.#resolveInside(path);
    return withRegularFile(absolute, ({ descriptor, stats }) => {
      checkDescriptor(descriptor, absolute);
      const buffer = Buffer.alloc(Math.min(stats.size, options.maxBytes));
      const length = readInto(descriptor, buffer);
      return { bytes: buffer.subarray(0, length), size: stats.size, truncated: stats.size > length };
    });
  }

  toolPath(path: string): string {
    return path === "" ? this.toolRoot || "/" : `${this.toolRoot}/${path}`;
  }

  /** The position of a path of this source on this machine. */
  hostPath(path: string): string {
    return path === "" ? this.root : `${this.root}/${path}`;
  }

  stamp(path: string): TreeStamp | undefined {
    return stampTree(this.#resolveInside(path));
  }

  /** The walk itself, for a registry that keeps its memo. */
  walk(options: Pick<WalkOptions, "onSkill" | "onOutside" | "previous" | "signal">): Promise<WalkResult> {
    return walkTree({
      ...options,
      root: this.canonicalRoot,
      label: this.root,
      limits: this.limits,
      allowedRoots: this.allowedRoots,
      layout: this.layout,
    });
  }

  companionOf(found: FoundSkill): { readonly path: string; readonly stamp: FileStamp } | undefined {
    const stats = statusOf(`${found.absolute}/agents/openai.yaml`);
    if (stats === undefined || !stats.isFile()) return undefined;
    const path = pathBelow(relativePath(this.canonicalRoot, found), "agents/openai.yaml");
    return { path, stamp: stampOf(stats) };
  }

  #resolveInside(path: string): string {
    const wanted = path === "" ? this.canonicalRoot : `${this.canonicalRoot}/${path}`;
    const absolute = resolveLinks(wanted);
    const missing = `There is nothing at ${showName(wanted)}.`;
    if (absolute === undefined) throw new SkilletError("file-not-found", missing, { data: { path } });
    if (this.allowedRoots.some((root) => isInside(absolute, root))) return absolute;
    // The link's target is only in the data, for users: messages reach models.
    const message = `${showName(path)} leads out of the skill roots, and was not opened.`;
    throw new SkilletError("path-outside-root", message, { data: { path, canonical: absolute } });
  }
}

export function pluginManifests(result: WalkResult): { path: string; manifest: string }[] {
  return result.plugins.map(({ path, folder }) => ({
    path,
    manifest: pathBelow(pathBelow(path, folder), "plugin.json"),
  }));
}

// A folder on the path may have become a link since it was resolved; the opened file decides.
function checkDescriptor(descriptor: number, expected: string): void {
  if (process.platform !== "linux") return;
  const opened = readlinkSync(`/proc/self/fd/${descriptor}`);
  if (opened === expected) return;
  const message = `${showName(expected)} was moved or replaced while it was being opened; try again.`;
  throw new SkilletError("path-changed", message, { data: { expected, opened } });
}
