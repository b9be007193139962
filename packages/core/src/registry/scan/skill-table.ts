import type { Stats } from "node:fs";
import type { Digest } from "@skillet/kit/digest";
import { type FileStamp, stampOf } from "@skillet/kit/files";
import type { Gating } from "../../format/manifest.ts";
import type { Skill } from "../skill.ts";

export interface KeptTable {
  /** The name if it differs from the folder's, else 0. */
  readonly names: readonly (string | 0)[];
  /** Each distinct set of requirements once. */
  readonly gatings: readonly Gating[];
  readonly numbers: Float64Array;
  readonly blob: Uint8Array;
}

export type SkillContent = Pick<Skill, "manifest" | "diagnostics" | "settingsDigest">;

// The columns. A stamp takes four numbers; an absent one is NaN.
const NODE = 0;
const STAMP = 1;
const SETTINGS_STAMP = 5;
const BODY_CHARACTERS = 9;
const OUTCOME = 10;
const OFFSET = 11;
const LENGTH = 12;
const GATING = 13;
const COLUMNS = 14;

// Precedes each skill's content.
const DIGEST_BYTES = "sha256:".length + 64;

const FIRST_ROWS = 256;
const FIRST_BLOB_BYTES = 64 * 1024;

/** Numbers and one buffer: with 100,000 objects, a warm start would wait for garbage collection. */
export class SkillTable {
  readonly #names: (string | 0)[];
  readonly #folders: readonly string[];
  readonly #gatings: Gating[];
  readonly #gatingRows = new Map<string, number>();
  /** Kept as objects: most scans never write them. */
  readonly #outcomes = new Map<number, SkillContent>();
  #numbers: Float64Array;
  #blob: Buffer;
  #length: number;

  /** An empty table, or the cached one; `folders` are the names of all folders in the memo. */
  constructor(kept?: KeptTable & { readonly folders: readonly string[] }) {
    this.#names = kept === undefined ? [] : [...kept.names];
    this.#folders = kept?.folders ?? [];
    this.#gatings = [...(kept?.gatings ?? [])];
    this.#numbers = kept?.numbers ?? new Float64Array(FIRST_ROWS * COLUMNS);
    this.#blob =
      kept === undefined
        ? Buffer.allocUnsafe(FIRST_BLOB_BYTES)
        : Buffer.from(kept.blob.buffer, kept.blob.byteOffset, kept.blob.length);
    this.#length = kept?.blob.length ?? 0;
  }

  get count(): number {
    return this.#names.length;
  }

  add(skill: {
    readonly name: string;
    readonly bodyCharacters: number;
    readonly digest: Digest;
    /** Absent if there are no requirements, as for most skills, which saves the look-ups. */
    readonly gating: Gating | undefined;
    readonly node: number;
    readonly stamp: FileStamp | undefined;
    readonly settingsStamp: FileStamp | undefined;
    /** The start of a file that suffices by itself, which is copied, or else the parsed result. */
    readonly content: { readonly bytes: Uint8Array; readonly length: number } | SkillContent;
  }): number {
    const { content } = skill;
    const isHeader = "bytes" in content;
    const length = isHeader ? content.length : 0;
    const row = this.#addRow(skill.name, skill.gating, DIGEST_BYTES + length);
    const at = row * COLUMNS;
    const numbers = this.#numbers;
    numbers[at + NODE] = skill.node;
    writeStamp(numbers, at + STAMP, skill.stamp);
    writeStamp(numbers, at + SETTINGS_STAMP, skill.settingsStamp);
    numbers[at + BODY_CHARACTERS] = skill.bodyCharacters;
    numbers[at + LENGTH] = length;
    numbers[at + OUTCOME] = isHeader ? 0 : 1;
    const start = this.#number(row, OFFSET);
    const blob = this.#blob;
    blob.write(skill.digest, start, "latin1");
    if (isHeader) {
      // A loop: making a view of the start takes longer than copying a header.
      const to = start + DIGEST_BYTES;
      for (let index = 0; index < length; index++) blob[to + index] = content.bytes[index] ?? 0;
    } else this.#outcomes.set(row, content);
    return row;
  }

  /** Copies the row of an unchanged skill from another table; its folder may have a new node. */
  copy(table: SkillTable, row: number, node: number): void {
    const start = table.#number(row, OFFSET);
    const length = DIGEST_BYTES + table.#number(row, LENGTH);
    const at = this.#addRow(table.name(row), table.gating(row), length) * COLUMNS;
    const numbers = this.#numbers;
    const [offset, gating] = [numbers[at + OFFSET] ?? 0, numbers[at + GATING] ?? -1];
    numbers.set(table.#numbers.subarray(row * COLUMNS, (row + 1) * COLUMNS), at);
    numbers[at + NODE] = node;
    numbers[at + OFFSET] = offset;
    numbers[at + GATING] = gating;
    table.#blob.copy(this.#blob, offset, start, start + length);
  }

  node(row: number): number {
    return this.#number(row, NODE);
  }

  name(row: number): string {
    return this.#names[row] || (this.#folders[this.node(row)] ?? "");
  }

  bodyCharacters(row: number): number {
    return this.#number(row, BODY_CHARACTERS);
  }

  form(row: number): "header" | "outcome" {
    return this.#number(row, OUTCOME) === 1 ? "outcome" : "header";
  }

  digest(row: number): Digest {
    const at = this.#number(row, OFFSET);
    return this.#blob.toString("latin1", at, at + DIGEST_BYTES) as Digest;
  }

  content(row: number): Buffer {
    const at = this.#number(row, OFFSET) + DIGEST_BYTES;
    return this.#blob.subarray(at, at + this.#number(row, LENGTH));
  }

  /** Skills with equal requirements share one object, so that it is looked up once. */
  gating(row: number): Gating | undefined {
    return this.#gatings[this.#number(row, GATING)];
  }

  isUnchanged(row: number, file: Stats, settings: FileStamp | undefined): boolean {
    if (!this.#hasStamp(row, STAMP, stampOf(file))) return false;
    if (settings === undefined) return Number.isNaN(this.#number(row, SETTINGS_STAMP));
    return this.#hasStamp(row, SETTINGS_STAMP, settings);
  }

  /** The table for a cache; skills that changed after `settledBeforeMs` will be read again next time. */
  finish(folders: readonly string[], settledBeforeMs: number): KeptTable {
    for (const [row, content] of this.#outcomes)
      this.#writeOutcome(row, Buffer.from(JSON.stringify(content)));
    const numbers = this.#numbers.subarray(0, this.count * COLUMNS);
    // Absent settings have NaN, which is not later than anything.
    const isLate = (at: number): boolean =>
      (numbers[at + 1] ?? 0) >= settledBeforeMs || (numbers[at + 2] ?? 0) >= settledBeforeMs;
    for (let at = 0; at < numbers.length; at += COLUMNS)
      if (isLate(at + STAMP) || isLate(at + SETTINGS_STAMP)) numbers[at + STAMP] = Number.NaN;
    const names = this.#names.map((name, row) => (name === folders[this.node(row)] ? 0 : name));
    return { names, gatings: this.#gatings, numbers, blob: this.#blob.subarray(0, this.#length) };
  }

  #addRow(name: string, gating: Gating | undefined, bytes: number): number {
    const row = this.#names.push(name) - 1;
    const at = row * COLUMNS;
    if (at + COLUMNS > this.#numbers.length) {
      const larger = new Float64Array(this.#numbers.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[at + OFFSET] = this.#reserve(bytes);
    this.#numbers[at + GATING] = gating === undefined ? -1 : this.#intern(gating);
    return row;
  }

  #writeOutcome(row: number, content: Buffer): void {
    const from = this.#number(row, OFFSET);
    const to = this.#reserve(DIGEST_BYTES + content.length);
    this.#blob.copy(this.#blob, to, from, from + DIGEST_BYTES);
    content.copy(this.#blob, to + DIGEST_BYTES);
    this.#numbers[row * COLUMNS + OFFSET] = to;
    this.#numbers[row * COLUMNS + LENGTH] = content.length;
  }

  #reserve(bytes: number): number {
    const start = this.#length;
    const end = start + bytes;
    if (end > this.#blob.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, this.#blob.length * 2));
      this.#blob.copy(larger, 0, 0, start);
      this.#blob = larger;
    }
    this.#length = end;
    return start;
  }

  #intern(gating: Gating): number {
    const key = JSON.stringify(gating);
    const known = this.#gatingRows.get(key);
    if (known !== undefined) return known;
    this.#gatingRows.set(key, this.#gatings.length);
    return this.#gatings.push(gating) - 1;
  }

  #number(row: number, column: number): number {
    return this.#numbers[row * COLUMNS + column] ?? 0;
  }

  // NaN equals nothing, so a skill without a stamp is read again.
  #hasStamp(row: number, column: number, { size, modifiedMs, changedMs, inode }: FileStamp): boolean {
    const numbers = this.#numbers;
    const at = row * COLUMNS + column;
    return (
      numbers[at] === size &&
      numbers[at + 1] === modifiedMs &&
      numbers[at + 2] === changedMs &&
      numbers[at + 3] === inode
    );
  }
}

function writeStamp(numbers: Float64Array, at: number, stamp: FileStamp | undefined): void {
  numbers[at] = stamp?.size ?? Number.NaN;
  numbers[at + 1] = stamp?.modifiedMs ?? Number.NaN;
  numbers[at + 2] = stamp?.changedMs ?? Number.NaN;
  numbers[at + 3] = stamp?.inode ?? Number.NaN;
}
