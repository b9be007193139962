import { fieldOf, parseJson } from "@skillet/kit/json";
import type { Segment, SegmentPattern } from "./segment.ts";

/** The arrays of a segment, in the order in which an index has them. */
export const ARRAYS: {
  readonly termUnits: Uint16ArrayConstructor;
  readonly termStarts: Uint32ArrayConstructor;
  readonly termSlots: Int32ArrayConstructor;
  readonly headerCounts: Uint32ArrayConstructor;
  readonly postingStarts: Uint32ArrayConstructor;
  readonly postingSkills: Uint16ArrayConstructor;
  readonly postingWeights: Uint8ArrayConstructor;
  readonly clauseStarts: Uint32ArrayConstructor;
  readonly clauseTerms: Uint32ArrayConstructor;
  readonly gramStarts: Uint32ArrayConstructor;
  readonly grams: Uint32ArrayConstructor;
} = {
  termUnits: Uint16Array,
  termStarts: Uint32Array,
  termSlots: Int32Array,
  headerCounts: Uint32Array,
  postingStarts: Uint32Array,
  postingSkills: Uint16Array,
  postingWeights: Uint8Array,
  clauseStarts: Uint32Array,
  clauseTerms: Uint32Array,
  gramStarts: Uint32Array,
  grams: Uint32Array,
};

export type ArrayName = keyof typeof ARRAYS;
export const ARRAY_NAMES: readonly ArrayName[] = Object.keys(ARRAYS) as ArrayName[];

/** What stands before the arrays of an index. */
export interface IndexHead {
  readonly segments: readonly {
    readonly keys: readonly string[];
    readonly patterns: readonly SegmentPattern[];
    /** How many numbers each array has. */
    readonly lengths: readonly number[];
  }[];
}

const ALIGNMENT = 8;

/** The room of an array: views of numbers must begin at a multiple of their size. */
export function padded(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

/** The head that a text says, if all that it promises is there: whoever can write the file can write its checksum. */
export function parseHead(text: string, arrayBytes: number): IndexHead | undefined {
  const head = parseJson(text);
  const segments = fieldOf(head, "segments");
  if (!Array.isArray(segments) || !segments.every(isSegmentHead)) return undefined;
  const promised = segments.flatMap(({ lengths }) =>
    ARRAY_NAMES.map((name, at) => padded((lengths[at] ?? 0) * ARRAYS[name].BYTES_PER_ELEMENT)),
  );
  return promised.reduce((sum, bytes) => sum + bytes, 0) === arrayBytes ? { segments } : undefined;
}

/** Whether the arrays of a segment fit each other, so that no look-up runs out of one or for ever. */
export function isWhole(segment: Segment): boolean {
  const { keys, termSlots, headerCounts, postingStarts, postingSkills, postingWeights } = segment;
  const slots = termSlots.length;
  return (
    [segment.termStarts, postingStarts, segment.gramStarts].every(
      ({ length }) => length === headerCounts.length + 1,
    ) &&
    segment.clauseStarts.length === keys.length + 1 &&
    (slots & (slots - 1)) === 0 &&
    // A search for a term ends at a free slot.
    termSlots.includes(-1) &&
    postingSkills.length === postingWeights.length &&
    isAscending(segment.termStarts, segment.termUnits.length) &&
    isAscending(postingStarts, postingSkills.length) &&
    isAscending(segment.clauseStarts, segment.clauseTerms.length) &&
    isAscending(segment.gramStarts, segment.grams.length)
  );
}

function isSegmentHead(value: unknown): value is IndexHead["segments"][number] {
  const keys = fieldOf(value, "keys");
  const patterns = fieldOf(value, "patterns");
  const lengths = fieldOf(value, "lengths");
  return (
    Array.isArray(keys) &&
    keys.every((key) => typeof key === "string") &&
    Array.isArray(lengths) &&
    lengths.length === ARRAY_NAMES.length &&
    lengths.every((length) => Number.isSafeInteger(length) && length >= 0) &&
    Array.isArray(patterns) &&
    patterns.every((pattern) => {
      const skill = fieldOf(pattern, "skill");
      const isPlaced = Number.isSafeInteger(skill) && (skill as number) >= 0;
      return isPlaced && (skill as number) < keys.length && typeof fieldOf(pattern, "source") === "string";
    })
  );
}

function isAscending(starts: Uint32Array, last: number): boolean {
  for (let at = 1; at < starts.length; at += 1)
    if ((starts[at] as number) < (starts[at - 1] as number)) return false;
  return starts[0] === 0 && starts[starts.length - 1] === last;
}
