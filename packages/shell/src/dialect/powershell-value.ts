import type { ShellMachine } from "../machine/shell-machine.ts";
import { hostOf } from "../model/effect.ts";
import {
  concatenate,
  EMPTY,
  known,
  replaceBounded,
  sourcesOf,
  UNKNOWN,
  unknown,
  type Value,
} from "../model/value.ts";
import { decodeValue } from "../programs/decode-text.ts";
import { deliver, fromNetwork, request } from "../programs/fetchers.ts";
import { callFunction } from "./powershell.ts";
import { closingOf, splitOutside } from "./split-powershell.ts";

const MAX_DEPTH = 12;
const MAX_EXPRESSION_CHARACTERS = 256 * 1024;

export function powershellValue(text: string, machine: ShellMachine, depth: number = 0): Value {
  const plain = stripParentheses(text.trim());
  if (plain === "") return EMPTY;
  if (depth > MAX_DEPTH || plain.length > MAX_EXPRESSION_CHARACTERS) {
    machine.unread("a PowerShell expression is nested deeper than can be followed");
    return UNKNOWN;
  }
  machine.spend(plain.length);
  const evaluate = (inner: string): Value => powershellValue(inner, machine, depth + 1);
  const literal = literalOf(plain, machine);
  if (literal !== undefined) return literal;
  const pipeline = splitOutside(plain, "|");
  if (pipeline.length === 1 && isCommand(plain)) return runCommand(plain, undefined, machine, depth + 1);
  const codes = characterCodes(plain);
  if (codes !== undefined) return codes;
  const call = methodCall(plain, machine, evaluate);
  if (call !== undefined) return call;
  const operands = splitOutside(plain, "+");
  if (operands.length > 1) return concatenate(operands.map((operand) => evaluate(operand.text)));
  if (pipeline.length > 1) return runPipeline(plain, machine, depth + 1);
  if (/^-join\b/i.test(plain)) return joined(plain.slice(5), evaluate);
  const operation = stringOperation(plain, evaluate);
  if (operation !== undefined) return operation;
  return unknown(innerSources(plain, evaluate));
}

/** Runs the commands of a pipe one after the other; `input` is the output of a preceding block. */
export function runPipeline(text: string, machine: ShellMachine, depth: number = 0, input?: Value): Value {
  let stream = input;
  for (const piece of splitOutside(text, "|")) {
    const command = piece.text.trim();
    stream =
      stream === undefined && !isCommand(command)
        ? powershellValue(command, machine, depth + 1)
        : runCommand(command, stream, machine, depth + 1);
  }
  return stream ?? EMPTY;
}

function isCommand(text: string): boolean {
  return /^(?:&\s*[('"$A-Za-z.~\\/]|\.\s+\S|\.{0,2}[\\/]\w?|\.[\w-]+[\\/]|\.['"$(]|[A-Za-z`][\w`-]*(?:\.exe)?(?:\s|\(|$))/.test(
    text,
  );
}

function runCommand(text: string, input: Value | undefined, machine: ShellMachine, depth: number): Value {
  // `iex(…)` needs no blank.
  const spaced = text.replace(/^(?:&\s*|\.(?=[\s'"$(])\s*)/, "").replace(/^([A-Za-z`][\w`-]*)\(/, "$1 (");
  const words = splitOutside(spaced, " \t\n").map((piece) => piece.text.trim());
  if (PASSES_ON.test(words[0] ?? "")) {
    if (/\biex\b|invoke-expression/i.test(text) && input !== undefined)
      machine.runCode("powershell", input, "iex");
    return input ?? UNKNOWN;
  }
  if (LISTING.test(words[0] ?? "") && words.some((word) => /^["']?env:[\\*]{0,2}["']?$/i.test(word)))
    return ENVIRONMENT;
  const values = words.map((word) => wordValue(word, machine, depth));
  const [name] = values;
  if (name === undefined) return EMPTY;
  const returned = callFunction(name.text, values.slice(1), machine, depth);
  if (returned !== undefined) return returned;
  const called = /^[&.]/.test(text) ? { ...name, text: name.text.replace(/^\s+/, "") } : name;
  return machine.runWords([called, ...values.slice(1)], input);
}

// `% { … }` and `? { … }` pass on their input.
const PASSES_ON =
  /^(?:%|\?|(?:foreach|where|select|sort)(?:-object)?|convertto-\w{2,12}|out-string|out-null)$/i;
const LISTING = /^(?:get-childitem|gci|dir|ls|get-item|gi|get-variable)$/i;
const ENVIRONMENT: Value = unknown([{ type: "secret", secret: "whole-environment", name: "Env:" }]);

function wordValue(word: string, machine: ShellMachine, depth: number): Value {
  if (/^\$(?:env:)?\w+[\\/.]/i.test(word) && !word.includes("(")) return asPath(interpolate(word, machine));
  if (/^[('"$[@]/.test(word)) return asPath(powershellValue(word.replace(/^@\(/, "("), machine, depth + 1));
  const plain = word.replaceAll("`", "").replace(/,$/, "");
  return known(windowsPath(plain.replace(/^~(?=[\\/]|$)/, () => machine.home)));
}

function asPath(value: Value): Value {
  return { ...value, text: windowsPath(value.text) };
}

export function windowsPath(text: string): string {
  return /^(?:[A-Za-z]:|\.{1,2}|~|\/tmp|\*)\\/.test(text) ? text.replaceAll("\\", "/") : text;
}

function stripParentheses(text: string): string {
  let plain = text;
  for (let round = 0; round < 20; round++) {
    const open = plain.startsWith("$(") ? 1 : 0;
    // `(a) + (b)` begins and ends with parentheses that are not a pair.
    if (plain.charAt(open) !== "(" || closingOf(plain, open) !== plain.length - 1) return plain;
    plain = plain.slice(open + 1, -1).trim();
  }
  return plain;
}

function literalOf(text: string, machine: ShellMachine): Value | undefined {
  if (/^'[^']*'$/.test(text)) return known(text.slice(1, -1));
  if (/^@'\r?\n[\s\S]*\n'@$/.test(text) || /^@"\r?\n[\s\S]*\n"@$/.test(text)) return known(text.slice(3, -3));
  if (/^"[^"`]*(?:`[\s\S][^"`]*)*"$/.test(text)) return interpolate(text.slice(1, -1), machine);
  const environment = /^\$\{?env:(\w{1,100})\}?$/i.exec(text)?.[1];
  if (environment !== undefined) return machine.parameter(environment.toUpperCase());
  if (/^\$home$/i.test(text)) return machine.variable("HOME");
  if (/^\$pwd$/i.test(text)) return machine.variable("PWD");
  if (/^\$(?:true|false|null)$/i.test(text)) return known(text.toLowerCase());
  const name = /^\$\{?(?:\w+:)?(\w{1,100})\}?$/.exec(text)?.[1];
  return name === undefined ? undefined : (machine.variable(`ps:${name.toLowerCase()}`) ?? UNKNOWN);
}

function interpolate(text: string, machine: ShellMachine): Value {
  const plain = text.replace(/`(.)/g, "$1");
  const pieces = plain.split(/(\$\{?(?:env:)?\w{1,100}\}?)/i);
  return concatenate(
    pieces.map((piece) => (/^\$\{?\w/.test(piece) ? (literalOf(piece, machine) ?? UNKNOWN) : known(piece))),
  );
}

// `[char]105+[char]101`, `-join (99,117 | % { [char]$_ })`, `[char[]](99,117) -join ''`.
function characterCodes(text: string): Value | undefined {
  if (!/\[char/i.test(text) || text.length > 65_536) return undefined;
  const numbers = text.match(/\b(?:0x[0-9a-f]{1,4}|\d{1,5})\b/gi) ?? [];
  if (
    numbers.length < 2 ||
    !/^[\s\d,()+|%{}$_[\]'"a-zx-]{2,}$/i.test(text) ||
    /\b(?!char|foreach|object|join|int|string)[a-z]{6,}/i.test(text)
  )
    return undefined;
  const decoded = numbers.map((number) => String.fromCharCode(Number(number))).join("");
  return known(decoded, [{ type: "decoded", encoding: "character codes", text: decoded.slice(0, 4096) }]);
}

function methodCall(
  text: string,
  machine: ShellMachine,
  evaluate: (inner: string) => Value,
): Value | undefined {
  const match =
    /\.?(?:::|\.)\s{0,5}['"]?(DownloadString|DownloadData|DownloadFile|OpenRead|GetStringAsync|UploadString|UploadFile|UploadData|FromBase64String|FromHexString|ReadAllText|ReadAllBytes|ReadAllLines|Create|Start)['"]?(?:\.Invoke)?\s{0,5}\(/i.exec(
      text,
    );
  if (match?.[1] === undefined) return undefined;
  const open = match.index + match[0].length - 1;
  const given = text.slice(open + 1, closingOf(text, open));
  const values = splitOutside(given, ",").map((piece) => evaluate(piece.text));
  const [first = UNKNOWN, second] = values;
  switch (match[1].toLowerCase()) {
    case "downloadstring":
    case "downloaddata":
    case "openread":
    case "getstringasync":
      request(first, { sends: false, telling: values }, machine);
      return deliver(first, fromNetwork(first), undefined, machine);
    case "downloadfile":
      return deliver(first, fromNetwork(first), second && asPath(second), machine);
    case "uploadstring":
    case "uploaddata":
      request(first, { sends: true, telling: values }, machine);
      return UNKNOWN;
    case "uploadfile": {
      const files = values.slice(1).map((file) => machine.readFile(file));
      request(first, { sends: true, telling: [first, ...files] }, machine);
      return UNKNOWN;
    }
    case "readalltext":
    case "readallbytes":
    case "readalllines":
      return machine.readFile(asPath(first));
    case "frombase64string":
      return wide(decodeValue(first, "base64"));
    case "fromhexstring":
      return decodeValue(first, "hex");
    case "create":
      if (!/scriptblock/i.test(text)) return undefined;
      machine.runCode("powershell", first, "scriptblock");
      return unknown(first.sources);
    default:
      if (!/process/i.test(text)) return undefined;
      return machine.runWords(values.length === 0 ? [UNKNOWN] : values, undefined);
  }
}

// PowerShell's own encoding (UTF-16) has a zero byte after every ASCII letter.
function wide(value: Value): Value {
  if (!value.text.includes("\0")) return value;
  const text = value.text.replaceAll("\0", "");
  const sources = value.sources.map((source) =>
    source.type === "decoded" ? { ...source, text: text.slice(0, 4096) } : source,
  );
  return { ...value, text, sources };
}

function joined(text: string, evaluate: (inner: string) => Value): Value {
  return concatenate(splitOutside(stripParentheses(text.trim()), ",").map((piece) => evaluate(piece.text)));
}

function stringOperation(text: string, evaluate: (inner: string) => Value): Value | undefined {
  const join = /^([\s\S]{1,60000})\s-join\s{0,5}(?:''|"")$/i.exec(text);
  if (join?.[1] !== undefined)
    return /\[-1\s{0,3}\.\./.test(join[1])
      ? decodeValue(evaluate(join[1].replace(/\[-1[\s\S]*$/, "")), "reversed")
      : joined(join[1], evaluate);
  const replace =
    /^([\s\S]{1,60000}?)(?:\s-c?replace\s{0,5}|\.replace\(\s{0,5})(['"])([^'"]{1,100})\2\s{0,5},\s{0,5}(['"])([^'"]{0,100})\4\s{0,5}\)?$/i.exec(
      text,
    );
  if (replace?.[1] !== undefined) {
    const value = evaluate(replace[1]);
    if (!value.isKnown) return value;
    const changed = replaceBounded(value.text, replace[3] ?? "\0", replace[5] ?? "");
    return known(changed, value.sources);
  }
  const format = /^(['"])([^'"]{1,1000})\1\s{0,5}-f\s{0,5}([\s\S]{1,2000})$/i.exec(text);
  if (format === null) return undefined;
  const values = splitOutside(format[3] ?? "", ",").map((piece) => evaluate(piece.text));
  const filled = (format[2] ?? "").replace(
    /\{(\d{1,2})\}/g,
    (_whole, index: string) => values[Number(index)]?.text ?? "",
  );
  return known(filled, sourcesOf(values));
}

// An expression that cannot be evaluated still has the sources of its parts.
function innerSources(text: string, evaluate: (inner: string) => Value): Value["sources"] {
  const values: Value[] = [];
  for (const match of text.matchAll(/\$(?:env:)?\w{1,60}/gi)) {
    if (values.length > 50) break;
    if (match[0].length < text.length) values.push(evaluate(match[0]));
  }
  const open = text.indexOf("(");
  if (open !== -1) {
    const inner = text.slice(open + 1, closingOf(text, open));
    if (inner.length < text.length && inner.trim() !== "") values.push(evaluate(inner));
  }
  if (/\[(?:System\.)?Environment\]::GetEnvironmentVariables\(/i.test(text)) values.push(ENVIRONMENT);
  const url = /https?:\/\/[^\s"')]{1,500}/i.exec(text)?.[0];
  if (url !== undefined && /webrequest|httpclient|webclient|winhttp|xmlhttp/i.test(text))
    values.push(unknown([{ type: "network", url, host: hostOf(url) ?? "*" }]));
  return sourcesOf(values);
}
