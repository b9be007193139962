import type { SourceText, Stance } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { isSpecimenPath } from "./specimen-path.ts";

/** Hands on the sentences in the cells of a table that speak to whoever reads them, one item a row, on their own lines. */
export function analyseTable(source: SourceText): Analysis {
  if (!SPOKEN_TO.test(source.text)) return { facts: [], texts: [] };
  const [header = "", ...rows] = source.text.split("\n");
  const columns = header
    .slice(0, MAX_ROW_CHARACTERS)
    .split(/[,;\t|]/)
    .map((name) => name.trim().replaceAll('"', "").toLowerCase());
  const stance: Stance =
    isSpecimenPath(columns) || columns.some((name) => LABEL.test(name)) ? "quoted" : source.stance;
  const lines = [header, ...rows].map(spokenCells);
  if (lines.every((line) => line === "")) return { facts: [], texts: [] };
  return { facts: [], texts: [{ ...source, language: "markdown", text: lines.join("\n"), stance }] };
}

const MAX_ROW_CHARACTERS = 20_000;
/** Thousands of rows of ordinary data are not read as prose: only cells with a word that orders a machine about. */
const SPOKEN_TO =
  /\b(?:ignore|disregard|override|instructions?|system prompt|do not (?:tell|mention|inform)|secretly|silently|you must|assistant|credentials?|api keys?|id_(?:rsa|ed25519)|\.ssh|\.env|private key)\b/i;
/** A column that tells what its neighbours are: the rows are specimens of it. */
const LABEL =
  /^(?:labels?|class|category|is_?(?:injection|malicious|attack|spam)|severity|verdict|risk|threat|technique|cwe|cve|mitre|type of attack)$/;

function spokenCells(line: string): string {
  const row = line.slice(0, MAX_ROW_CHARACTERS);
  if (!SPOKEN_TO.test(row)) return "";
  const cells = Array.from(row.matchAll(CELL), (match) =>
    (match[1]?.replaceAll('""', '"') ?? match[2] ?? "").trim(),
  );
  const spoken = cells.filter((cell) => SENTENCE.test(cell.slice(0, 2_000)));
  return spoken.length === 0 ? "" : `- ${spoken.join(" ")}`;
}

const CELL = /"((?:[^"]|""){1,8000})"|([^",;\t|]{1,4000})/g;
const SENTENCE = /\S\s+\S+\s+\S+\s+\S/;
