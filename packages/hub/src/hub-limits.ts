import { join } from "node:path";

/** How much a source may make Skillet do; reaching one is an error that names it. */
export interface HubLimits {
  readonly maxDownloadBytes: number;
  readonly maxUnpackedBytes: number;
  readonly maxFileBytes: number;
  readonly maxSkillFiles: number;
  readonly maxSkillBytes: number;
  readonly maxEntries: number;
  /** Unpacked bytes for each packed one, beyond the first MiB. */
  readonly maxRatio: number;
  readonly maxDepth: number;
  readonly maxRedirects: number;
  /** Bytes of memory of each process of git, where the system can bound it. */
  readonly maxGitMemoryBytes: number;
  /** Until the first byte of an answer, and between two of them. */
  readonly idleMs: number;
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

/** For whom skills are installed: a user, or everyone who works on a project. */
export type HubScope =
  | {
      readonly kind: "user";
      readonly home: string;
      readonly pluginsDirectory: string;
    }
  | { readonly kind: "project"; readonly root: string };

export function scopeRoot(scope: HubScope): string {
  return scope.kind === "user" ? scope.home : scope.root;
}

export function scopeLock(scope: HubScope): string {
  return scope.kind === "user" ? join(scope.home, "lock.json") : join(scope.root, "skillet.lock");
}
