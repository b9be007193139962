import { join } from "node:path";

/** How much a source may make Skillet do; reaching one is an error that names it. */
export interface HubLimits {
  /** Bytes of one download. */
  readonly maxDownloadBytes: number;
  /** Bytes of all files that are read from one source. */
  readonly maxUnpackedBytes: number;
  /** Bytes of one file. */
  readonly maxFileBytes: number;
  /** Files of one skill. */
  readonly maxSkillFiles: number;
  /** Bytes of one skill. */
  readonly maxSkillBytes: number;
  /** Names in one source. */
  readonly maxEntries: number;
  /** Unpacked bytes for each packed one, beyond the first MiB. */
  readonly maxRatio: number;
  /** Folders in folders. */
  readonly maxDepth: number;
  readonly maxRedirects: number;
  /** Bytes of memory of each process of git, where the system can bound it. */
  readonly maxGitMemoryBytes: number;
  /** Until the first byte of an answer, and between two of them. */
  readonly idleMs: number;
  /** One download or one git command, from start to end. */
  readonly deadlineMs: number;
}

export const DEFAULT_HUB_LIMITS: HubLimits = {
  maxDownloadBytes: 50 * 1024 * 1024,
  maxUnpackedBytes: 200 * 1024 * 1024,
  maxFileBytes: 16 * 1024 * 1024,
  maxSkillFiles: 2_000,
  maxSkillBytes: 64 * 1024 * 1024,
  maxEntries: 500_000,
  maxRatio: 200,
  maxDepth: 32,
  maxRedirects: 5,
  maxGitMemoryBytes: 512 * 1024 * 1024,
  idleMs: 30_000,
  deadlineMs: 300_000,
};

/** For whom skills are installed: a user, or everybody who works on a project. */
export type HubScope =
  | {
      readonly kind: "user";
      /** Skillet's own folder, which holds the lock. */
      readonly home: string;
      /** Where skills are placed. */
      readonly pluginsDirectory: string;
    }
  | { readonly kind: "project"; readonly root: string };

/** The folder of a scope's lock, which its targets are relative to. */
export function scopeRoot(scope: HubScope): string {
  return scope.kind === "user" ? scope.home : scope.root;
}

/** The lock of a scope. */
export function scopeLock(scope: HubScope): string {
  return scope.kind === "user" ? join(scope.home, "lock.json") : join(scope.root, "skillet.lock");
}
