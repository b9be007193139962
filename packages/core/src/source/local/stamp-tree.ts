import { createHash, type Hash } from "node:crypto";
import { type Dirent, readdirSync, type Stats } from "node:fs";
import { errorCode } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { isSkillFileName } from "../skill-file-name.ts";
import type { TreeStamp } from "../skill-source.ts";
import { isOrdinaryInRepository } from "./ordinary-repository.ts";
import { statusOf } from "./status-of.ts";

// A tree beyond these is read anew each time, which only costs time.
const MAX_DEPTH = 16;
const MAX_ENTRIES = 5_000;

/** Undefined where something cannot be looked at. Nested skills count here too, as they do for a verdict. */
export function stampTree(absolute: string): TreeStamp | undefined {
  const status = statusOf(absolute);
  if (status === undefined) return undefined;
  const sum = new StampSum();
  sum.add("", status);
  return !status.isDirectory() || sum.addBelow(absolute, { path: "", depth: 0, repository: undefined })
    ? sum.result()
    : undefined;
}

interface StampedFolder {
  readonly path: string;
  readonly depth: number;
  readonly repository: string | undefined;
}

class StampSum {
  readonly #hash: Hash = createHash("sha256");
  #entries = 0;
  #changedMs = 0;

  add(path: string, { size, mtimeMs, ctimeMs, ino, mode, dev }: Stats): void {
    this.#hash.update(`${mode} ${size} ${mtimeMs} ${ctimeMs} ${ino} ${dev} ${path}\0`);
    this.#changedMs = Math.max(this.#changedMs, mtimeMs, ctimeMs);
  }

  /** False when the folder is larger than what is stamped, or cannot be read. */
  addBelow(absolute: string, { path, depth, repository }: StampedFolder): boolean {
    const entries = depth > MAX_DEPTH ? undefined : readFolder(absolute);
    if (entries === undefined) return false;
    for (const entry of entries) {
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      // Of a repository, what a verdict covers and no more: its history changes with every commit.
      if (repository !== undefined && isOrdinaryInRepository(below.slice(repository.length + 1))) continue;
      this.#entries += 1;
      const place = `${absolute}/${entry.name}`;
      const status = this.#entries > MAX_ENTRIES ? undefined : statusOf(place);
      if (status === undefined) return false;
      // Its text lies elsewhere, and may change without a trace here.
      if (depth === 0 && status.isSymbolicLink() && isSkillFileName(entry.name)) return false;
      const isRepository = repository === undefined && entry.name === ".git" && status.isDirectory();
      if (!isRepository) this.add(below, status);
      if (!status.isDirectory()) continue;
      const folder = { path: below, depth: depth + 1, repository: isRepository ? below : repository };
      if (!this.addBelow(place, folder)) return false;
    }
    return true;
  }

  result(): TreeStamp {
    return { text: this.#hash.digest("hex"), changedMs: this.#changedMs };
  }
}

function readFolder(absolute: string): Dirent[] | undefined {
  try {
    return readdirSync(absolute, { withFileTypes: true }).sort((left, right) =>
      compareByteOrder(left.name, right.name),
    );
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
