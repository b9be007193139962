import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { DataWriter } from "./data-writer.ts";
import { customIndex, isIndexOption, pythonRequirement } from "./python-requirement.ts";

/** Reads requirements and constraints of pip; any other text says nothing here. */
export function analyseRequirements(source: SourceText): Analysis {
  const base = source.file.slice(source.file.lastIndexOf("/") + 1).toLowerCase();
  if (!/^(?:[\w.-]*requirements?[\w.-]*|constraints[\w.-]*)\.(?:txt|in)$/.test(base))
    return { facts: [], texts: [] };
  const writer = new DataWriter(source);
  for (let start = 0; start < source.text.length; ) {
    const found = source.text.indexOf("\n", start);
    const end = found === -1 ? source.text.length : found;
    const line = source.text.slice(start, Math.min(end, start + MAX_LINE_CHARACTERS));
    const option = /^\s{0,20}(--?[a-z-]{1,30})[ =]\s{0,20}(\S{1,500})/.exec(line);
    const act =
      option !== null && isIndexOption(option[1] ?? "")
        ? customIndex("pip", option[1] ?? "", option[2] ?? "")
        : pythonRequirement(line);
    if (act !== undefined) writer.addAct(act, start, end);
    start = end + 1;
  }
  return writer.finish();
}

const MAX_LINE_CHARACTERS = 2_000;
