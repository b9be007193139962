interface Import {
  readonly from: string;
  readonly to: string;
}

export function readSources(revision?: string): Map<string, string>;
export function countLines(
  sources: ReadonlyMap<string, string>,
): Record<string, Record<"lines" | "files", number>>;
export function readImports(sources: ReadonlyMap<string, string>): Import[];
export function findCycles(
  imports: readonly Import[],
): { folder: string; circle: string[]; upward: number }[];
