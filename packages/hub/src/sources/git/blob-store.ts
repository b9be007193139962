import { createHash } from "node:crypto";
import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { isHostilePath } from "../entry-path.ts";
import { missingEntry, ReadBudget, type SourceEntry, tooLarge } from "../fetch-context.ts";
import { fetchObjects, isRefusedById } from "./fetch-objects.ts";
import { type GitRepository, runGit } from "./run-git.ts";

interface GitEntry extends SourceEntry {
  readonly id: string;
}

const NUL = 0;
const MAX_LISTING_BYTES = 128 * 1024 * 1024;

export async function listTree(repository: GitRepository, commit: string): Promise<readonly GitEntry[]> {
  const { maxEntries } = repository.context.limits;
  const chunks: Uint8Array[] = [];
  let count = 0;
  let bytes = 0;
  // Folders are listed too: those without files would otherwise be walked without end, and nothing be seen of it.
  await runGit(repository, ["ls-tree", "-r", "-t", "-z", "--full-tree", commit], {
    onOutput: (chunk) => {
      // A few small trees that hold each other many times make more names than any disk could hold.
      for (let at = chunk.indexOf(NUL); at !== -1; at = chunk.indexOf(NUL, at + 1)) count += 1;
      bytes += chunk.length;
      if (count > maxEntries || bytes > MAX_LISTING_BYTES)
        throw tooLarge(
          `${repository.url} holds more than ${maxEntries} files and folders, or too long names.`,
          "maxEntries",
        );
      chunks.push(Buffer.from(chunk));
    },
  });
  return checkOrder(parseTree(Buffer.concat(chunks)));
}

export function reportSubmodules(entries: readonly SourceEntry[]): readonly Diagnostic[] {
  return entries
    .filter(({ mode }) => mode === "160000")
    .slice(0, MAX_REPORTED)
    .map(({ path }) => ({
      code: "git-submodule",
      severity: "warning",
      message: "It is a submodule, which is not fetched.",
      file: path,
      hint: "Install from the repository that the submodule names.",
    }));
}

const MAX_REPORTED = 20;
const MODES: ReadonlyMap<string, SourceEntry["mode"]> = new Map([
  ["100644", "644"],
  ["100664", "644"],
  ["100755", "755"],
  ["120000", "120000"],
  ["160000", "160000"],
]);

function parseTree(bytes: Buffer): GitEntry[] {
  const text = bytes.toString();
  // What was replaced in decoding is the name of another file.
  if (text.includes("\ufffd") && !Buffer.from(text).equals(bytes))
    throw refused("A path of it", "is not UTF-8", "");
  return text
    .split("\0")
    .slice(0, -1)
    .map((line) => parseEntry(line))
    .filter((entry) => entry !== undefined);
}

function parseEntry(line: string): GitEntry | undefined {
  const tab = line.indexOf("\t");
  const path = line.slice(tab + 1);
  const [written = "", type = "", id = ""] = line.slice(0, tab).split(" ");
  if (type === "tree") return undefined;
  const mode = MODES.get(written);
  if (mode === undefined)
    throw refused(JSON.stringify(path), `has the mode ${written}, which git does not make`, path);
  if (isHostilePath(path)) throw refused(JSON.stringify(path), "leads out of its folder or into .git", path);
  return { path, mode, id };
}

function checkOrder(entries: GitEntry[]): readonly GitEntry[] {
  const isSorted = entries.every(
    ({ path }, index) => index === 0 || compareByteOrder(entries[index - 1]?.path ?? "", path) < 0,
  );
  if (isSorted) return entries;
  entries.sort((left, right) => compareByteOrder(left.path, right.path));
  const twin = entries.find(({ path }, index) => entries[index - 1]?.path === path);
  if (twin !== undefined) throw refused(JSON.stringify(twin.path), "is there twice", twin.path);
  return entries;
}

function refused(what: string, problem: string, path: string): SkilletError {
  const message = `${what.slice(0, 300)} ${problem}, so nothing of the repository was used; tell its owner, and do not install from it.`;
  return new SkilletError("source-entry-refused", message, { data: { path } });
}

export class BlobStore {
  readonly #entries: ReadonlyMap<string, GitEntry>;
  readonly #fetchAll: (signal: AbortSignal | undefined) => Promise<GitRepository>;
  readonly #budget: ReadBudget;
  readonly #fetched = new Set<string>();
  #repository: GitRepository;
  #hasBlobs: boolean;

  constructor(options: {
    readonly repository: GitRepository;
    readonly entries: readonly GitEntry[];
    readonly hasBlobs: boolean;
    /** Makes a repository that has, for servers that give out no blobs by their ids. */
    readonly fetchAll: (signal: AbortSignal | undefined) => Promise<GitRepository>;
  }) {
    this.#repository = options.repository;
    this.#entries = new Map(options.entries.map((entry) => [entry.path, entry]));
    this.#hasBlobs = options.hasBlobs;
    this.#fetchAll = options.fetchAll;
    this.#budget = new ReadBudget(options.repository.context.limits);
  }

  async read(paths: readonly string[], signal: AbortSignal | undefined): Promise<readonly TreeFile[]> {
    const entries = paths.map((path) => this.#entries.get(path) ?? missingEntry(path));
    const wanted = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
    if (wanted.length === 0) return [];
    checkModes(entries);
    await this.#fetch(wanted, signal);
    const reader = new BatchReader(wanted, this.#budget);
    const stdin = wanted.map(({ id }) => `${id}\n`).join("");
    await runGit(this.#repository, ["cat-file", "--batch"], {
      stdin,
      signal,
      onOutput: (chunk) => reader.add(chunk),
    });
    const blobs = reader.finish();
    return entries.map(({ path, mode, id }) => ({
      path,
      mode: mode === "160000" ? "644" : mode,
      bytes: blobs.get(id) ?? missingEntry(path),
    }));
  }

  async #fetch(wanted: readonly GitEntry[], signal: AbortSignal | undefined): Promise<void> {
    const missing = wanted.map(({ id }) => id).filter((id) => !this.#fetched.has(id));
    if (this.#hasBlobs || missing.length === 0) return;
    try {
      await fetchObjects(this.#repository, { wanted: missing, filter: "blob:none", depth: "all", signal });
      for (const id of missing) this.#fetched.add(id);
    } catch (error) {
      if (!isRefusedById(error)) throw error;
      this.#repository = await this.#fetchAll(signal);
      this.#hasBlobs = true;
    }
  }
}

function checkModes(entries: readonly GitEntry[]): void {
  const submodule = entries.find(({ mode }) => mode === "160000");
  if (submodule === undefined) return;
  const message = `${JSON.stringify(submodule.path)} is a submodule, which is not fetched; install from the repository that it names.`;
  throw new SkilletError("source-entry-missing", message, { data: { path: submodule.path } });
}

type WantedBlob = Pick<GitEntry, "id" | "path">;

const LINE_END = 0x0a;
const MAX_HEADER_BYTES = 200;

/** Takes `id SP type SP size LF bytes LF` for each blob, as it comes; its bytes are checked against its id. */
class BatchReader {
  readonly #wanted: readonly WantedBlob[];
  readonly #budget: ReadBudget;
  readonly #blobs = new Map<string, Uint8Array>();
  #next = 0;
  #header = "";
  #body: Buffer | undefined;
  #filled = 0;

  constructor(wanted: readonly WantedBlob[], budget: ReadBudget) {
    this.#wanted = wanted;
    this.#budget = budget;
  }

  add(chunk: Uint8Array): void {
    for (let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length); rest.length > 0; )
      rest = this.#body === undefined ? this.#takeHeader(rest) : this.#takeBody(rest, this.#body);
  }

  finish(): ReadonlyMap<string, Uint8Array> {
    if (this.#next !== this.#wanted.length) throw this.#unexpected("too few objects");
    return this.#blobs;
  }

  #takeHeader(rest: Buffer): Buffer {
    const end = rest.indexOf(LINE_END);
    this.#header += rest.toString("latin1", 0, end === -1 ? rest.length : end);
    if (this.#header.length > MAX_HEADER_BYTES) throw this.#unexpected("a long line");
    if (end === -1) return rest.subarray(rest.length);
    const [id, type, size = ""] = this.#header.split(" ");
    this.#header = "";
    const blob = this.#wanted[this.#next];
    if (blob === undefined || id !== blob.id || type !== "blob" || !/^[0-9]{1,15}$/.test(size))
      throw this.#unexpected(`${type ?? "nothing"} instead of a blob`);
    // Before room is made for it.
    this.#budget.take(blob.path, Number(size));
    // The line end after the bytes counts with them.
    this.#body = Buffer.allocUnsafeSlow(Number(size) + 1);
    this.#filled = 0;
    return rest.subarray(end + 1);
  }

  #takeBody(rest: Buffer, body: Buffer): Buffer {
    const taken = rest.copy(body, this.#filled);
    this.#filled += taken;
    if (this.#filled === body.length) this.#finishBody(body.subarray(0, -1));
    return rest.subarray(taken);
  }

  #finishBody(bytes: Buffer): void {
    const id = this.#wanted[this.#next]?.id ?? "";
    const sum = createHash(id.length === 64 ? "sha256" : "sha1")
      .update(`blob ${bytes.length}\0`)
      .update(bytes);
    if (sum.digest("hex") !== id) throw this.#unexpected("other bytes than its id says");
    this.#blobs.set(id, bytes);
    this.#body = undefined;
    this.#next += 1;
  }

  #unexpected(what: string): SkilletError {
    const path = this.#wanted[this.#next]?.path ?? "";
    const message = `git gave ${what} for ${JSON.stringify(path)}; nothing of it was used.`;
    return new SkilletError("git-objects-refused", message, { data: { path } });
  }
}

const HEAD = "version https://git-lfs.github.com/spec/v1\n";
const MAX_POINTER_BYTES = 1_024;

export function reportLfsPointer({ path, bytes }: TreeFile): Diagnostic | undefined {
  if (
    bytes.length > MAX_POINTER_BYTES ||
    Buffer.from(bytes.subarray(0, HEAD.length)).toString("latin1") !== HEAD
  )
    return undefined;
  const message = "It is a pointer of Git LFS; the file that it stands for is not fetched.";
  const hint = "Keep the file in the repository itself, or publish the skill as an archive.";
  return { code: "git-lfs-pointer", severity: "warning", message, file: path, hint };
}
