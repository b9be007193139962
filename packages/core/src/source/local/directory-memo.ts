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

/**
 * What a traversal saw, so that the next one need not list a folder whose status has not changed.
 *
 * The children of a folder lie next to each other: the first one's place and their number are enough to find them.
 */
export class DirectoryMemo {
  readonly names: readonly string[];
  readonly rows: ArrayLike<number>;

  constructor(names: readonly string[], rows: ArrayLike<number>) {
    this.names = names;
    this.rows = rows;
  }

  firstChild(node: number): number {
    return this.rows[node * MEMO_COLUMNS + FIRST_CHILD] ?? 0;
  }

  childCount(node: number): number {
    return this.rows[node * MEMO_COLUMNS + CHILD_COUNT] ?? 0;
  }

  entryCount(node: number): number {
    return this.rows[node * MEMO_COLUMNS + ENTRY_COUNT] ?? 0;
  }

  /** 0 for none, 1 for `SKILL.md`, 2 for `skill.md`. */
  skillFile(node: number): number {
    return this.rows[node * MEMO_COLUMNS + SKILL_FILE] ?? 0;
  }

  /** Whether the folder's link count proved that this file system counts sub-folders. */
  countsLinks(node: number): boolean {
    return this.rows[node * MEMO_COLUMNS + COUNTS_LINKS] === 1;
  }

  /** Whether a folder's status is what the memo saw; NaN never matches, so it means "list it again". */
  matches(node: number, stats: Stats): boolean {
    const row = node * MEMO_COLUMNS;
    return (
      this.rows[row + MODIFIED] === stats.mtimeMs &&
      this.rows[row + CHANGED] === stats.ctimeMs &&
      this.rows[row + INODE] === stats.ino
    );
  }
}

const FIRST_CAPACITY = 256 * MEMO_COLUMNS;

export class DirectoryMemoBuilder {
  readonly names: string[] = [];
  #rows: Float64Array = new Float64Array(FIRST_CAPACITY);

  /** Reserves the place of a folder that is queued; its facts follow when it is visited. */
  add(name: string): void {
    const row = this.names.length * MEMO_COLUMNS;
    if (row + MEMO_COLUMNS > this.#rows.length) this.#grow();
    this.#rows[row + CHANGED] = Number.NaN;
    this.names.push(name);
  }

  setListing(
    node: number,
    listing: {
      firstChild: number;
      childCount: number;
      entryCount: number;
      skillFile: number;
      countsLinks: boolean;
    },
  ): void {
    const row = node * MEMO_COLUMNS;
    this.#rows[row + FIRST_CHILD] = listing.firstChild;
    this.#rows[row + CHILD_COUNT] = listing.childCount;
    this.#rows[row + ENTRY_COUNT] = listing.entryCount;
    this.#rows[row + SKILL_FILE] = listing.skillFile;
    this.#rows[row + COUNTS_LINKS] = listing.countsLinks ? 1 : 0;
  }

  setStamp(node: number, stats: Stats): void {
    const row = node * MEMO_COLUMNS;
    this.#rows[row + MODIFIED] = stats.mtimeMs;
    this.#rows[row + CHANGED] = stats.ctimeMs;
    this.#rows[row + INODE] = stats.ino;
  }

  /**
   * The finished memo. Folders changed after `settledBeforeMs` are listed again next time: a second change within
   * the clock's grain would not show in their status.
   */
  finish(settledBeforeMs: number): DirectoryMemo {
    const rows = this.#rows.subarray(0, this.names.length * MEMO_COLUMNS);
    for (let row = 0; row < rows.length; row += MEMO_COLUMNS) {
      const changed = Math.max(rows[row + CHANGED] ?? 0, rows[row + MODIFIED] ?? 0);
      if (changed >= settledBeforeMs) rows[row + CHANGED] = Number.NaN;
    }
    return new DirectoryMemo(this.names, rows);
  }

  #grow(): void {
    const larger = new Float64Array(this.#rows.length * 2);
    larger.set(this.#rows);
    this.#rows = larger;
  }
}
