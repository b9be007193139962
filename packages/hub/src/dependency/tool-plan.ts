import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";

/** How tools that skills need and this machine lacks would be installed; nothing has been done yet. */
export interface ToolPlan {
  readonly steps: readonly ToolStep[];
  /** What is missing and cannot be planned, and why. */
  readonly diagnostics: readonly Diagnostic[];
}

/** One tool for one skill. */
export type ToolStep = {
  readonly skill: string;
  /** For people, as the skill calls it; else what would be installed. */
  readonly label: string;
  /** Commands that are missing and that it should bring. */
  readonly bins: readonly string[];
  /** Where they will lie, when that is not a folder of PATH already. */
  readonly folder?: string;
} & (
  | {
      readonly kind: "brew" | "npm" | "uv" | "go";
      /** The program by its absolute path, and its arguments; no shell reads them. */
      readonly argv: readonly [program: string, ...args: readonly string[]];
    }
  | {
      readonly kind: "download";
      readonly url: string;
      /** Of the downloaded bytes; absent: nobody says what they should be. */
      readonly digest?: Digest;
      /** The file to write, or the folder to unpack into. */
      readonly path: string;
      readonly unpack: boolean;
    }
);

/** What became of one step. */
export interface ToolResult {
  readonly step: ToolStep;
  readonly outcome: "installed" | "declined" | "failed";
  /** The end of what the program said, or why nothing was done. */
  readonly reason?: string;
}
