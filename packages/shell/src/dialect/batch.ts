import type { ShellMachine } from "../machine/shell-machine.ts";
import { EMPTY, known, sourcesOf, unknown, type Value } from "../model/value.ts";
import { windowsPath } from "./powershell-value.ts";

const MAX_LINE_CHARACTERS = 32 * 1024;

/** Runs a Windows batch file on a machine, line by line: carets, variables, pipes and redirections. */
export function runBatch(source: string, machine: ShellMachine): void {
  const text = source.replaceAll("\r\n", " \n");
  machine.enter(text);
  let pos = 0;
  let pending = "";
  let start = 0;
  for (const line of text.split("\n")) {
    const end = pos + line.length;
    if (pending === "") start = pos;
    const isContinued = /\^\s*$/.test(line) && pending.length < MAX_LINE_CHARACTERS && end < text.length;
    pending += isContinued ? line.replace(/\^\s*$/, " ") : line;
    if (!isContinued) {
      if (!machine.mayGoOn()) break;
      if (pending.length > MAX_LINE_CHARACTERS)
        machine.unread(`a line of a batch file is longer than ${MAX_LINE_CHARACTERS} characters`);
      const whole = pending.slice(0, MAX_LINE_CHARACTERS);
      machine.within({ pos: start, end }, () => runLine(whole, machine, 0));
      pending = "";
    }
    pos = end + 1;
  }
}

function runLine(line: string, machine: ShellMachine, depth: number): void {
  const plain = expand(line.trim().replace(/^@+/, ""), machine);
  if (plain === "" || /^(?:rem\b|::|:\w)/i.test(plain) || depth > 8) return;
  if (runForEachLine(plain, machine, depth)) return;
  const inner = CONDITION.exec(plain)?.[1];
  if (inner !== undefined) {
    runLine(inner, machine, depth + 1);
    return;
  }
  for (const command of splitOutside(plain, /^(?:&&|\|\||&)/)) {
    let stream: Value | undefined;
    for (const part of splitOutside(command, /^\|/)) stream = runCommand(part.trim(), stream, machine);
  }
}

// The command of a condition or a loop, which may run.
const CONDITION =
  /^\(?\s{0,20}(?:if\s+(?:\/i\s+)?(?:not\s+)?(?:exist\s+\S+|defined\s+\S+|errorlevel\s+\d+|\S+\s{0,5}==\s{0,5}\S+|\S+\s+\w{3}\s+\S+)\s+|for\s[^\n]{1,2000}?\bdo\s+|else\s+)\(?\s*(\S[\s\S]*)$/i;

/** `for /f %i in ('command') do …`: the variable gets each line that the command prints. */
function runForEachLine(line: string, machine: ShellMachine, depth: number): boolean {
  const match = FOR_EACH_LINE.exec(line);
  if (match?.[1] === undefined || match[2] === undefined || match[3] === undefined) return false;
  let printed: Value | undefined;
  for (const part of splitOutside(match[2], /^\|/)) printed = runCommand(part.trim(), printed, machine);
  machine.setVariable(`for:${match[1].toLowerCase()}`, printed ?? EMPTY);
  runLine(match[3], machine, depth + 1);
  return true;
}

const FOR_EACH_LINE =
  /^for\s{1,5}\/f\s{1,5}(?:"[^"]{0,200}"\s{1,5})?%{1,2}([a-z])\s{1,5}in\s{0,5}\(\s{0,5}['`]([^'`]{1,4000})['`]\s{0,5}\)\s{0,5}do\s{1,5}\(?\s{0,5}(\S[\s\S]*)$/i;

function runCommand(text: string, input: Value | undefined, machine: ShellMachine): Value {
  const set = /^set\s+(?:\/p\s+)?"?(\w{1,100})=([^"]*)"?$/i.exec(text);
  if (set?.[1] !== undefined) {
    machine.setVariable(set[1].toUpperCase(), known(set[2] ?? ""));
    return EMPTY;
  }
  const redirect = /(?:^|[^\d^])(>{1,2})\s*("[^"]+"|[^\s>&|]+)\s*$/.exec(text.replace(/\s\d>&?\S+/g, ""));
  const command =
    redirect === null ? text : text.slice(0, text.lastIndexOf(redirect[1] ?? ">")).replace(/>$/, "");
  const words = wordsOf(command).map((word) => loopValue(word, machine));
  const printed = words.length === 0 ? EMPTY : machine.runWords(words, input);
  if (redirect?.[2] === undefined) return printed;
  const path = windowsPath(redirect[2].replaceAll('"', ""));
  if (!/^nul$/i.test(path)) machine.writeFile(known(path), printed, { append: redirect[1] === ">>" });
  return EMPTY;
}

function wordsOf(text: string): readonly Value[] {
  const words = Array.from(
    text.replace(/^[(\s]+|[)\s]+$/g, "").matchAll(/"([^"]*)"|([^\s"]+(?:"[^"]*"[^\s"]*)?)/g),
    (match) => known(windowsPath((match[1] ?? match[2] ?? "").replaceAll('"', ""))),
  );
  // The first quoted word of `start` is a title.
  if (/^start$/i.test(words[0]?.text ?? "") && /^start\s+"/i.test(text)) words.splice(1, 1);
  return words;
}

// `%i`, `%%i` and `%~i` are a loop's variable.
function loopValue(word: Value, machine: ShellMachine): Value {
  const letter = /%{1,2}(?:~\w{0,8})?([a-z])(?![\w%])/i.exec(word.text)?.[1];
  const value = letter === undefined ? undefined : machine.variable(`for:${letter.toLowerCase()}`);
  return value === undefined ? word : unknown(sourcesOf([word, value]));
}

/** Expands variables and removes carets, which have no meaning and disguise words. */
function expand(line: string, machine: ShellMachine): string {
  const plain = line.replace(/\^(.?)/g, "$1");
  if (!plain.includes("%") && !plain.includes("!")) return plain;
  // A line of ten thousand `%a%` could exceed the maximum length of a string.
  let room = MAX_LINE_CHARACTERS;
  return plain
    .replace(/%~dp0\\?/gi, "./")
    .replace(
      /[%!](\w{1,100})(?::~(-?\d{1,4})(?:,(-?\d{1,4}))?)?[%!]/g,
      (whole, name: string, from?: string, length?: string) => {
        const upper = name.toUpperCase();
        const value = machine.parameter(upper);
        room -= value.text.length;
        if (room < 0) return "*";
        if (from === undefined) return value.isKnown ? value.text : "*";
        if (!value.isKnown) return whole;
        const start = Number(from) < 0 ? value.text.length + Number(from) : Number(from);
        const count = length === undefined ? undefined : Number(length);
        return value.text.slice(start, count === undefined ? undefined : count < 0 ? count : start + count);
      },
    );
}

function splitOutside(text: string, operator: RegExp): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted || (character !== "&" && character !== "|")) continue;
    // `2>&1` is a redirection.
    if (character === "&" && text.charAt(at - 1) === ">") continue;
    const match = operator.exec(text.slice(at, at + 2))?.[0];
    if (match === undefined) continue;
    if (match === "|" && text.charAt(at + 1) === "|") {
      at++;
      continue;
    }
    parts.push(text.slice(start, at));
    at += match.length - 1;
    start = at + 1;
  }
  parts.push(text.slice(start));
  return parts.filter((part) => part.trim() !== "");
}
