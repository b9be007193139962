import { canonicalPath } from "@skillet/kit/files";
import type { TrustedFolder, TrustStore } from "./trust-store.ts";

/** Whether a project folder is trusted, and what it held then; skills that came later are not covered. */
export type FolderTrust =
  | { readonly trusted: false; readonly root: string }
  | ({ readonly trusted: true } & TrustedFolder);

/** Looks a project folder up by its canonical path; neither its parents nor its git metadata count. */
export function trustOf(store: TrustStore, projectRoot: string): FolderTrust {
  const root = canonicalPath(projectRoot);
  const folder = store.folders.get(root);
  return folder === undefined ? { trusted: false, root } : { trusted: true, ...folder };
}
