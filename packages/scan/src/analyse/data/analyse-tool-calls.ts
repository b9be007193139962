import { isLanguage, kindByName, type Language } from "../../file/file-kind.ts";
import type { SourceText } from "../../text/source-text.ts";
import { type Analysis, NOTHING, writeActs } from "../fact-writer.ts";
import { type DataScalar, DataWriter } from "./data-node.ts";
import { ValueScanner } from "./value-scanner.ts";

/** The model itself makes these calls, so a text that one writes counts as a file of that name. */
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
    if (path !== undefined && content !== undefined) addWrite(writer, path.text, content, match.index);
  }
  return writer.analysis;
}

const MAX_CALLS = 200;
const CALL_WORD = /(?:write|create|edit|save|append|update|overwrite|replace)_?(?:to_?)?(?:text_?)?file/i;
const WRITING_CALL =
  /\b(?:fs_?)?(?:write|create|edit|save|append|update|overwrite|replace)_?(?:to_?)?(?:text_?)?file\s{0,4}\(/gi;
const PATH_NAME = /^(?:path|file|file_?path|file_?name|target|target_?file)$/i;
const OLD_NAME = /^old/i;

function addWrite(writer: DataWriter, path: string, content: CallText, from: number): void {
  if (path.length > MAX_PATH_CHARACTERS || /\s/.test(path)) return;
  for (const act of writeActs(path, content.text, false)) writer.act(act, { ...content, from });
  const { source } = writer;
  writer.texts.push({
    ...source,
    language: languageOf(path),
    text: content.text,
    firstLine: writer.lineOf(content.from),
    keepsLines: source.keepsLines && source.text.slice(content.from, content.to).includes(content.text),
  });
}

const MAX_PATH_CHARACTERS = 300;

function languageOf(path: string): Language {
  const kind = kindByName(path);
  return kind !== undefined && isLanguage(kind) ? kind : "text";
}

interface CallText extends DataScalar {
  readonly name: string;
}

/** The named texts among a call's arguments, up to the first argument that is not a text. */
function readCallTexts(
  source: string,
  from: number,
): { readonly texts: readonly CallText[]; readonly end: number } {
  const texts: CallText[] = [];
  const scanner = new ValueScanner(source, { singleQuotes: "escaped" });
  scanner.at = from;
  const skip = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = scanner.at;
    const match = pattern.exec(source);
    scanner.at += match?.[0].length ?? 0;
    return match;
  };
  while (texts.length < MAX_ARGUMENTS) {
    skip(SEPARATOR);
    const name = skip(NAME)?.[1] ?? "";
    skip(PREFIX);
    if (!/["'`]/.test(source.charAt(scanner.at))) break;
    const scalar = scanner.readString();
    if (scanner.fault !== undefined) break;
    texts.push({ ...scalar, name });
  }
  return { texts, end: scanner.at };
}

const MAX_ARGUMENTS = 8;
const SEPARATOR = /[\s,{]{0,200}/y;
const NAME = /["']?([A-Za-z_]\w{0,30})["']?\s{0,4}[:=]\s{0,4}/y;
const PREFIX = /[rRbBfFuU]{0,2}(?=["'`])/y;
