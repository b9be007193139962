import { hostOf } from "../../host/classify-host.ts";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../fact-writer.ts";
import { readEscapes } from "../read-escapes.ts";
import { FactRecorder } from "./machine.ts";
import { traceStatements } from "./other/trace-statements.ts";
import { commandTexts } from "./perform-command.ts";

const MAX_LINE_CHARACTERS = 4_000;

/** Ruby, Perl, PHP, Go, Lua and the like have no parser here: data is followed by names from statement to statement. */
export function analyseOtherCode(source: SourceText): Analysis {
  const recorder = new FactRecorder(source);
  let from = 0;
  for (const line of source.text.split("\n")) {
    // Generated lines are read in pieces, which keeps every pattern within a bound.
    for (let at = 0; at < line.length; at += MAX_LINE_CHARACTERS)
      readLine(recorder, line.slice(at, at + MAX_LINE_CHARACTERS), from + at);
    from += line.length + 1;
  }
  traceStatements(source.text, source.file, recorder);
  return recorder.analysis;
}

function readLine(recorder: FactRecorder, line: string, from: number): void {
  if (/^\s*(?:#|\/\/|--|\*)/.test(line)) return;
  const span = { from, to: from + line.length };
  for (const command of [...calledCommands(line), ...quotedCommands(line)])
    recorder.text(span, command, "shell");
  const fetches = FETCHES.test(line);
  const url = fetches ? (/https?:\/\/[^\s"'`)<>]{1,400}/.exec(line)?.[0] ?? "*") : undefined;
  if (url !== undefined) recorder.act({ type: "fetch", url, host: hostOf(url) ?? "*" }, span);
}

const CALLS =
  /(?<![\w.>$:])(?:(?:Kernel\.)?system|os\.(?:system|popen)|subprocess\.\w{1,20}|child_process\.\w{1,20}|execSync|exec|popen|shell_exec|passthru|proc_open|spawn|os\.execute|io\.popen|exec\.Command|Command::new|IO\.popen|Open3\.\w{1,20}|do shell script|Process\.(?:run|start)|getRuntime\(\)\.exec)[ \t]{0,4}\(?[ \t]{0,4}\[?(?=["'])/g;

function calledCommands(line: string): readonly string[] {
  const commands: string[] = [];
  let read = 0;
  for (const match of line.matchAll(CALLS)) {
    const start = match.index + match[0].length;
    // Words that were read are not read again: a quote that never closes is looked at once.
    if (start < read) continue;
    const { words, end } = readWords(line, start);
    read = end;
    if (words.length === 1) commands.push(...words);
    else if (words.length > 1) commands.push(...commandTexts(words.map((text) => ({ text, taints: [] }))));
  }
  return commands.filter((command) => command.trim() !== "");
}

function readWords(line: string, start: number): { readonly words: readonly string[]; readonly end: number } {
  const words: string[] = [];
  let at = start;
  for (;;) {
    const quote = line[at];
    if (quote !== '"' && quote !== "'") return { words, end: at };
    let end = at + 1;
    while (end < line.length && line[end] !== quote) end += line[end] === "\\" ? 2 : 1;
    if (end >= line.length) return { words, end: line.length };
    words.push(readEscapes(line.slice(at + 1, end)));
    at = end + 1;
    const comma = /^[ \t]{0,8},[ \t]{0,8}/.exec(line.slice(at, at + 20));
    if (comma === null) return { words, end: at };
    at += comma[0].length;
  }
}

/** Backticks, `%x{…}` of Ruby and `qx{…}` of Perl. */
function quotedCommands(line: string): readonly string[] {
  return Array.from(line.matchAll(QUOTED), (match) => match[1] ?? match[2] ?? "").filter(
    (command) => command.trim() !== "",
  );
}

const QUOTED = /`([^`]{2,2000})`|(?:%x|\bqx)[{(|]([^{}()|]{1,2000})[})|]/g;

const FETCHES =
  /\b(?:Net::HTTP|URI\.open|open-uri|HTTParty|Faraday|LWP::Simple|LWP::UserAgent|HTTP::Tiny|curl_exec|curl_init|file_get_contents[ \t]{0,4}\([ \t]{0,4}["']https?:|http\.(?:Get|Post|NewRequest)|socket\.http|reqwest::|UrlFetchApp)/;
