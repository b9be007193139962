import type { FileStamp } from "@skillet/kit/files";

/** The numbers a skill takes in a cache: its folder in the memo, then these columns. */
export const STAMP = 1;
export const COMPANION = 5;
export const BODY_CHARACTERS = 9;
export const KIND = 10;
export const OFFSET = 11;
export const LENGTH = 12;
export const GATING_LENGTH = 13;
export const COLUMNS = 14;

/** Hexadecimal, in front of each skill's bytes. */
export const DIGEST_CHARACTERS = 64;

/** A header is kept as it was, and whether it has faults of its own; an outcome is manifest and diagnostics as JSON. */
export const KIND_FAULTLESS_HEADER = 0;
export const KIND_HEADER = 1;
export const KIND_OUTCOME = 2;

/** The part of a cache file that is JSON. */
export interface CacheHead {
  /** Of the code that wrote it: another parser may read the same header differently. */
  readonly code: string;
  readonly folders: readonly string[];
  /** Names that differ from their folder's, else 0. */
  readonly skills: readonly (string | 0)[];
}

/** Whether four numbers are those of a stamp; none at all is NaN. */
export function holdsStamp(numbers: ArrayLike<number>, at: number, stamp: FileStamp | undefined): boolean {
  if (stamp === undefined) return Number.isNaN(numbers[at]);
  return (
    numbers[at] === stamp.size &&
    numbers[at + 1] === stamp.modifiedMs &&
    numbers[at + 2] === stamp.changedMs &&
    numbers[at + 3] === stamp.inode
  );
}

/** The stamp that four numbers hold. */
export function readStamp(numbers: ArrayLike<number>, at: number): FileStamp {
  return {
    size: numbers[at] ?? 0,
    modifiedMs: numbers[at + 1] ?? 0,
    changedMs: numbers[at + 2] ?? 0,
    inode: numbers[at + 3] ?? 0,
  };
}
