import { join } from "node:path";
import type { LocalSource } from "@skillet/core";

/** One skill to scan, or one file that was named alone, and how to read it. */
export interface ScanTarget {
  /** What the result is called: as the person typed it. */
  readonly path: string;
  readonly source: LocalSource;
  /** The skill's folder inside the source; `""` is the source itself. */
  readonly folder: string;
  /** The SKILL.md in that folder, or the one file that was named. */
  readonly file: string;
  readonly extent: "folder" | "file";
  readonly directoryName: string;
}

/** Where the file of a target really lies. */
export function targetFile({ source, folder, file }: ScanTarget): string {
  return join(source.canonicalRoot, folder, file);
}
