import type { Stats } from "node:fs";
import type { Digest } from "@skillet/kit/digest";
import type { FileStamp } from "@skillet/kit/files";
import { type Gating, NO_GATING } from "../../format/manifest.ts";

/** A header is kept as it was, and whether it has faults of its own; an outcome is manifest and diagnostics as JSON. */
export const FAULTLESS_HEADER = 0;
export const HEADER = 1;
export const OUTCOME = 2;

/** What a row says of a skill. */
export interface SkillFacts {
  readonly name: string;
  readonly bodyCharacters: number;
  readonly digest: Digest;
  readonly gating: Gating | undefined;
  /** The skill's folder in the memo of the walk. */
  readonly node: number;
  readonly stamp: FileStamp;
  readonly companion: FileStamp | undefined;
  readonly kind: number;
  /** The content is its first `length` bytes; they are copied. */
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** What is written of a table, apart from its numbers and bytes. */
export interface TableHead {
  /** Names that differ from their folder's, else 0. */
  readonly names: readonly (string | 0)[];
  /** Every set of requirements once, without what it does not ask for. */
  readonly gatings: readonly Partial<Gating>[];
}

/** A table as a cache keeps it. */
export interface TableParts {
  readonly head: TableHead;
  readonly numbers: Float64Array;
  readonly blob: Uint8Array;
}

// The columns: the folder in the memo, two stamps of four numbers, and these.
const STAMP = 1;
const COMPANION = 5;
const BODY_CHARACTERS = 9;
const KIND = 10;
const OFFSET = 11;
const LENGTH = 12;
const GATING = 13;
const COLUMNS = 14;

// Hexadecimal, in front of each skill's content.
const DIGEST_CHARACTERS = 64;

const FIRST_ROWS = 256;
const FIRST_BLOB_BYTES = 64 * 1024;

/**
 * What a scan knows of its skills: rows of numbers and one buffer instead of an object a skill.
 *
 * With a hundred thousand of them, the collector is what a warm start would wait for.
 */
export class SkillTable {
  readonly #names: (string | 0)[];
  readonly #folders: readonly string[];
  readonly #gatings: Gating[] = [];
  readonly #gatingTexts = new Map<string, number>();
  #numbers: Float64Array;
  #blob: Buffer;
  #length: number;

  /** An empty table, or the one that was kept; `folders` are the names of all folders in the memo. */
  constructor(kept?: TableParts & { readonly folders: readonly string[] }) {
    this.#names = kept === undefined ? [] : [...kept.head.names];
    this.#folders = kept?.folders ?? [];
    for (const gating of kept?.head.gatings ?? []) this.#gatings.push({ ...NO_GATING, ...gating });
    this.#numbers = kept?.numbers ?? new Float64Array(FIRST_ROWS * COLUMNS);
    this.#blob = kept === undefined ? Buffer.allocUnsafe(FIRST_BLOB_BYTES) : asBuffer(kept.blob);
    this.#length = kept?.blob.length ?? 0;
  }

  /** How many rows there are. */
  get count(): number {
    return this.#names.length;
  }

  /** Adds a row and returns its number. */
  add(facts: SkillFacts): number {
    const row = this.#names.length;
    const at = row * COLUMNS;
    if (at + COLUMNS > this.#numbers.length) {
      const larger = new Float64Array(this.#numbers.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    const numbers = this.#numbers;
    this.#names.push(facts.name);
    numbers[at] = facts.node;
    writeStamp(numbers, at + STAMP, facts.stamp);
    writeStamp(numbers, at + COMPANION, facts.companion);
    numbers[at + BODY_CHARACTERS] = facts.bodyCharacters;
    numbers[at + KIND] = facts.kind;
    numbers[at + OFFSET] = this.#length;
    numbers[at + LENGTH] = facts.length;
    numbers[at + GATING] = facts.gating === undefined ? -1 : this.#intern(facts.gating);
    this.#addBytes(facts);
    return row;
  }

  /** The same row of another table, for a skill that did not change; its folder may have another place now. */
  copy(table: SkillTable, row: number, node: number): void {
    const bytes = table.content(row);
    this.add({
      name: table.name(row),
      bodyCharacters: table.bodyCharacters(row),
      digest: table.digest(row),
      gating: table.gating(row),
      node,
      stamp: table.#stamp(row, STAMP),
      companion: Number.isNaN(table.#number(row, COMPANION)) ? undefined : table.#stamp(row, COMPANION),
      kind: table.kind(row),
      bytes,
      length: bytes.length,
    });
  }

  node(row: number): number {
    return this.#number(row, 0);
  }

  name(row: number): string {
    return this.#names[row] || (this.#folders[this.node(row)] ?? "");
  }

  bodyCharacters(row: number): number {
    return this.#number(row, BODY_CHARACTERS);
  }

  kind(row: number): number {
    return this.#number(row, KIND);
  }

  digest(row: number): Digest {
    const at = this.#number(row, OFFSET);
    return `sha256:${this.#blob.toString("latin1", at, at + DIGEST_CHARACTERS)}`;
  }

  /** The header, or manifest and diagnostics as JSON; `kind` says which. */
  content(row: number): Uint8Array {
    const at = this.#number(row, OFFSET) + DIGEST_CHARACTERS;
    return this.#blob.subarray(at, at + this.#number(row, LENGTH));
  }

  /** One object for all skills that ask for the same, so that it is looked up once. */
  gating(row: number): Gating | undefined {
    return this.#gatings[this.#number(row, GATING)];
  }

  /** Whether a skill's files still have the status that they had; NaN never matches, so it means "read it again". */
  isUnchanged(row: number, file: Stats, companion: FileStamp | undefined): boolean {
    const numbers = this.#numbers;
    const at = row * COLUMNS + STAMP;
    if (
      numbers[at] !== file.size ||
      numbers[at + 1] !== file.mtimeMs ||
      numbers[at + 2] !== file.ctimeMs ||
      numbers[at + 3] !== file.ino
    )
      return false;
    const other = row * COLUMNS + COMPANION;
    if (companion === undefined) return Number.isNaN(numbers[other]);
    return (
      numbers[other] === companion.size &&
      numbers[other + 1] === companion.modifiedMs &&
      numbers[other + 2] === companion.changedMs &&
      numbers[other + 3] === companion.inode
    );
  }

  /** The table for a cache; skills that changed after `settledBeforeMs` are to be read again next time. */
  finish(folders: readonly string[], settledBeforeMs: number): TableParts {
    const numbers = this.#numbers.subarray(0, this.count * COLUMNS);
    // A companion that is not there has NaN, which is not later than anything.
    const isLate = (at: number): boolean =>
      (numbers[at + 1] ?? 0) >= settledBeforeMs || (numbers[at + 2] ?? 0) >= settledBeforeMs;
    for (let at = 0; at < numbers.length; at += COLUMNS)
      if (isLate(at + STAMP) || isLate(at + COMPANION)) numbers[at + STAMP] = Number.NaN;
    const names = this.#names.map((name, row) => (name === folders[this.node(row)] ? 0 : name));
    const gatings = [...this.#gatingTexts.keys()].map((text) => JSON.parse(text) as Partial<Gating>);
    return { head: { names, gatings }, numbers, blob: this.#blob.subarray(0, this.#length) };
  }

  #intern(gating: Gating): number {
    const text = writeGating(gating);
    let index = this.#gatingTexts.get(text);
    if (index === undefined) {
      index = this.#gatings.push(gating) - 1;
      this.#gatingTexts.set(text, index);
    }
    return index;
  }

  #addBytes({ digest, bytes, length }: SkillFacts): void {
    const end = this.#length + DIGEST_CHARACTERS + length;
    if (end > this.#blob.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, this.#blob.length * 2));
      this.#blob.copy(larger, 0, 0, this.#length);
      this.#blob = larger;
    }
    this.#blob.write(digest.slice("sha256:".length), this.#length, "latin1");
    this.#blob.set(
      length === bytes.length ? bytes : bytes.subarray(0, length),
      this.#length + DIGEST_CHARACTERS,
    );
    this.#length = end;
  }

  #number(row: number, column: number): number {
    return this.#numbers[row * COLUMNS + column] ?? 0;
  }

  #stamp(row: number, column: number): FileStamp {
    return {
      size: this.#number(row, column),
      modifiedMs: this.#number(row, column + 1),
      changedMs: this.#number(row, column + 2),
      inode: this.#number(row, column + 3),
    };
  }
}

function writeStamp(numbers: Float64Array, at: number, stamp: FileStamp | undefined): void {
  numbers[at] = stamp === undefined ? Number.NaN : stamp.size;
  numbers[at + 1] = stamp === undefined ? Number.NaN : stamp.modifiedMs;
  numbers[at + 2] = stamp === undefined ? Number.NaN : stamp.changedMs;
  numbers[at + 3] = stamp === undefined ? Number.NaN : stamp.inode;
}

const GATING_KEYS = [...(Object.keys(NO_GATING) as (keyof Gating)[]), "skillKey", "primaryEnv"] as const;

/** Writes down only what a gating asks for; most skills ask for one command. */
function writeGating(gating: Gating): string {
  let text = "";
  for (const key of GATING_KEYS) {
    const value = gating[key];
    if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) continue;
    text += `${text === "" ? "" : ","}"${key}":${JSON.stringify(value)}`;
  }
  return `{${text}}`;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
