import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { findLeavingLinks } from "./find-leaving-links.ts";
import { stagingFailed, stagingPathRefused } from "./staging-error.ts";
import { parentsOf } from "./tree-ledger.ts";

// How much is written before others get a turn.
const BYTES_PER_TURN = 4 * 1024 * 1024;

/** Writes a tree into a new folder, and makes it read-only at the end. */
export class TreeWriter {
  readonly #root: string;
  readonly #folders: string[] = [];
  readonly #seen = new Set<string>();
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

  /** Makes the links that stay inside, and takes the right to write from every folder. */
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
    if (this.#seen.has(path)) return;
    this.#exclusively(path, (folder) => mkdirSync(folder, { mode: 0o700 }));
    this.#seen.add(path);
    this.#folders.push(path);
  }

  #writeFile(path: string, bytes: Uint8Array, mode: number): void {
    this.#exclusively(path, (file) => {
      writeFileSync(file, bytes, { flag: "wx", mode: 0o600 });
      // Not by creating it so: the umask would take from it what a sandbox's user needs.
      chmodSync(file, mode);
    });
  }

  // A disk that does not tell capitals from small letters, or one spelling of an accent from the other, finds a name
  // there that no path so far has made.
  #exclusively(path: string, make: (file: string) => void): void {
    const file = join(this.#root, path);
    attempt(file, () => {
      try {
        make(file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        throw stagingPathRefused(path, "is the same as another one on this disk");
      }
    });
  }

  #protect(folder: string): void {
    const path = join(this.#root, folder);
    attempt(path, () => chmodSync(path, 0o555));
  }
}

function attempt(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    throw stagingFailed(path, error);
  }
}

function describe([path, why]: [path: string, why: string]): Diagnostic {
  return {
    code: "staged-link-left-out",
    severity: "warning",
    message: `The link ${why}, so scripts do not find it.`,
    file: path,
    hint: "Copy what it leads to into the skill.",
  };
}
