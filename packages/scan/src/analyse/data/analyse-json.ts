import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { analyseData } from "./analyse-data.ts";
import { readJson } from "./read-json.ts";

/** Reads JSON, with comments or without, by its known shapes. */
export function analyseJson(source: SourceText): Analysis {
  return analyseData(source, readJson(source.text));
}
