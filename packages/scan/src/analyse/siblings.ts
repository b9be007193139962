import type { SourceText } from "../text/source-text.ts";

export interface Siblings {
  source(path: string): SourceText | undefined;
  /** The path of the only file with this name, wherever it lies. */
  named(name: string): string | undefined;
}
