import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { analyseData } from "./analyse-data.ts";
import { readPairs } from "./read-pairs.ts";

/** Reads INI files, `.env`, `.npmrc` and unit files by their known names. */
export function analyseIni(source: SourceText): Analysis {
  return analyseData(source, readPairs(source.text));
}
