import { posix } from "node:path";
import type { Program } from "../model/call.ts";
import { named, passOn } from "../model/call.ts";
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

const echo: Program = ({ texts, words }) => {
  let first = 0;
  let hasEscapes = false;
  while (/^-[neE]+$/.test(texts[first] ?? "")) {
    if (texts[first]?.includes("e")) hasEscapes = true;
    first++;
  }
  const said = concatenate(words.slice(first), " ");
  const text = hasEscapes ? { ...said, text: readEscapes(said.text) } : said;
  const isEncoded =
    hasEscapes && said.isKnown && /\\(?:x[0-9a-f]{2}|0?[0-7]{3}).{0,4}\\(?:x|0|[1-7])/i.test(said.text);
  const marked = isEncoded
    ? { ...text, sources: mergeSources(text.sources, [{ type: "decoded" as const, encoding: "escapes" }]) }
    : text;
  return concatenate([marked, known("\n")]);
};

const printf: Program = ({ words, texts }, shell) => {
  if (texts[0] === "-v") {
    shell.setVariable(texts[1] ?? "", formatPrintf(words.slice(2)));
    return EMPTY;
  }
  return formatPrintf(texts[0] === "--" ? words.slice(1) : words);
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
  if (texts[0] === "+o" && texts[1] === "history")
    shell.effect({ type: "disable-protection", what: "history", detail: "set +o history" });
  return texts.length === 0 ? WHOLE_ENVIRONMENT : EMPTY;
};

const unset: Program = ({ texts }, shell) => {
  if (texts.some((text) => /^HIST(?:FILE|SIZE)$/.test(text)))
    shell.effect({ type: "disable-protection", what: "history", detail: `unset ${texts.join(" ")}` });
  // A function of that name, and the variable stays.
  if (texts.some((text) => /^-\w*f/.test(text))) return EMPTY;
  for (const name of texts) shell.unsetVariable(name);
  return EMPTY;
};

const alias: Program = ({ texts }, shell) => {
  for (const text of texts) {
    const equals = text.indexOf("=");
    if (equals > 0) shell.setAlias(text.slice(0, equals), text.slice(equals + 1));
  }
  return EMPTY;
};

const read: Program = ({ texts, input }, shell) => {
  const value: Value = input === undefined ? unknown([{ type: "input" }]) : firstLine(input);
  const names = texts.filter((text) => /^[A-Za-z_]\w*$/.test(text));
  const pieces = names.length > 1 && value.isKnown ? value.text.trim().split(/\s+/) : undefined;
  for (const [index, name] of names.entries())
    shell.setVariable(name, pieces === undefined ? value : { ...value, text: pieces[index] ?? "" });
  if (names.length === 0) shell.setVariable("REPLY", value);
  return EMPTY;
};

function firstLine(value: Value): Value {
  if (!value.isKnown) return value;
  const lines = value.text.trim().split("\n", 2);
  // A loop reads all of them, one a round.
  return lines.length === 1
    ? known(lines[0] ?? "", value.sources)
    : unknown(value.sources, value.text.trim());
}

const mapfile: Program = ({ texts, input }, shell) => {
  const name = texts.findLast((text) => /^[A-Za-z_]\w*$/.test(text)) ?? "MAPFILE";
  shell.setVariable(name, input ?? UNKNOWN);
  return EMPTY;
};

const evaluate: Program = ({ words }, shell) => shell.runText(concatenate(words, " "), "eval");

const source: Program = ({ words, texts, input }, shell) => {
  const [path] = words;
  // fish reads what is piped to it.
  if (path === undefined) return input === undefined ? EMPTY : shell.runText(input, "source");
  if (/^\/dev\/(?:stdin|fd\/0)$/.test(texts[0] ?? "")) return shell.runText(input ?? UNKNOWN, "source");
  return shell.runScript(path, "source");
};

// `cd -P place`, `cd /d place`, `Set-Location -Path place`.
const changeDirectory: Program = ({ program, texts }, shell) => {
  const path = texts.find((text) => text === "-" || !/^-|^\/d$/i.test(text));
  const how = program.startsWith("push") ? "push" : undefined;
  if (path !== undefined) shell.setDirectory(path, how);
  else if (program === "cd") shell.setDirectory(shell.home);
  return EMPTY;
};

const leaveDirectory: Program = (_call, shell) => {
  shell.setDirectory("", "pop");
  return EMPTY;
};

const printDirectory: Program = (_call, shell) => shell.variable("PWD") ?? UNKNOWN;

/** `dirname path`: the folder of a path that is known. */
const parent: Program = (call) => {
  const path = call.words.at(-1);
  if (path?.isKnown !== true) return passOn(call);
  return known(posix.dirname(path.text), path.sources);
};

/** `realpath path`, `Join-Path folder name`: a path, as far as it is known. */
const printPath: Program = ({ program, words }) =>
  concatenate(
    words.filter(({ text }) => !text.startsWith("-")),
    program === "join-path" ? "/" : " ",
  );

const names: Program = ({ texts }) =>
  texts.some((text) => /^-\w*[ev]$|^(?:export|variable)$/.test(text)) ? WHOLE_ENVIRONMENT : UNKNOWN;

const trap: Program = ({ words }, shell) => {
  const [text] = words;
  if (text !== undefined && /\s/.test(text.text)) shell.runText(text, "trap");
  return EMPTY;
};

const quiet: Program = () => EMPTY;

const history: Program = ({ texts }, shell) => {
  if (texts.some((text) => /^-[cw]/.test(text)) && texts[0]?.startsWith("-c"))
    shell.effect({ type: "disable-protection", what: "history", detail: "history -c" });
  return unknown([{ type: "secret", secret: "shell-history", name: "history" }]);
};

export const WHOLE_ENVIRONMENT: Value = unknown([
  { type: "secret", secret: "whole-environment", name: "environment" },
]);

export const BUILTINS: readonly (readonly [string, Program])[] = [
  ["echo", echo],
  ["printf", printf],
  ...named("export declare typeset readonly local", setVariables),
  ["set", set],
  ["unset", unset],
  ["alias", alias],
  ["read", read],
  ...named("mapfile readarray", mapfile),
  ["eval", evaluate],
  ...named("source .", source),
  ...named("cd chdir set-location sl pushd push-location", changeDirectory),
  ...named("popd pop-location", leaveDirectory),
  ["pwd", printDirectory],
  ...named("realpath readlink resolve-path join-path", printPath),
  ["compgen", names],
  ["trap", trap],
  ...named("history fc", history),
  ["basename", passOn],
  ["dirname", parent],
  ...named(
    "test [ true false : sleep exit return which hash wait mkdir touch ls du df date kill shift break continue seq unalias",
    quiet,
  ),
];

/** What printf prints: escapes read, arguments put in, the format begun again while arguments are left. */
function formatPrintf(words: readonly Value[]): Value {
  const [format, ...rest] = words;
  if (format === undefined) return EMPTY;
  if (!words.every(({ isKnown }) => isKnown)) {
    const text = concatenate([{ ...format, text: readEscapes(format.text) }, ...rest], " ").text;
    return unknown(sourcesOf(words), text);
  }
  const isEncoded = /\\(?:x[0-9a-f]{2}|0?[0-7]{3}).{0,4}\\(?:x|0|[1-7])/i.test(format.text);
  const sources = isEncoded
    ? mergeSources(sourcesOf(words), [{ type: "decoded", encoding: "escapes" }])
    : sourcesOf(words);
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

/** Reads `\n`, `\x41`, `\101`, `\u0041` and the like. */
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
