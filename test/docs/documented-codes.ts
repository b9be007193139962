/** One row of a table of codes. */
export interface DocumentedCode {
  readonly code: string;
  readonly kind: "diagnostic" | "error";
  /** The other cells of the row. */
  readonly cells: readonly string[];
}

/** Reads the rows that begin with a code; those below the heading "Errors" are thrown, the others returned. */
export function readDocumentedCodes(text: string): readonly DocumentedCode[] {
  const rows: DocumentedCode[] = [];
  let kind: DocumentedCode["kind"] = "diagnostic";
  for (const line of text.split("\n")) {
    if (line.startsWith("## ")) kind = line === "## Errors" ? "error" : "diagnostic";
    const [, code, rest = ""] = /^\| `([a-z0-9-]+)` \|(.*)\|$/.exec(line) ?? [];
    if (code !== undefined)
      rows.push({ code, kind, cells: rest.split(/(?<!\\)\|/).map((cell) => cell.trim()) });
  }
  return rows;
}
