import type { Digest } from "@skillet/kit/digest";
import type { FileStamp } from "@skillet/kit/files";
import type { Gating } from "../../format/manifest.ts";
import type { SkimmedSkill } from "../../format/skim-skill-bytes.ts";
import type { DirectoryMemo } from "../../source/local/directory-memo.ts";
import { writeCacheFile } from "./cache-file.ts";
import {
  BODY_CHARACTERS,
  type CacheHead,
  COLUMNS,
  COMPANION,
  DIGEST_CHARACTERS,
  GATING_LENGTH,
  KIND,
  KIND_FAULTLESS_HEADER,
  KIND_HEADER,
  KIND_OUTCOME,
  LENGTH,
  OFFSET,
  readStamp,
  STAMP,
} from "./cache-layout.ts";
import type { CachedSkill } from "./cached-skill.ts";
import { codeIdentity } from "./code-identity.ts";
import { writeGating } from "./compact-gating.ts";
import { hasRequirements } from "./has-requirements.ts";
import { headerLength } from "./header-length.ts";
import type { ScannedSkill } from "./scanned-skill.ts";
import type { SkillRows } from "./skill-rows.ts";

/** Where and when a skill was just read. */
export interface ReadingPlace {
  /** SKILL.md, valid during the call only. */
  readonly bytes: Buffer;
  readonly node: number;
  readonly stamp: FileStamp;
  readonly companion: FileStamp | undefined;
}

/** A skill that was read and parsed whole. */
export interface FreshSkill extends ReadingPlace {
  readonly skill: ScannedSkill;
}

const FIRST_BLOB_BYTES = 64 * 1024;

// Faults that the header has by itself: the same header gives them again. Any other may have come from the body.
const HEADER_FAULTS: ReadonlySet<string> = new Set([
  "flow-style",
  "name-directory-mismatch",
  "unquoted-colon",
]);

const FIRST_ROWS = 256;

/** Collects what a scan reads: rows of numbers and one growing buffer instead of an object a skill. */
export class CacheWriter implements SkillRows {
  readonly #names: string[] = [];
  readonly #gatings: (Gating | undefined)[] = [];
  #rows: Float64Array = new Float64Array(FIRST_ROWS * COLUMNS);
  #blob: Buffer = Buffer.allocUnsafe(FIRST_BLOB_BYTES);
  #length = 0;

  /** Takes a skill that its header alone describes, and returns its row. */
  addSkimmed(skimmed: SkimmedSkill, place: ReadingPlace, digest: Digest): number {
    // Named one by one: spreading objects here takes as long as hashing the file.
    const { name, bodyCharacters } = skimmed;
    const gating = hasRequirements(skimmed.gating) ? skimmed.gating : undefined;
    const row = this.#addRow({ name, bodyCharacters, gating }, place.node, place);
    this.#rows[row + KIND] = skimmed.isFaultless ? KIND_FAULTLESS_HEADER : KIND_HEADER;
    this.#addContent(row, { digest, gating }, place.bytes, skimmed.headerBytes);
    return row;
  }

  /** Keeps a header as it is when it says all by itself; otherwise the parse's outcome. */
  addFresh({ skill, bytes, node, stamp, companion }: FreshSkill): void {
    const length = companion === undefined && isHeaderAlone(skill) ? headerLength(bytes) : 0;
    const row = this.#addRow(skill, node, { stamp, companion });
    const { manifest, diagnostics, settingsDigest } = skill;
    this.#rows[row + KIND] =
      length === 0 ? KIND_OUTCOME : diagnostics.length === 0 ? KIND_FAULTLESS_HEADER : KIND_HEADER;
    const content =
      length > 0 ? bytes : Buffer.from(JSON.stringify({ manifest, diagnostics, settingsDigest }));
    this.#addContent(row, skill, content, length > 0 ? length : content.length);
  }

  /** Carries over what an earlier cache kept. */
  addCached(skill: CachedSkill): void {
    const row = this.#addRow(skill, skill.node, skill);
    this.#rows[row + KIND] = skill.cacheKind;
    const content = skill.content();
    this.#addContent(row, skill, content, content.length);
  }

  name(row: number): string {
    return this.#names[row / COLUMNS] ?? "";
  }

  bodyCharacters(row: number): number {
    return this.#number(row + BODY_CHARACTERS);
  }

  kind(row: number): number {
    return this.#number(row + KIND);
  }

  stamp(row: number): FileStamp {
    return readStamp(this.#rows, row + STAMP);
  }

  companion(row: number): FileStamp | undefined {
    return Number.isNaN(this.#number(row + COMPANION)) ? undefined : readStamp(this.#rows, row + COMPANION);
  }

  digest(row: number): Digest {
    const at = this.#number(row + OFFSET);
    return `sha256:${this.#blob.toString("latin1", at, at + DIGEST_CHARACTERS)}`;
  }

  content(row: number): Uint8Array {
    const at = this.#number(row + OFFSET) + DIGEST_CHARACTERS;
    return this.#blob.subarray(at, at + this.#number(row + LENGTH));
  }

  gating(row: number): Gating | undefined {
    return this.#gatings[row / COLUMNS];
  }

  /** Writes the file; skills changed after `settledBeforeMs` are read again next time. */
  write(path: string, memo: DirectoryMemo, settledBeforeMs: number): void {
    const rows = this.#rows.subarray(0, this.#names.length * COLUMNS);
    for (let row = 0; row < rows.length; row += COLUMNS)
      if (
        this.#changedMs(row + STAMP) >= settledBeforeMs ||
        this.#changedMs(row + COMPANION) >= settledBeforeMs
      )
        rows[row + STAMP] = Number.NaN;
    const numbers = new Float64Array(memo.rows.length + rows.length);
    numbers.set(memo.rows);
    numbers.set(rows, memo.rows.length);
    const skills = this.#names.map((name, index) =>
      name === memo.names[rows[index * COLUMNS] ?? 0] ? 0 : name,
    );
    const head: CacheHead = { code: codeIdentity(), folders: memo.names, skills };
    writeCacheFile(path, { head, numbers, blob: this.#blob.subarray(0, this.#length) });
  }

  #addRow(
    skill: Pick<ScannedSkill, "name" | "gating" | "bodyCharacters">,
    node: number,
    { stamp, companion }: Pick<ReadingPlace, "stamp" | "companion">,
  ): number {
    const row = this.#names.length * COLUMNS;
    if (row + COLUMNS > this.#rows.length) {
      const larger = new Float64Array(this.#rows.length * 2);
      larger.set(this.#rows);
      this.#rows = larger;
    }
    this.#names.push(skill.name);
    this.#gatings.push(skill.gating);
    this.#rows[row] = node;
    this.#setStamp(row + STAMP, stamp);
    this.#setStamp(row + COMPANION, companion);
    this.#rows[row + BODY_CHARACTERS] = skill.bodyCharacters;
    return row;
  }

  #setStamp(at: number, stamp: FileStamp | undefined): void {
    this.#rows[at] = stamp === undefined ? Number.NaN : stamp.size;
    this.#rows[at + 1] = stamp === undefined ? Number.NaN : stamp.modifiedMs;
    this.#rows[at + 2] = stamp === undefined ? Number.NaN : stamp.changedMs;
    this.#rows[at + 3] = stamp === undefined ? Number.NaN : stamp.inode;
  }

  #number(at: number): number {
    return this.#rows[at] ?? 0;
  }

  #addContent(
    row: number,
    skill: Pick<ScannedSkill, "digest" | "gating">,
    content: Uint8Array,
    length: number,
  ): void {
    const gating = skill.gating === undefined ? "" : writeGating(skill.gating);
    // Three bytes are the most that one UTF-16 unit takes.
    this.#reserve(DIGEST_CHARACTERS + length + gating.length * 3);
    this.#rows[row + OFFSET] = this.#length;
    this.#rows[row + LENGTH] = length;
    this.#length += this.#blob.write(skill.digest.slice("sha256:".length), this.#length, "latin1");
    this.#blob.set(length === content.length ? content : content.subarray(0, length), this.#length);
    this.#length += length;
    const gatingLength = gating === "" ? 0 : this.#blob.write(gating, this.#length, "utf8");
    this.#rows[row + GATING_LENGTH] = gatingLength;
    this.#length += gatingLength;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#blob.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#blob.length * 2));
    this.#blob.copy(larger, 0, 0, this.#length);
    this.#blob = larger;
  }

  #changedMs(at: number): number {
    return Math.max(this.#rows[at + 1] ?? 0, this.#rows[at + 2] ?? 0);
  }
}

function isHeaderAlone(skill: ScannedSkill): boolean {
  return skill.diagnostics.every(({ code }) => HEADER_FAULTS.has(code));
}
