import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** One labelled skill of a set. */
export interface ManifestRow {
  readonly id: string;
  /** A folder or a file, relative to the root of the set. */
  readonly path: string;
  readonly label: "malicious" | "benign" | "benign-tricky";
  readonly stratum: string;
  /** Rows that are near copies of each other; never split between parts. */
  readonly group: string;
  /** The row that this one is a renamed copy of. */
  readonly twin?: string;
}

/** The part that rules were tuned on, or the one that nobody looked at. */
export type Part = "tune" | "held";

/** Reads a manifest, one JSON object a line; throws a TypeError that names the line. */
export function readManifest(file: string): readonly ManifestRow[] {
  return parseManifest(readFileSync(file, "utf8"));
}

/** The rows of a manifest's text. */
export function parseManifest(text: string): readonly ManifestRow[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const row = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const { id, path, label, stratum, group, pair, twin } = row;
    if (typeof id !== "string" || typeof path !== "string" || typeof stratum !== "string" || !isLabel(label))
      throw new TypeError(`Line ${index + 1} of the manifest has no id, path, label or stratum.`);
    return [
      {
        id,
        path,
        label,
        stratum,
        // An attack and its honest twin are one group.
        group: typeof group === "string" ? group : pair === undefined ? id : `pair ${pair}`,
        ...(typeof twin === "string" && { twin }),
      },
    ];
  });
}

/** In which part a group lies: a third of them, by hash, is held out. */
export function partOf(group: string): Part {
  const [first = 0] = createHash("sha256").update(`skillet-scan-split\n${group}`).digest();
  return first % 3 === 2 ? "held" : "tune";
}

function isLabel(label: unknown): label is ManifestRow["label"] {
  return label === "malicious" || label === "benign" || label === "benign-tricky";
}
