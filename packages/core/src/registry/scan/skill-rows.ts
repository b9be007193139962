import type { Digest } from "@skillet/kit/digest";
import type { FileStamp } from "@skillet/kit/files";
import type { Gating } from "../../format/manifest.ts";

/** Where the facts of skills lie that are described by a row and not by an object of their own. */
export interface SkillRows {
  name(row: number): string;
  bodyCharacters(row: number): number;
  kind(row: number): number;
  stamp(row: number): FileStamp;
  companion(row: number): FileStamp | undefined;
  digest(row: number): Digest;
  /** The header, or manifest and diagnostics as JSON; `kind` says which. */
  content(row: number): Uint8Array;
  gating(row: number): Gating | undefined;
}
