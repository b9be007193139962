import { digestBytes, type TreeEntry } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { isOrdinaryInRepository } from "../source/local/ordinary-repository.ts";
import type { FileListing, SkillSource, SourceFile } from "../source/skill-source.ts";
import type { ContentFile } from "./read-skill-content.ts";
import { createTreeFileReader, MAX_RESOURCE_BYTES, pathBelow, tooLarge } from "./read-tree.ts";

export interface BeyondTree {
  readonly files: readonly ContentFile[];
  readonly entries: readonly TreeEntry[];
  readonly isWhole: boolean;
  /** Whether a part of it lies where a stamp of the folder does not look. */
  readonly isElsewhere: boolean;
}

export interface BeyondOptions {
  readonly signal?: AbortSignal | undefined;
  keep(file: ContentFile): ContentFile;
}

export function hasBeyond({ files, nested, repositories }: FileListing, skillFile: string): boolean {
  return (
    (nested ?? []).length > 0 || (repositories ?? []).length > 0 || linksBeyond(files, skillFile).length > 0
  );
}

/** None of it is in this skill's digest, yet a step of this skill runs it by its path like any other file. */
export async function readBeyond(
  source: SkillSource,
  skill: { readonly folder: string; readonly file: string },
  tree: { readonly listing: FileListing; readonly files: readonly ContentFile[] },
  options: BeyondOptions,
): Promise<BeyondTree> {
  const reading = new BeyondReading(source, skill.folder, options);
  const { listing } = tree;
  if ((listing.nested ?? []).length > 0 || (listing.repositories ?? []).length > 0)
    await reading.readFolder(listing);
  for (const repository of listing.repositories ?? []) await reading.readMentioned(repository, tree.files);
  for (const link of linksBeyond(listing.files, skill.file)) await reading.readTarget(link);
  return reading.result();
}

const NOTHING: ReadonlySet<string> = new Set(["file-not-found"]);
// The files in it were listed one by one.
const LISTED_FOLDER: ReadonlySet<string> = new Set(["file-not-found", "not-a-file"]);

class BeyondReading {
  readonly #source: SkillSource;
  readonly #folder: string;
  readonly #options: BeyondOptions;
  readonly #files: ContentFile[] = [];
  readonly #entries: TreeEntry[] = [];
  readonly #seen = new Set<string>();
  #isWhole = true;
  #isElsewhere = false;

  constructor(source: SkillSource, folder: string, options: BeyondOptions) {
    this.#source = source;
    this.#folder = folder;
    this.#options = options;
  }

  result(): BeyondTree {
    const [isWhole, isElsewhere] = [this.#isWhole, this.#isElsewhere];
    return { files: this.#files, entries: this.#entries, isWhole, isElsewhere };
  }

  async readFolder(tree: FileListing): Promise<void> {
    const all = await this.#source.listFiles(this.#folder, { ...this.#options, extent: "folder" });
    const own = new Set(tree.files.map(({ path }) => path));
    const read = createTreeFileReader(this.#source, this.#folder);
    const known = new Set(tree.diagnostics.map(({ file }) => file));
    const root = `${this.#source.toolPath(this.#folder)}/`;
    for (const { severity, file, message } of all.diagnostics)
      if (severity === "error" && !known.has(file))
        this.#miss(file.startsWith(root) ? file.slice(root.length) : file, message);
    // A source that knows no such extent left them out again.
    for (const path of all.nested ?? [])
      this.#miss(path, "its folder is a skill of its own, and was not listed");
    for (const listed of all.files) {
      if (own.has(listed.path)) continue;
      this.#options.signal?.throwIfAborted();
      this.#seen.add(listed.path);
      const file = await read(listed, this.#options);
      if ("code" in file) this.#miss(listed.path, file.message);
      else this.#add(file);
    }
    for (const link of linksBeyond(all.files, "")) if (!own.has(link.path)) await this.readTarget(link);
  }

  async readMentioned(repository: string, files: readonly ContentFile[]): Promise<void> {
    const { paths, isCut } = repositoryMentions([...files, ...this.#files]);
    if (isCut) this.#miss(repository, "the skill names more files in it than are followed");
    for (const mentioned of paths) {
      const path = `${repository}/${mentioned}`;
      if (this.#seen.has(path)) continue;
      this.#seen.add(path);
      const isEntered = !isOrdinaryInRepository(mentioned.slice(0, `${mentioned}/`.indexOf("/")));
      await this.#readThrough(path, isEntered ? LISTED_FOLDER : NOTHING);
    }
  }

  async readTarget({ path }: SourceFile): Promise<void> {
    await this.#readThrough(path, NOTHING);
  }

  // Reads where a path leads. That nothing is there is worth keeping too, because something may appear.
  async #readThrough(path: string, harmless: ReadonlySet<string>): Promise<void> {
    const place = pathBelow(this.#folder, path);
    this.#isElsewhere = true;
    try {
      const { bytes, truncated } = await this.#source.read(place, {
        ...this.#options,
        maxBytes: MAX_RESOURCE_BYTES,
      });
      if (truncated) this.#miss(path, tooLarge(place).message);
      else this.#add({ path, mode: "644", bytes });
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      if (!harmless.has(error.code)) this.#miss(path, error.message);
    }
  }

  #add(file: ContentFile): void {
    const { path, mode, bytes } = file;
    this.#files.push(this.#options.keep(file));
    this.#entries.push({ path, mode, digest: digestBytes(bytes), size: bytes.length });
  }

  #miss(path: string, unread: string): void {
    this.#isWhole = false;
    this.#files.push({ path, mode: "644", bytes: new Uint8Array(), unread });
  }
}

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

// By its text alone. Where a link lies on the way this may name what is not there, and then it counts as beyond.
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

// More than any text about git names; beyond it the skill counts as not wholly read.
const MAX_MENTIONS = 64;
const MENTION = Buffer.from(".git/");
const PATH = /^[\w./@+-]{1,200}/;

/** The paths in a `.git` folder that files of a skill name, and whether there were more than are followed. */
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
