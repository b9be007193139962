import { type TreeEntry, treeEntry } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { pathBelow } from "../source/check-relative-path.ts";
import { isOrdinaryInRepository } from "../source/local/list-skill-files.ts";
import type { FileListing, SkillSource, SourceFile } from "../source/skill-source.ts";
import type { ContentFile } from "./read-skill-content.ts";
import { MAX_RESOURCE_BYTES, readFiles, tooLarge } from "./read-tree.ts";

export interface BeyondTree {
  readonly files: readonly ContentFile[];
  readonly entries: readonly TreeEntry[];
  readonly isWhole: boolean;
  /** Whether a part of it is outside the folder whose stamp is checked. */
  readonly isElsewhere: boolean;
}

export function hasBeyond({ files, nested, repositories }: FileListing, skillFile: string): boolean {
  return (
    (nested ?? []).length > 0 || (repositories ?? []).length > 0 || linksBeyond(files, skillFile).length > 0
  );
}

/** The skill's digest covers none of this, yet its steps can run it by path like any other file. */
export async function readBeyond(
  source: SkillSource,
  { folder, file: skillFile }: { readonly folder: string; readonly file: string },
  tree: { readonly listing: FileListing; readonly files: readonly ContentFile[] },
  options: { readonly signal?: AbortSignal | undefined; keep(file: ContentFile): ContentFile },
): Promise<BeyondTree> {
  const { listing } = tree;
  const { nested = [], repositories = [] } = listing;
  const files: ContentFile[] = [];
  const entries: TreeEntry[] = [];
  const seen = new Set<string>();
  let [isWhole, isElsewhere] = [true, false];

  const add = (file: ContentFile): void => {
    files.push(options.keep(file));
    entries.push(treeEntry(file));
  };
  const miss = (path: string, unread: string): void => {
    isWhole = false;
    files.push({ path, mode: "644", bytes: new Uint8Array(), unread });
  };

  async function readFolder(): Promise<void> {
    const all = await source.listFiles(folder, { ...options, extent: "folder" });
    const own = new Set(listing.files.map(({ path }) => path));
    const known = new Set(listing.diagnostics.map(({ file }) => file));
    const root = `${source.toolPath(folder)}/`;
    for (const { severity, file, message } of all.diagnostics)
      if (severity === "error" && !known.has(file))
        miss(file.startsWith(root) ? file.slice(root.length) : file, message);
    // A source that does not support `nested` has left them out again.
    for (const path of all.nested ?? []) miss(path, "its folder is a skill of its own, and was not listed");
    const others = all.files.filter(({ path }) => !own.has(path));
    for await (const [{ path }, file] of readFiles(source, folder, others, options)) {
      seen.add(path);
      if ("code" in file) miss(path, file.message);
      else add(file);
    }
    for (const { path } of linksBeyond(all.files, "")) if (!own.has(path)) await readThrough(path, NOTHING);
  }

  async function readMentioned(repository: string): Promise<void> {
    const { paths, isCut } = repositoryMentions([...tree.files, ...files]);
    if (isCut) miss(repository, "the skill names more files in it than are followed");
    for (const mentioned of paths) {
      const path = `${repository}/${mentioned}`;
      if (seen.has(path)) continue;
      seen.add(path);
      const isEntered = !isOrdinaryInRepository(mentioned.slice(0, `${mentioned}/`.indexOf("/")));
      await readThrough(path, isEntered ? LISTED_FOLDER : NOTHING);
    }
  }

  // Reads a path's target. A missing target is recorded too, because something may appear there.
  async function readThrough(path: string, harmless: ReadonlySet<string>): Promise<void> {
    const place = pathBelow(folder, path);
    isElsewhere = true;
    try {
      const { bytes, truncated } = await source.read(place, { ...options, maxBytes: MAX_RESOURCE_BYTES });
      if (truncated) miss(path, tooLarge(place).message);
      else add({ path, mode: "644", bytes });
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      if (!harmless.has(error.code)) miss(path, error.message);
    }
  }

  if (nested.length > 0 || repositories.length > 0) await readFolder();
  for (const repository of repositories) await readMentioned(repository);
  for (const { path } of linksBeyond(listing.files, skillFile)) await readThrough(path, NOTHING);
  return { files, entries, isWhole, isElsewhere };
}

const NOTHING: ReadonlySet<string> = new Set(["file-not-found"]);
// The files in it were listed one by one.
const LISTED_FOLDER: ReadonlySet<string> = new Set(["file-not-found", "not-a-file"]);

function linksBeyond(files: readonly SourceFile[], skillFile: string): readonly SourceFile[] {
  const links = files.filter(({ path, kind }) => kind === "link" && path !== skillFile);
  if (links.length === 0) return [];
  const own = new Set<string>([""]);
  for (const { path, kind } of files) {
    if (kind === "link") continue;
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      const known = path.slice(0, end);
      if (own.has(known)) break;
      own.add(known);
    }
  }
  return links.filter(({ path, target = "" }) => {
    const reached = follow(path, target);
    return reached === undefined || !own.has(reached);
  });
}

// Follows only the text. With a link on the way the result may not exist, and then counts as beyond.
function follow(path: string, target: string): string | undefined {
  if (target.startsWith("/") || target === "") return undefined;
  const steps = path.split("/").slice(0, -1);
  for (const step of target.split("/")) {
    if (step === "" || step === ".") continue;
    if (step !== "..") steps.push(step);
    else if (steps.pop() === undefined) return undefined;
  }
  return steps.join("/");
}

// More than any text about git mentions; above this the skill counts as not wholly read.
const MAX_MENTIONS = 64;
const MENTION = Buffer.from(".git/");
const PATH = /^[\w./@+-]{1,200}/;

/** The paths in a `.git` folder that a skill's files mention, and whether there were too many to follow. */
function repositoryMentions(files: Iterable<{ readonly bytes: Uint8Array }>): {
  readonly paths: readonly string[];
  readonly isCut: boolean;
} {
  const paths = new Set<string>();
  for (const { bytes } of files) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = buffer.indexOf(MENTION); at !== -1; at = buffer.indexOf(MENTION, at + 1)) {
      const start = at + MENTION.length;
      const path = PATH.exec(buffer.toString("latin1", start, start + 200))?.[0].replace(/[./]+$/, "");
      if (path === undefined || path === "" || path.split("/").includes("..")) continue;
      if (paths.size >= MAX_MENTIONS && !paths.has(path)) return { paths: [...paths].sort(), isCut: true };
      paths.add(path);
    }
  }
  return { paths: [...paths].sort(), isCut: false };
}
