import type { SourceText } from "../text/source-text.ts";

export interface Siblings {
  /** The text of a file by its path in the skill, if it is one that is text and not too long. */
  source(path: string): SourceText | undefined;
  /** The path of the only file with this name, wherever it lies. */
  named(name: string): string | undefined;
}
