import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import type { Siblings } from "../siblings.ts";
import { analyseProgram } from "./analyse-program.ts";

/** Reads Python: what it does, where data goes, and the commands and code that it holds as text. */
export function analysePython(source: SourceText, siblings?: Siblings): Analysis {
  return analyseProgram(source, siblings);
}
