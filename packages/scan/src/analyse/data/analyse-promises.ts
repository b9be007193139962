import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { DataWriter } from "./data-writer.ts";

/** Reads what the remarks of a script promise of it: that it changes nothing. */
export function analysePromises(source: SourceText): Analysis {
  if (source.medium !== "script" || !PROMISE.test(source.text)) return NOTHING;
  const writer = new DataWriter(source);
  EVERY_PROMISE.lastIndex = 0;
  for (let found = 0; found < MAX_PROMISES; found++) {
    const match = EVERY_PROMISE.exec(source.text);
    if (match === null) break;
    if (!isRemark(source.text, match.index)) continue;
    writer.addDeclaration("read-only", match[0], match.index, match.index + match[0].length);
  }
  return writer.finish();
}

const NOTHING: Analysis = { facts: [], texts: [] };
const MAX_PROMISES = 100;
const PROMISE =
  /\b(?:[Rr]ead[- ]only(?=[:,.;)\s]{0,3}(?:operation|function|mode|access|$|[-—:(]))|[Nn]o side[- ]effects|[Nn]othing is (?:ever )?(?:written|changed|deleted|modified)|[Mm]akes no changes|[Nn]ever (?:modifies|deletes|writes))\b/m;
const EVERY_PROMISE = new RegExp(PROMISE.source, "gm");

// Code that checks for `read-only` is no promise; a remark begins its line, or stands behind a mark.
function isRemark(text: string, at: number): boolean {
  const start = Math.max(text.lastIndexOf("\n", at) + 1, at - MAX_BEFORE_CHARACTERS);
  const before = text.slice(start, at);
  return /^\s*(?:#|\/\/|\/?\*|"""|''')|\s(?:#|\/\/)\s/.test(before) && !/[=!]=/.test(before);
}

const MAX_BEFORE_CHARACTERS = 200;
