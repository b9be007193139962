import type { TreeFile } from "@skillet/core";

/** One entry of an archive whose kind, size and mode are in order, and whose path nobody looked at yet. */
export type ArchivedEntry =
  | { readonly kind: "file"; readonly path: string; readonly file: TreeFile }
  | { readonly kind: "folder"; readonly path: string };
