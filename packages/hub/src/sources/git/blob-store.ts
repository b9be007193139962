import { createHash } from "node:crypto";
import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { isHostilePath } from "../entry-path.ts";
import { missingEntry, readBudget, type SourceEntry, tooLarge } from "../fetch-context.ts";
import { fetchObjects, isRefusedById } from "./fetch-objects.ts";
import { type GitRepository, readGit, runGit } from "./run-git.ts";

interface GitEntry extends SourceEntry {
  readonly id: string;
}

const NUL = 0;
const MAX_LISTING_BYTES = 128 * 1024 * 1024;

export async function listTree(repository: GitRepository, commit: string): Promise<readonly GitEntry[]> {
  const { maxEntries } = repository.context.limits;
  let count = 0;
  // Folders are listed too: git would otherwise walk empty ones endlessly without any output to count.
  const listing = await readGit(repository, ["ls-tree", "-r", "-t", "-z", "--full-tree", commit], {
    onOutput: (chunk, bytes) => {
      // A few small trees that contain each other many times produce more names than fit on any disk.
      for (let at = chunk.indexOf(NUL); at !== -1; at = chunk.indexOf(NUL, at + 1)) count += 1;
      if (count <= maxEntries && bytes <= MAX_LISTING_BYTES) return;
      const problem = `${repository.url} holds more than ${maxEntries} files and folders, or too long names.`;
      throw tooLarge(problem, "maxEntries");
    },
  });
  const text = listing.toString();
  // A name that decoding changed would be the name of another file.
  if (text.includes("\ufffd") && !Buffer.from(text).equals(listing))
    throw refused("A path of it", "is not UTF-8", "");
  const lines = text.split("\0").slice(0, -1);
  return checkOrder(lines.map(parseEntry).filter((entry) => entry !== undefined));
}

const MODES: ReadonlyMap<string, SourceEntry["mode"]> = new Map([
  ["100644", "644"],
  ["100664", "644"],
  ["100755", "755"],
  ["120000", "120000"],
  ["160000", "160000"],
]);

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

const MAX_REPORTED = 20;

export function reportSubmodules(entries: readonly SourceEntry[]): readonly Diagnostic[] {
  const submodules = entries.filter(({ mode }) => mode === "160000").slice(0, MAX_REPORTED);
  const message = "It is a submodule, which is not fetched.";
  const hint = "Install from the repository that the submodule names.";
  return submodules.map(({ path: file }) => ({
    code: "git-submodule",
    severity: "warning",
    message,
    file,
    hint,
  }));
}

const LFS_HEAD = "version https://git-lfs.github.com/spec/v1\n";
const MAX_POINTER_BYTES = 1_024;

export function reportLfsPointer({ path, bytes }: TreeFile): Diagnostic | undefined {
  const head = Buffer.from(bytes.subarray(0, LFS_HEAD.length)).toString("latin1");
  if (bytes.length > MAX_POINTER_BYTES || head !== LFS_HEAD) return undefined;
  const message = "This is a Git LFS pointer; the actual file is not fetched.";
  const hint = "Keep the file in the repository itself, or publish the skill as an archive.";
  return { code: "git-lfs-pointer", severity: "warning", message, file: path, hint };
}

/** Reads blobs of one commit by path, and fetches those that are missing. */
export function blobReader(options: {
  readonly repository: GitRepository;
  readonly entries: readonly GitEntry[];
  readonly hasBlobs: boolean;
  /** Creates a repository with all blobs, for servers that do not serve them by id. */
  readonly fetchAll: (signal: AbortSignal | undefined) => Promise<GitRepository>;
}): (paths: readonly string[], signal: AbortSignal | undefined) => Promise<readonly TreeFile[]> {
  const byPath = new Map(options.entries.map((entry) => [entry.path, entry]));
  const take = readBudget(options.repository.context.limits);
  const fetched = new Set<string>();
  let { repository, hasBlobs } = options;

  async function fetchMissing(ids: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const wanted = ids.filter((id) => !fetched.has(id));
    if (hasBlobs || wanted.length === 0) return;
    try {
      await fetchObjects(repository, { wanted, filter: "blob:none", depth: "all", signal });
      for (const id of wanted) fetched.add(id);
    } catch (error) {
      if (!isRefusedById(error)) throw error;
      repository = await options.fetchAll(signal);
      hasBlobs = true;
    }
  }

  return async (paths, signal) => {
    const entries = paths.map((path) => byPath.get(path) ?? missingEntry(path));
    const submodule = entries.find(({ mode }) => mode === "160000");
    if (submodule !== undefined) {
      const message = `${JSON.stringify(submodule.path)} is a submodule, which is not fetched; install from the repository that it names.`;
      throw new SkilletError("source-entry-missing", message, { data: { path: submodule.path } });
    }
    const wanted = new Map(entries.map((entry) => [entry.id, entry]));
    if (wanted.size === 0) return [];
    await fetchMissing([...wanted.keys()], signal);
    const blobs = await readBlobs(repository, [...wanted.values()], take, signal);
    return entries.map(({ path, mode, id }) => ({
      path,
      mode: mode === "160000" ? "644" : mode,
      bytes: blobs.get(id) ?? missingEntry(path),
    }));
  };
}

/** Reads blobs: first their sizes, which are checked before memory is allocated, then bytes that match their ids. */
async function readBlobs(
  repository: GitRepository,
  wanted: readonly GitEntry[],
  take: (path: string, bytes: number) => void,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const stdin = wanted.map(({ id }) => `${id}\n`).join("");
  const listed = await readGit(repository, ["cat-file", "--batch-check"], { stdin, signal });
  const lines = listed.toString("latin1").split("\n");
  const sizes = wanted.map(({ id, path }, index) => {
    const [found, type = "nothing", size = ""] = lines[index]?.split(" ") ?? [];
    if (found !== id || type !== "blob" || !/^[0-9]{1,15}$/.test(size))
      throw unexpected(path, `${type} instead of a blob`);
    take(path, Number(size));
    return Number(size);
  });
  const headers = wanted.map(({ id }, index) => `${id} blob ${sizes[index]}\n`);
  // Each blob has its own buffer: a retained file must not retain all those that were read with it.
  const parts = headers.map(({ length }, index) =>
    [length, sizes[index] ?? 0, 1].map((size) => Buffer.alloc(size)),
  );
  const targets = parts.flat();
  let [current, filled] = [0, 0];
  await runGit(repository, ["cat-file", "--batch"], {
    stdin,
    signal,
    onOutput: (chunk) => {
      for (let at = 0; at < chunk.length; ) {
        const target = targets[current];
        if (target === undefined) throw unexpected(wanted[0]?.path ?? "", "more bytes than it announced");
        const taken = chunk.subarray(at, at + target.length - filled);
        target.set(taken, filled);
        at += taken.length;
        filled += taken.length;
        if (filled === target.length) [current, filled] = [current + 1, 0];
      }
    },
  });
  const blobs = new Map<string, Uint8Array>();
  for (const [index, { id, path }] of wanted.entries()) {
    const [header, bytes = Buffer.alloc(0)] = parts[index] ?? [];
    const sum = createHash(id.length === 64 ? "sha256" : "sha1").update(`blob ${bytes.length}\0`);
    if (header?.toString("latin1") !== headers[index] || sum.update(bytes).digest("hex") !== id)
      throw unexpected(path, "other bytes than its id says");
    blobs.set(id, bytes);
  }
  return blobs;
}

function unexpected(path: string, what: string): SkilletError {
  const message = `git gave ${what} for ${JSON.stringify(path)}; nothing of it was used.`;
  return new SkilletError("git-objects-refused", message, { data: { path } });
}
