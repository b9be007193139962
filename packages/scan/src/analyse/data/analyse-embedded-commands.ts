import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { fetchedAndRun, sureCommandIn } from "./command-shape.ts";
import { commandText } from "./command-text.ts";
import type { DataScalar } from "./data-node.ts";
import { DataWriter } from "./data-writer.ts";
import { namedFormatCommand } from "./named-format-command.ts";

/**
 * Hands on commands that stand in files of build tools, job schedulers and services as strings, elements and cells:
 * Gradle, CMake, Terraform, Jenkins, Maven, property lists, crontabs. Only what can be nothing but a command counts.
 */
export function analyseEmbeddedCommands(source: SourceText): Analysis {
  const base = source.file.slice(source.file.lastIndexOf("/") + 1).toLowerCase();
  const isNamed = namedFormatCommand(base, "") !== undefined;
  const isSearched = SEARCHED.has(source.language) || /\.hta$/.test(base);
  if (!isNamed && !(isSearched && COMMAND_WORD.test(source.text))) return { facts: [], texts: [] };
  const writer = new DataWriter(source);
  for (let start = 0; start < source.text.length; ) {
    const found = source.text.indexOf("\n", start);
    const end = found === -1 ? source.text.length : found;
    for (let at = start; at < end; at += MAX_LINE_CHARACTERS) {
      const line = source.text.slice(at, Math.min(end, at + MAX_LINE_CHARACTERS));
      const own = isNamed ? namedFormatCommand(base, line) : undefined;
      if (own !== undefined) add(writer, own, at);
      else if (isSearched) readLine(writer, line, at);
    }
    start = end + 1;
  }
  return writer.finish();
}

const SEARCHED: ReadonlySet<SourceText["language"]> = new Set(["code", "xml", "csv"]);
const COMMAND_WORD =
  /\b(?:curl|wget|iwr|irm|invoke-|(?:ba|z|da|k)?sh\b|python|node|perl|ruby|php|powershell|pwsh|osascript|nc\b|ncat)/i;
const MAX_LINE_CHARACTERS = 4_000;
const REMARK = /^\s{0,80}(?:#|\/\/|\/?\*|;|%|--|<!--|rem\s)/i;

function readLine(writer: DataWriter, line: string, start: number): void {
  if (!COMMAND_WORD.test(line)) return;
  const { language } = writer.source;
  if (language === "code" && REMARK.test(line)) return;
  let count = 0;
  for (const match of line.matchAll(QUOTED)) {
    const text = sureCommandIn(plain(match[1] ?? match[2] ?? match[3] ?? "", language));
    if (text === undefined) continue;
    add(writer, text, start + match.index);
    count++;
  }
  const piped = count === 0 ? fetchedAndRun(plain(line, language)) : undefined;
  if (piped !== undefined) add(writer, piped, start);
}

const QUOTED = /"((?:[^"\\]|\\.|""){8,2000})"|'((?:[^'\\]|\\.){8,2000})'|>([^<>]{8,2000})</g;

function plain(text: string, language: SourceText["language"]): string {
  if (language !== "xml")
    return text
      .replace(/\\(["'])/g, "$1")
      .replaceAll("\\n", "\n")
      .replaceAll('""', '"');
  return text
    .replace(/&(quot|#34|#x22);/gi, '"')
    .replace(/&(apos|#39|#x27);/gi, "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

function add(writer: DataWriter, command: string, start: number): void {
  if (command.trim() === "") return;
  const { language, text } = commandText(command);
  const scalar: DataScalar = {
    kind: "scalar",
    text,
    isString: true,
    start,
    end: start + text.length,
    isBlock: false,
  };
  writer.addText(language, scalar);
}
