import { isLanguage, type Language } from "../../file/file-kind.ts";
import { kindByName } from "../../file/kind-by-name.ts";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { writeActs } from "../fact-writer.ts";
import { DataWriter } from "./data-writer.ts";

/** No interpreter runs them; the model does, so what they write counts as a file of that name. */
export function analyseToolCalls(source: SourceText): Analysis {
  if (!source.text.includes("(") || !CALL_WORD.test(source.text)) return NOTHING;
  const writer = new DataWriter(source);
  WRITING_CALL.lastIndex = 0;
  for (let calls = 0; calls < MAX_CALLS; calls++) {
    const match = WRITING_CALL.exec(source.text);
    if (match === null) break;
    const { texts, end } = readCallTexts(source.text, match.index + match[0].length);
    WRITING_CALL.lastIndex = Math.max(end, WRITING_CALL.lastIndex);
    const path = texts.find(({ name }) => PATH_NAME.test(name)) ?? texts[0];
    const content = texts.findLast((text) => text !== path && !OLD_NAME.test(text.name));
    if (path !== undefined && content !== undefined)
      addWrite(writer, { path: path.text, content, start: match.index });
  }
  return writer.analysis;
}

const NOTHING: Analysis = { facts: [], texts: [] };
const MAX_CALLS = 200;
const CALL_WORD = /(?:write|create|edit|save|append|update|overwrite|replace)_?(?:to_?)?(?:text_?)?file/i;
const WRITING_CALL =
  /\b(?:fs_?)?(?:write|create|edit|save|append|update|overwrite|replace)_?(?:to_?)?(?:text_?)?file\s{0,4}\(/gi;
const PATH_NAME = /^(?:path|file|file_?path|file_?name|target|target_?file)$/i;
const OLD_NAME = /^old/i;

function addWrite(
  writer: DataWriter,
  { path, content, start }: { readonly path: string; readonly content: CallText; readonly start: number },
): void {
  if (path.length > MAX_PATH_CHARACTERS || /\s/.test(path)) return;
  for (const act of writeActs(path, content.text, false)) writer.act(act, start, content.end);
  const { source } = writer;
  writer.texts.push({
    ...source,
    language: languageOf(path),
    text: content.text,
    firstLine: writer.lineOf(content.start),
    keepsLines: source.keepsLines && content.isPlain,
  });
}

const MAX_PATH_CHARACTERS = 300;

function languageOf(path: string): Language {
  const kind = kindByName(path);
  return kind !== undefined && isLanguage(kind) ? kind : "text";
}

interface CallText {
  readonly name: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether it stands there as it is, without escapes: its lines are lines of the document. */
  readonly isPlain: boolean;
}

function readCallTexts(
  source: string,
  from: number,
): { readonly texts: readonly CallText[]; readonly end: number } {
  const texts: CallText[] = [];
  let at = from;
  while (texts.length < MAX_ARGUMENTS) {
    SEPARATOR.lastIndex = at;
    at += SEPARATOR.exec(source)?.[0].length ?? 0;
    NAME.lastIndex = at;
    const name = NAME.exec(source);
    at += name?.[0].length ?? 0;
    const text = readText(source, at, name?.[1] ?? "");
    if (text === undefined) break;
    texts.push(text);
    at = text.end;
  }
  return { texts, end: at };
}

const MAX_ARGUMENTS = 8;
const SEPARATOR = /[\s,{]{0,200}/y;
const NAME = /["']?([A-Za-z_]\w{0,30})["']?\s{0,4}[:=]\s{0,4}/y;

function readText(source: string, at: number, name: string): CallText | undefined {
  PREFIX.lastIndex = at;
  const begin = at + (PREFIX.exec(source)?.[0].length ?? 0);
  const quote = QUOTES.find((candidate) => source.startsWith(candidate, begin));
  if (quote === undefined) return undefined;
  const start = begin + quote.length;
  const end =
    quote.length === 3 || quote === "`" ? source.indexOf(quote, start) : endOf(source, start, quote);
  if (end === -1) return undefined;
  const raw = source.slice(start, end);
  const isPlain = !raw.includes("\\");
  return { name, text: isPlain ? raw : decode(raw), start, end: end + quote.length, isPlain };
}

const PREFIX = /[rRbBfFuU]{0,2}(?=["'`])/y;
const QUOTES = ["'''", '"""', "```", '"', "'", "`"];

function endOf(source: string, start: number, quote: string): number {
  for (let at = start; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === "\\") at++;
    else if (character === quote) return at;
  }
  return -1;
}

function decode(raw: string): string {
  return raw.replaceAll(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g, (_, long, short, plain) => {
    const digits: string | undefined = long ?? short;
    if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
    return plain === "n" ? "\n" : plain === "t" ? "\t" : String(plain);
  });
}
