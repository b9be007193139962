import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Gating, Manifest } from "../../format/manifest.ts";

/** One skill of one source, before names, precedence and state are decided. */
export interface ScannedSkill {
  readonly folder: string;
  readonly file: string;
  /** Identity: two skills with one canonical file are the same skill. */
  readonly canonicalFile: string;
  readonly name: string;
  readonly bodyCharacters: number;
  readonly digest: Digest;
  readonly settingsDigest: Digest | undefined;
  readonly manifest: Manifest;
  readonly isCommand: boolean;
  /** Absent when the skill asks for nothing, which spares most skills the look-ups. */
  readonly gating: Gating | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** What scanning one source gave. */
export interface SourceScan {
  readonly skills: readonly ScannedSkill[];
  /** Of traversal, and of files that could not be loaded. */
  readonly diagnostics: readonly Diagnostic[];
  readonly failed: number;
  /** False when nothing in it can have been reached by two ways. */
  readonly followedLinks: boolean;
  readonly plugins: readonly { readonly path: string; readonly manifest: string }[];
}
