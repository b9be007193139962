import { crontabCommands } from "@skillet/shell";
import type { Language } from "../../file/file-kind.ts";
import type { SourceText } from "../../text/source-text.ts";
import { type Analysis, NOTHING } from "../analyser.ts";
import { decodeEntities } from "../markdown/decode-entities.ts";
import { fetchedAndRun, sureCommandIn } from "./command-shape.ts";
import { stringAt } from "./data-node.ts";
import { DataWriter } from "./data-writer.ts";

/**
 * Hands on commands that stand in files of build tools, job schedulers and services as strings, elements and cells:
 * Gradle, CMake, Terraform, Jenkins, Maven, property lists, crontabs. Only what can be nothing but a command counts.
 */
export function analyseEmbeddedCommands(source: SourceText): Analysis {
  const base = source.file.slice(source.file.lastIndexOf("/") + 1).toLowerCase();
  const isNamed = namedFormatCommand(base, "") !== undefined;
  const isSearched = SEARCHED.has(source.language) || /\.hta$/.test(base);
  if (!isNamed && !(isSearched && COMMAND_WORD.test(source.text))) return NOTHING;
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
  return writer.analysis;
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
  if (language === "xml") return decodeEntities(text);
  return text
    .replace(/\\(["'])/g, "$1")
    .replaceAll("\\n", "\n")
    .replaceAll('""', '"');
}

function add(writer: DataWriter, command: string, start: number): void {
  if (command.trim() === "") return;
  const { language, text } = commandText(command);
  writer.text(language, stringAt(text, start));
}

interface CommandText {
  readonly language: Extract<Language, "shell" | "powershell" | "batch">;
  readonly text: string;
}

export function commandText(command: string): CommandText {
  const powershell = POWERSHELL.exec(command)?.[1];
  if (powershell !== undefined) return { language: "powershell", text: unquoted(powershell) };
  const batch = BATCH.exec(command)?.[1];
  if (batch !== undefined) return { language: "batch", text: unquoted(batch) };
  return { language: /\|\s{0,4}iex\b/i.test(command) ? "powershell" : "shell", text: command };
}

const POWERSHELL =
  /^\s{0,20}(?:[\w.:%\\/-]{0,120}[\\/])?(?:powershell|pwsh)(?:\.exe)?\s{1,8}(?:-(?:w|windowstyle|ep|ex|exec|executionpolicy|version)\s{1,8}\w{1,20}\s{1,8}|-(?:nop|noprofile|noni|noninteractive|nologo|sta|mta)\s{1,8}){0,8}(?:-(?:c|command)\s{1,8})?([^\s-][\s\S]{3,20000})$/i;
const BATCH =
  /^\s{0,20}(?:[\w.:%\\/-]{0,120}[\\/])?cmd(?:\.exe)?\s{1,8}(?:\/[a-bd-z]\s{1,8}){0,4}\/c\s{1,8}([\s\S]{3,20000})$/i;

function unquoted(text: string): string {
  return /^(["'])([\s\S]*)\1\s*$/.exec(text)?.[2] ?? text;
}

/** The command on a line of a file whose name says that its lines hold some, empty where this one has none; undefined for any other file. */
function namedFormatCommand(base: string, line: string): string | undefined {
  const read = FORMATS.find(([name]) => name.test(base))?.[1];
  return read?.(line);
}

const FORMATS: readonly (readonly [RegExp, (line: string) => string])[] = [
  [/^crontab(?:\.txt)?$|\.(?:cron|crontab)$/, (line) => crontabCommands(line)[0] ?? ""],
  [/^procfile(?:\.[a-z]+)?$/, (line) => /^\s{0,8}[\w-]{1,60}:\s{0,20}(\S.*)$/.exec(line)?.[1] ?? ""],
  [
    /^(?:ssh_config|\.?ssh[-_.]config|[\w-]*\.ssh_config)$/,
    (line) =>
      /^\s{0,40}(?:proxycommand|localcommand|knownhostscommand|remotecommand|match\s{1,8}exec)[\s=]{1,8}(\S.*)$/i.exec(
        line,
      )?.[1] ?? "",
  ],
];
