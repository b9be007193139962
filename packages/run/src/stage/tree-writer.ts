import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TreeFile } from "@skillet/core";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { attempt, stagingPathRefused } from "./staging-places.ts";

// How much is written before other work gets a turn.
const BYTES_PER_TURN = 4 * 1024 * 1024;

/** Writes a tree into a new folder, and makes it read-only at the end. */
export class TreeWriter {
  readonly #root: string;
  readonly #folders = new Set<string>();
  readonly #links = new Map<string, Buffer>();
  #bytesThisTurn = 0;

  constructor(root: string) {
    this.#root = root;
    attempt(root, () => mkdirSync(root, { mode: 0o700 }));
  }

  async add({ path, mode, bytes }: TreeFile): Promise<void> {
    for (const folder of parentsOf(path)) this.#makeFolder(folder);
    if (mode === "120000") this.#links.set(path, Buffer.from(bytes));
    else this.#writeFile(path, bytes, mode === "755" ? 0o555 : 0o444);
    this.#bytesThisTurn += bytes.length;
    if (this.#bytesThisTurn < BYTES_PER_TURN) return;
    this.#bytesThisTurn = 0;
    await nextTurn();
  }

  /** Makes the links that stay inside, and removes write permission from every folder. */
  finish(): { readonly leftOut: ReadonlySet<string>; readonly diagnostics: readonly Diagnostic[] } {
    const leaving = findLeavingLinks(
      new Map(Array.from(this.#links, ([path, text]) => [path, text.toString()])),
    );
    // Links come last, so that no file can be written through one.
    for (const [path, target] of this.#links)
      if (!leaving.has(path)) this.#exclusively(path, (file) => symlinkSync(target, file));
    for (const folder of [...this.#folders].reverse()) this.#protect(folder);
    this.#protect("");
    return { leftOut: new Set(leaving.keys()), diagnostics: Array.from(leaving, describe) };
  }

  #makeFolder(path: string): void {
    if (this.#folders.has(path)) return;
    this.#exclusively(path, (folder) => mkdirSync(folder, { mode: 0o700 }));
    this.#folders.add(path);
  }

  #writeFile(path: string, bytes: Uint8Array, mode: number): void {
    this.#exclusively(path, (file) => {
      writeFileSync(file, bytes, { flag: "wx", mode: 0o600 });
      // chmod after creation, because the umask could remove bits that the sandbox's user needs.
      chmodSync(file, mode);
    });
  }

  // On a disk that ignores case, or does not distinguish two spellings of an accent, a name can exist
  // although no path so far has created it.
  #exclusively(path: string, make: (file: string) => void): void {
    const file = join(this.#root, path);
    attempt(file, () => {
      try {
        make(file);
      } catch (error) {
        if (errorCode(error) !== "EEXIST") throw error;
        throw stagingPathRefused(path, "is the same as another one on this disk");
      }
    });
  }

  #protect(folder: string): void {
    const path = join(this.#root, folder);
    attempt(path, () => chmodSync(path, 0o555));
  }
}

function describe([path, why]: [path: string, why: string]): Diagnostic {
  const message = `The link ${why}, so scripts do not find it.`;
  return diagnostic(
    "warning",
    "staged-link-left-out",
    path,
    message,
    "Copy what it leads to into the skill.",
  );
}

// The bounds within which a skill gets a digest at all; the source of the files may not have enforced them.
const MAX_FILES = 20_000;
const MAX_BYTES = 512 * 1024 * 1024;
const MAX_FOLDERS = 20_000;
const MAX_PATH_CHARACTERS = 4096;
const MAX_DEPTH = 64;

/** Tracks the files of a tree as they arrive, and refuses those that cannot form one. */
export class TreeLedger {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  /** Every path, files and folders, by its normalised form, which the digest covers. */
  readonly #spellings = new Map<string, string>();
  #bytes = 0;

  add({ path, bytes }: Pick<TreeFile, "path" | "bytes">): void {
    const fault = faultOfPath(path) ?? this.#conflict(path);
    if (fault !== undefined) throw stagingPathRefused(path, fault);
    this.#files.add(path);
    this.#bytes += bytes.length;
    for (const folder of parentsOf(path)) this.#folders.add(folder);
    for (const one of [...parentsOf(path), path]) this.#spellings.set(one.normalize("NFC"), one);
    if (this.#files.size > MAX_FILES || this.#folders.size > MAX_FOLDERS || this.#bytes > MAX_BYTES) {
      const message = `The skill has more than ${MAX_FILES} files, ${MAX_FOLDERS} folders or ${MAX_BYTES} bytes and was not staged; keep data out of skills.`;
      throw new SkilletError("staging-too-large", message, {
        data: { maxFiles: MAX_FILES, maxFolders: MAX_FOLDERS, maxBytes: MAX_BYTES },
      });
    }
  }

  #conflict(path: string): string | undefined {
    if (this.#files.has(path)) return "occurs twice";
    if (this.#folders.has(path)) return "is a file and a folder";
    if (parentsOf(path).some((folder) => this.#files.has(folder))) return "lies below a file";
    const isTwin = [...parentsOf(path), path].some(
      (one) => (this.#spellings.get(one.normalize("NFC")) ?? one) !== one,
    );
    // A digest does not distinguish the two, so either could replace the other.
    return isTwin ? "differs from another path only in Unicode normalisation" : undefined;
  }
}

function parentsOf(path: string): string[] {
  const segments = path.split("/").slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join("/"));
}

function faultOfPath(path: string): string | undefined {
  if (path === "") return "is empty";
  if (path.length > MAX_PATH_CHARACTERS) return `has more than ${MAX_PATH_CHARACTERS} characters`;
  if (path.includes("\0")) return "holds a NUL";
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) return "is absolute";
  const segments = path.split("/");
  if (segments.length > MAX_DEPTH) return `lies more than ${MAX_DEPTH} levels deep`;
  if (segments.includes("..")) return "leaves its folder";
  return segments.some((segment) => segment === "" || segment === ".") ? "has an empty part" : undefined;
}

// Linux's limit.
const MAX_HOPS = 40;
const MAX_TARGET_BYTES = 4095;
// For all links together: chains of long targets would otherwise multiply.
const MAX_STEPS = 1_000_000;

/**
 * Finds the links of a tree that lead out of it, with the reasons; `links` maps paths to target texts.
 *
 * Each link is followed as the kernel would, through the tree's other links: `..` after a link is relative to
 * that link's target, so a target that looks harmless as text can still lead out.
 */
export function findLeavingLinks(links: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const leaving = new Map<string, string>();
  const budget = { steps: MAX_STEPS };
  for (const path of links.keys()) {
    const fault = follow(path, links, budget);
    if (fault !== undefined) leaving.set(path, fault);
  }
  return leaving;
}

function follow(
  path: string,
  links: ReadonlyMap<string, string>,
  budget: { steps: number },
): string | undefined {
  const place: string[] = [];
  // The parts still to be walked, the next one last.
  const ahead = path.split("/").reverse();
  for (let hops = 0; ; ) {
    const part = ahead.pop();
    if (part === undefined) return undefined;
    if (--budget.steps < 0) return "belongs to a tangle of links that is too large to follow";
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (place.pop() === undefined) return "leads out of the skill";
      continue;
    }
    place.push(part);
    const target = links.get(place.join("/"));
    if (target === undefined) continue;
    const fault = faultOfTarget(target);
    if (fault !== undefined) return fault;
    if (++hops > MAX_HOPS) return `leads through more than ${MAX_HOPS} links`;
    place.pop();
    ahead.push(...target.split("/").reverse());
  }
}

function faultOfTarget(target: string): string | undefined {
  if (target === "" || target.includes("\0")) return "has no target";
  if (Buffer.byteLength(target) > MAX_TARGET_BYTES) return `is longer than ${MAX_TARGET_BYTES} bytes`;
  return target.startsWith("/") ? "leads to an absolute path" : undefined;
}
