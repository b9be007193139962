import type { TreeEntry } from "@skillet/kit/digest";

/** One file of a skill with its bytes; a link's bytes are the text of its target. */
export interface TreeFile {
  /** Relative to the skill's folder, with `/`. */
  readonly path: string;
  readonly mode: TreeEntry["mode"];
  readonly bytes: Uint8Array;
}
