import { posix } from "node:path";
import type { Program, QuietProgram } from "../model/call.ts";
import type { Source } from "../model/effect.ts";
import {
  concatenate,
  EMPTY,
  known,
  MAX_VALUE_CHARACTERS,
  mergeSources,
  sourcesOf,
  UNKNOWN,
  unknown,
  type Value,
} from "../model/value.ts";
import type { Column } from "../table/program-row.ts";

const echo: Program = ({ texts, words }) => {
  let first = 0;
  while (/^-[neE]+$/.test(texts[first] ?? "")) first++;
  const said = concatenate(words.slice(first), " ");
  const hasEscapes = texts.slice(0, first).some((text) => text.includes("e"));
  const printed = hasEscapes ? { ...said, text: readEscapes(said.text) } : said;
  const isEncoded = hasEscapes && said.isKnown && HIDING_ESCAPES.test(said.text);
  const sources = isEncoded ? mergeSources(printed.sources, [ESCAPED]) : printed.sources;
  return concatenate([{ ...printed, sources }, known("\n")]);
};

const printf: Program = ({ words, texts }, shell) => {
  if (texts[0] !== "-v") return formatPrintf(texts[0] === "--" ? words.slice(1) : words);
  shell.setVariable(texts[1] ?? "", formatPrintf(words.slice(2)));
  return EMPTY;
};

const setVariables: Program = ({ words, texts, program }, shell) => {
  if (texts.length === 0 || (texts.length === 1 && /^-[px]+$/.test(texts[0] ?? "")))
    return program === "local" ? EMPTY : WHOLE_ENVIRONMENT;
  for (const word of words) {
    const equals = word.text.indexOf("=");
    if (word.text.startsWith("-") || equals < 1) continue;
    const name = word.text.slice(0, equals);
    if (/^\w{1,100}$/.test(name)) shell.setVariable(name, { ...word, text: word.text.slice(equals + 1) });
  }
  return EMPTY;
};

const set: Program = ({ words, texts }, shell) => {
  const dashes = texts.indexOf("--");
  if (dashes !== -1) shell.setArguments(words.slice(dashes + 1));
  return texts.length === 0 ? WHOLE_ENVIRONMENT : EMPTY;
};

const unset: QuietProgram = (call, shell) => {
  // With `-f` it unsets a function of that name, not the variable.
  if (!call.has(/^-\w*f/)) for (const name of call.texts) shell.unsetVariable(name);
};

const alias: QuietProgram = ({ texts }, shell) => {
  for (const text of texts) {
    const equals = text.indexOf("=");
    if (equals > 0) shell.setAlias(text.slice(0, equals), text.slice(equals + 1));
    if (/\s--(?:dangerously-|yolo\b|full-auto\b|trust-all-tools\b)/.test(text))
      shell.effect({ type: "disable-protection", what: "approval", detail: `alias ${text}` });
  }
};

const read: QuietProgram = ({ texts, input }, shell) => {
  const value: Value = input === undefined ? unknown([{ type: "input" }]) : firstLine(input);
  const names = texts.filter((text) => /^[A-Za-z_]\w*$/.test(text));
  const pieces = names.length > 1 && value.isKnown ? value.text.trim().split(/\s+/) : undefined;
  for (const [index, name] of names.entries())
    shell.setVariable(name, pieces === undefined ? value : { ...value, text: pieces[index] ?? "" });
  if (names.length === 0) shell.setVariable("REPLY", value);
};

function firstLine(value: Value): Value {
  if (!value.isKnown) return value;
  const text = value.text.trim();
  // A loop reads one line per round, so all are possible; and seemingly empty output may not be empty.
  if (text === "" || text.includes("\n")) return unknown(value.sources, text || "*");
  return known(text, value.sources);
}

const mapfile: QuietProgram = ({ texts, input }, shell) => {
  const name = texts.findLast((text) => /^[A-Za-z_]\w*$/.test(text)) ?? "MAPFILE";
  shell.setVariable(name, input ?? UNKNOWN);
};

const source: Program = ({ words: [path], input }, shell) => {
  // fish reads its piped input.
  if (path === undefined) return input === undefined ? EMPTY : shell.runText(input, "source");
  if (/^\/dev\/(?:stdin|fd\/0)$/.test(path.text)) return shell.runText(input ?? UNKNOWN, "source");
  return shell.runScript(path, "source");
};

// `cd -P place`, `cd /d place`, `Set-Location -Path place`.
const changeDirectory: QuietProgram = ({ program, texts }, { files, home }) => {
  const path = texts.find((text) => text === "-" || !/^-|^\/d$/i.test(text));
  if (path === undefined) {
    if (program === "cd") files.enter(home);
  } else if (program.startsWith("push")) files.push(path);
  else files.enter(path);
};

const leaveDirectory: QuietProgram = (_call, { files }) => {
  files.pop();
};

/** `dirname path`: the folder of a known path. */
const parent: Program = (call) => {
  const path = call.words.at(-1);
  return path?.isKnown ? known(posix.dirname(path.text), path.sources) : call.passedOn;
};

const trap: QuietProgram = ({ words: [text] }, shell) => {
  if (text !== undefined && /\s/.test(text.text)) shell.runText(text, "trap");
};

export const WHOLE_ENVIRONMENT: Value = unknown([
  { type: "secret", secret: "whole-environment", name: "environment" },
]);

export const BUILTINS: Column<Program | QuietProgram> = {
  echo,
  printf,
  "export declare typeset readonly local": setVariables,
  set,
  unset,
  alias,
  read,
  "mapfile readarray": mapfile,
  eval: ({ words }, shell) => shell.runText(concatenate(words, " "), "eval"),
  "source .": source,
  "cd chdir set-location sl pushd push-location": changeDirectory,
  "popd pop-location": leaveDirectory,
  pwd: (_call, shell) => shell.variable("PWD") ?? UNKNOWN,
  "realpath readlink resolve-path": (call) => concatenate(call.operands, " "),
  "join-path": (call) => concatenate(call.operands, "/"),
  compgen: (call) => (call.has(/^-\w*[ev]$|^(?:export|variable)$/) ? WHOLE_ENVIRONMENT : UNKNOWN),
  trap,
  "history fc": () => unknown([{ type: "secret", secret: "shell-history", name: "history" }]),
  ls: ({ texts }) => unknown([], texts.filter((text) => /^[^-].*[*?[]|^[*?[]/.test(text)).join(" ") || "*"),
  basename: (call) => call.passedOn,
  dirname: parent,
  "test [ true false : sleep exit return which hash wait mkdir touch du df date kill shift break continue seq unalias":
    () => EMPTY,
};

const ESCAPED: Source = { type: "decoded", encoding: "escapes" };
// Several consecutive characters written by number: a text that is not meant to be read.
const HIDING_ESCAPES = /\\(?:x[0-9a-f]{2}|0?[0-7]{3}).{0,4}\\(?:x|0|[1-7])/i;

/** Expands escapes and inserts arguments; the format repeats while arguments are left. */
function formatPrintf(words: readonly Value[]): Value {
  const [format, ...rest] = words;
  if (format === undefined) return EMPTY;
  if (!words.every(({ isKnown }) => isKnown)) {
    const text = concatenate([{ ...format, text: readEscapes(format.text) }, ...rest], " ").text;
    return unknown(sourcesOf(words), text);
  }
  const sources = mergeSources(sourcesOf(words), HIDING_ESCAPES.test(format.text) ? [ESCAPED] : []);
  const pieces = readEscapes(format.text).split(/(%[-+ 0#]{0,5}\d{0,3}(?:\.\d{0,3})?[sdiubxXoqc%])/);
  const holes = pieces.filter((piece) => piece.startsWith("%") && piece.length > 1 && piece !== "%%").length;
  const out: string[] = [];
  let length = 0;
  let next = 0;
  do {
    for (const piece of pieces) {
      if (length > MAX_VALUE_CHARACTERS) return unknown(sources, out.join(""));
      if (piece === "%%") out.push("%");
      else if (piece.startsWith("%") && piece.length > 1) {
        const argument = rest[next++]?.text ?? "";
        length += argument.length;
        out.push(piece.endsWith("b") ? readEscapes(argument) : argument);
      } else out.push(piece);
    }
  } while (holes > 0 && next < rest.length && out.length < 10_000);
  return known(out.join(""), sources);
}

function readEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|0?([0-7]{1,3})|([abefnrtv\\"']))/g,
    (_whole, hex?: string, unicode?: string, octal?: string, letter?: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      return LETTERS.get(letter ?? "") ?? letter ?? "";
    },
  );
}

const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({ a: "\x07", b: "\b", e: "\x1b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }),
);
