import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { analyseData } from "./analyse-data.ts";
import { readToml } from "./read-toml.ts";

/** Reads TOML by its known shapes. */
export function analyseToml(source: SourceText): Analysis {
  return analyseData(source, readToml(source.text));
}
