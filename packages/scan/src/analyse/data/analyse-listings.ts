import { findSecrets } from "../../secret/find-secrets.ts";
import { linesOf, type SourceText, type Stance } from "../../text/source-text.ts";
import { type Analysis, NOTHING } from "../fact-writer.ts";
import { isSpecimenPath } from "./command-shape.ts";
import { DataWriter, stringAt } from "./data-node.ts";
import { customIndex, isIndexOption, pythonRequirement } from "./read-dependencies.ts";

/** Passes on the sentences in a table's cells that address their reader, one item per row, with their own lines. */
export function analyseTable(source: SourceText): Analysis {
  if (!SPOKEN_TO.test(source.text)) return NOTHING;
  const [header = "", ...rows] = source.text.split("\n");
  const columns = header
    .slice(0, MAX_ROW_CHARACTERS)
    .split(/[,;\t|]/)
    .map((name) => name.trim().replaceAll('"', "").toLowerCase());
  const stance: Stance =
    isSpecimenPath(columns) || columns.some((name) => LABEL.test(name)) ? "quoted" : source.stance;
  const lines = [header, ...rows].map(spokenCells);
  if (lines.every((line) => line === "")) return NOTHING;
  return { facts: [], texts: [{ ...source, language: "markdown", text: lines.join("\n"), stance }] };
}

const MAX_ROW_CHARACTERS = 20_000;
/** Thousands of rows of ordinary data are not read as prose, only cells with a word that gives a machine orders. */
const SPOKEN_TO =
  /\b(?:ignore|disregard|override|instructions?|system prompt|do not (?:tell|mention|inform)|secretly|silently|you must|assistant|credentials?|api keys?|id_(?:rsa|ed25519)|\.ssh|\.env|private key)\b/i;
/** A column that classifies its neighbours: the rows are specimens. */
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

/** Reads promises in a script's remarks that it changes nothing. */
export function analysePromises(source: SourceText): Analysis {
  if (source.medium !== "script" || !PROMISE.test(source.text)) return NOTHING;
  const writer = new DataWriter(source);
  EVERY_PROMISE.lastIndex = 0;
  for (let found = 0; found < MAX_PROMISES; found++) {
    const match = EVERY_PROMISE.exec(source.text);
    if (match === null) break;
    if (!isRemark(source.text, match.index)) continue;
    writer.declare("read-only", match[0], stringAt(match[0], match.index));
  }
  return writer.analysis;
}

const MAX_PROMISES = 100;
const PROMISE =
  /\b(?:[Rr]ead[- ]only(?=[:,.;)\s]{0,3}(?:operation|function|mode|access|$|[-—:(]))|[Nn]o side[- ]effects|[Nn]othing is (?:ever )?(?:written|changed|deleted|modified)|[Mm]akes no changes|[Nn]ever (?:modifies|deletes|writes))\b/m;
const EVERY_PROMISE = new RegExp(PROMISE.source, "gm");

// Code that checks for `read-only` is not a promise; a remark starts its line, or follows a comment sign.
function isRemark(text: string, at: number): boolean {
  const start = Math.max(text.lastIndexOf("\n", at) + 1, at - MAX_BEFORE_CHARACTERS);
  const before = text.slice(start, at);
  return /^\s*(?:#|\/\/|\/?\*|"""|''')|\s(?:#|\/\/)\s/.test(before) && !/[=!]=/.test(before);
}

const MAX_BEFORE_CHARACTERS = 200;

export function analyseSecrets(source: SourceText): Analysis {
  const secrets = findSecrets(source.text);
  if (secrets.length === 0) return NOTHING;
  const writer = new DataWriter(source);
  for (const { start: from, end: to, provider, isPlaceholder, isPrivateKey } of secrets)
    writer.act({ type: "literal-secret", provider, isPlaceholder, isPrivateKey }, { from, to });
  return writer.analysis;
}

export function analyseRequirements(source: SourceText): Analysis {
  const base = source.file.slice(source.file.lastIndexOf("/") + 1).toLowerCase();
  if (!/^(?:[\w.-]*requirements?[\w.-]*|constraints[\w.-]*)\.(?:txt|in)$/.test(base)) return NOTHING;
  const writer = new DataWriter(source);
  for (const { line, start, end } of linesOf(source.text, MAX_LINE_CHARACTERS)) {
    const option = /^\s{0,20}(--?[a-z-]{1,30})[ =]\s{0,20}(\S{1,500})/.exec(line);
    const act =
      option !== null && isIndexOption(option[1] ?? "")
        ? customIndex("pip", option[1] ?? "", option[2] ?? "")
        : pythonRequirement(line);
    if (act !== undefined) writer.act(act, { from: start, to: end });
  }
  return writer.analysis;
}

const MAX_LINE_CHARACTERS = 2_000;
