import { join } from "node:path";

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
