import type { BlobSigns } from "./blob-signs.ts";

/** Something in a text that reads as encoded. */
export interface Blob {
  /** Where it begins and ends in the text. */
  readonly offset: number;
  readonly end: number;
  /** Such as `base64`. */
  readonly encoding: string;
  readonly bytes: Uint8Array;
}

/** Finds blobs of one family of encodings in a text, whose signs tell whether a search pays. */
export type BlobFinder = (text: string, signs: BlobSigns) => Iterable<Blob>;
