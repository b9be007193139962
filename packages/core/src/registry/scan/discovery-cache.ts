import { hash } from "node:crypto";
import type { Stats } from "node:fs";
import { join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import type { FileStamp } from "@skillet/kit/files";
import type { Gating } from "../../format/manifest.ts";
import { DirectoryMemo, MEMO_COLUMNS } from "../../source/local/directory-memo.ts";
import type { LocalSource } from "../../source/local/local-source.ts";
import { type CacheFile, readCacheFile } from "./cache-file.ts";
import {
  BODY_CHARACTERS,
  type CacheHead,
  COLUMNS,
  COMPANION,
  DIGEST_CHARACTERS,
  GATING_LENGTH,
  holdsStamp,
  KIND,
  LENGTH,
  OFFSET,
  readStamp,
  STAMP,
} from "./cache-layout.ts";
import { codeIdentity } from "./code-identity.ts";
import { readGating } from "./compact-gating.ts";
import type { SkillRows } from "./skill-rows.ts";

/** Where the cache of a root lies. Which links may be followed is not in its name: folders with links are never kept. */
export function cachePath(directory: string, source: LocalSource): string {
  const { canonicalRoot, root, layout, limits } = source;
  const key = JSON.stringify([canonicalRoot, root, layout, limits]);
  return join(directory, "discovery", `${hash("sha256", key, "hex").slice(0, 32)}.bin`);
}

/** Reads the cache of a root; `undefined` when there is none that can be used. */
export function readDiscoveryCache(path: string): DiscoveryCache | undefined {
  const file = readCacheFile<CacheHead>(path);
  return file === undefined || file.head.code !== codeIdentity() ? undefined : new DiscoveryCache(file);
}

/** What one scan of a root left for the next; skills are known by their row. */
export class DiscoveryCache implements SkillRows {
  readonly memo: DirectoryMemo;
  readonly #head: CacheHead;
  readonly #numbers: Float64Array;
  readonly #blob: Uint8Array;
  readonly #skillOfNode: Int32Array;
  readonly #start: number;
  readonly #gatings = new Map<string, Gating>();

  constructor({ head, numbers, blob }: CacheFile<CacheHead>) {
    this.#head = head;
    this.#numbers = numbers;
    this.#blob = blob;
    this.#start = head.folders.length * MEMO_COLUMNS;
    this.memo = new DirectoryMemo(head.folders, numbers.subarray(0, this.#start));
    this.#skillOfNode = new Int32Array(head.folders.length).fill(-1);
    for (let skill = 0; skill < head.skills.length; skill++)
      this.#skillOfNode[numbers[this.#start + skill * COLUMNS] ?? 0] = skill;
  }

  /** The row of the skill in a folder of the memo, or -1 unless its files still have these stamps. */
  find(node: number, stats: Stats, companion: FileStamp | undefined): number {
    const skill = this.#skillOfNode[node] ?? -1;
    if (skill < 0) return -1;
    const row = this.#start + skill * COLUMNS;
    const numbers = this.#numbers;
    const unchanged =
      numbers[row + STAMP] === stats.size &&
      numbers[row + STAMP + 1] === stats.mtimeMs &&
      numbers[row + STAMP + 2] === stats.ctimeMs &&
      numbers[row + STAMP + 3] === stats.ino;
    return unchanged && holdsStamp(numbers, row + COMPANION, companion) ? row : -1;
  }

  name(row: number): string {
    return this.#head.skills[(row - this.#start) / COLUMNS] || (this.memo.names[this.#number(row)] ?? "");
  }

  bodyCharacters(row: number): number {
    return this.#number(row + BODY_CHARACTERS);
  }

  kind(row: number): number {
    return this.#number(row + KIND);
  }

  stamp(row: number): FileStamp {
    return readStamp(this.#numbers, row + STAMP);
  }

  companion(row: number): FileStamp | undefined {
    return Number.isNaN(this.#number(row + COMPANION))
      ? undefined
      : readStamp(this.#numbers, row + COMPANION);
  }

  digest(row: number): Digest {
    return `sha256:${this.#bytes(row, 0, DIGEST_CHARACTERS).toString("latin1")}`;
  }

  content(row: number): Uint8Array {
    return this.#bytes(row, DIGEST_CHARACTERS, this.#number(row + LENGTH));
  }

  gating(row: number): Gating | undefined {
    const length = this.#number(row + GATING_LENGTH);
    if (length === 0) return undefined;
    // Libraries ask for the same commands again and again; one object for each wish also spares its look-up.
    const bytes = this.#bytes(row, DIGEST_CHARACTERS + this.#number(row + LENGTH), length);
    const key = bytes.toString("latin1");
    let gating = this.#gatings.get(key);
    if (gating === undefined) {
      gating = readGating(bytes.toString("utf8"));
      this.#gatings.set(key, gating);
    }
    return gating;
  }

  #number(at: number): number {
    return this.#numbers[at] ?? 0;
  }

  #bytes(row: number, from: number, length: number): Buffer {
    return Buffer.from(this.#blob.buffer, this.#blob.byteOffset + this.#number(row + OFFSET) + from, length);
  }
}
