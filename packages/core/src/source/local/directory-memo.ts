import type { Stats } from "node:fs";

export const MEMO_COLUMNS = 8;

const FIRST_CHILD = 0;
const CHILD_COUNT = 1;
const ENTRY_COUNT = 2;
const SKILL_FILE = 3;
const MODIFIED = 4;
const CHANGED = 5;
const INODE = 6;
const COUNTS_LINKS = 7;

const FIRST_FOLDERS = 256;

/** A folder's children are adjacent: the first one's index and their number are enough to find them. */
export interface FolderFacts {
  readonly firstChild: number;
  readonly childCount: number;
  readonly entryCount: number;
  /** 0 for none, 1 for `SKILL.md`, 2 for `skill.md`. */
  readonly skillFile: number;
  /** Whether the folder's link count proved that this file system counts sub-folders. */
  readonly countsLinks: boolean;
}

/** The folders that a traversal saw, so that the next one need not list folders with unchanged status. */
export class DirectoryMemo {
  readonly names: string[];
  #rows: Float64Array;

  constructor(names: string[] = [], rows: Float64Array = new Float64Array(FIRST_FOLDERS * MEMO_COLUMNS)) {
    this.names = names;
    this.#rows = rows;
  }

  /** Reserves the row of a queued folder; its facts follow when it is visited. */
  add(name: string): void {
    const row = this.names.length * MEMO_COLUMNS;
    if (row + MEMO_COLUMNS > this.#rows.length) {
      const larger = new Float64Array(this.#rows.length * 2);
      larger.set(this.#rows);
      this.#rows = larger;
    }
    this.#rows[row + CHANGED] = Number.NaN;
    this.names.push(name);
  }

  facts(node: number): FolderFacts {
    const row = node * MEMO_COLUMNS;
    return {
      firstChild: this.#rows[row + FIRST_CHILD] ?? 0,
      childCount: this.#rows[row + CHILD_COUNT] ?? 0,
      entryCount: this.#rows[row + ENTRY_COUNT] ?? 0,
      skillFile: this.#rows[row + SKILL_FILE] ?? 0,
      countsLinks: this.#rows[row + COUNTS_LINKS] === 1,
    };
  }

  setFacts(node: number, facts: FolderFacts): void {
    const row = node * MEMO_COLUMNS;
    this.#rows[row + FIRST_CHILD] = facts.firstChild;
    this.#rows[row + CHILD_COUNT] = facts.childCount;
    this.#rows[row + ENTRY_COUNT] = facts.entryCount;
    this.#rows[row + SKILL_FILE] = facts.skillFile;
    this.#rows[row + COUNTS_LINKS] = facts.countsLinks ? 1 : 0;
  }

  setStamp(node: number, stats: Stats): void {
    const row = node * MEMO_COLUMNS;
    this.#rows[row + MODIFIED] = stats.mtimeMs;
    this.#rows[row + CHANGED] = stats.ctimeMs;
    this.#rows[row + INODE] = stats.ino;
  }

  /** Whether a folder's status is what the memo saw; NaN never matches, so it means "list it again". */
  matches(node: number, stats: Stats): boolean {
    const row = node * MEMO_COLUMNS;
    return (
      this.#rows[row + MODIFIED] === stats.mtimeMs &&
      this.#rows[row + CHANGED] === stats.ctimeMs &&
      this.#rows[row + INODE] === stats.ino
    );
  }

  /** Folders changed after `settledBeforeMs` are listed again: coarse clocks hide changes. */
  finish(settledBeforeMs: number): Float64Array {
    const rows = this.#rows.subarray(0, this.names.length * MEMO_COLUMNS);
    for (let row = 0; row < rows.length; row += MEMO_COLUMNS) {
      const changed = Math.max(rows[row + CHANGED] ?? 0, rows[row + MODIFIED] ?? 0);
      if (changed >= settledBeforeMs) rows[row + CHANGED] = Number.NaN;
    }
    return rows;
  }
}
