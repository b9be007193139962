import type { FileKind } from "./file-kind.ts";

/** Whether a file was analysed, and if not whole, why. */
export interface FileCoverage {
  /** Relative to the skill; a member of an archive is `archive.zip!/member`. */
  readonly file: string;
  readonly kind: FileKind;
  readonly size: number;
  /** `partly`: something in it could not be parsed, unpacked or decoded; `unread`: nothing was looked at. */
  readonly state: "read" | "partly" | "unread";
  readonly reason?: string;
}
