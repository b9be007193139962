/** Code longer than this is read as text, not parsed. */
export const MAX_PARSED_CHARACTERS: number = 2 * 1024 * 1024;

/** Bounds of one scan. Reaching one is reported in the coverage, and the verdict is then never safe. */
export interface ScanLimits {
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  readonly maxTotalBytes: number;
  /** Archives in archives, blobs in blobs. */
  readonly maxDepth: number;
  readonly maxUnpackedBytes: number;
  readonly maxArchiveEntries: number;
  readonly maxDerivedTexts: number;
  readonly maxFindings: number;
}

export const DEFAULT_SCAN_LIMITS: ScanLimits = {
  maxFileBytes: 16 * 1024 * 1024,
  maxFiles: 10_000,
  maxTotalBytes: 128 * 1024 * 1024,
  maxDepth: 4,
  maxUnpackedBytes: 64 * 1024 * 1024,
  maxArchiveEntries: 5_000,
  maxDerivedTexts: 2_000,
  maxFindings: 2_000,
};
