import { join } from "node:path";

/** Bounds on what a source may make Skillet do; the error for exceeding one names it. */
export interface HubLimits {
  readonly maxDownloadBytes: number;
  readonly maxUnpackedBytes: number;
  readonly maxFileBytes: number;
  readonly maxSkillFiles: number;
  readonly maxSkillBytes: number;
  readonly maxEntries: number;
  /** Unpacked bytes per packed byte, beyond the first MiB. */
  readonly maxRatio: number;
  readonly maxDepth: number;
  readonly maxRedirects: number;
  /** Memory of each git process, if the system can limit it. */
  readonly maxGitMemoryBytes: number;
  /** Until the first byte of a response, and between two of its bytes. */
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

/** Who skills are installed for: a user, or everyone who works on a project. */
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
