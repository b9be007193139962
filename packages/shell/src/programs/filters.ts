import { type Call, named, operandOrInput, type Program, type Shell } from "../model/call.ts";
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
import { findRow } from "../table/programs.ts";
import { splitArguments } from "../table/split-options.ts";
import { WHOLE_ENVIRONMENT } from "./builtins.ts";
import { decodeValue } from "./decode-text.ts";
import { isWideTarget } from "./destroyers.ts";

/** Prints the files it is given, or what it reads. */
const cat: Program = (call, shell) => {
  const { words, texts, input } = call;
  const files = filesOf(call) ?? words.filter((_word, index) => !/^-./.test(texts[index] ?? ""));
  if (files.length === 0) return input ?? UNKNOWN;
  return concatenate(files.map((file) => (file.text === "-" ? (input ?? UNKNOWN) : shell.readFile(file))));
};

/** The files that a program reads, as its row in the table says; undefined where it has no such row. */
function filesOf({ program, words }: Call): readonly Value[] | undefined {
  const reads = findRow(program)?.reads;
  if (reads === undefined) return undefined;
  const { options, operands } = splitArguments(words, reads);
  const hasPattern =
    reads.patternUnless !== undefined && !options.some(({ name }) => reads.patternUnless?.has(name));
  const named = options.flatMap(({ name, value }) => (value && reads.files?.has(name) ? [value] : []));
  // `tail +5`, and variables between the files of `awk`.
  const other = /^(?:head|tail|less|more)$/.test(program)
    ? /^\+/
    : /awk$/.test(program)
      ? /^\w+=/
      : undefined;
  const files = operands.slice(hasPattern ? 1 : 0).filter(({ text }) => !other?.test(text));
  return [...named, ...files];
}

/** Runs the files that tell a program what to do: `awk -f file`. */
function loadPrograms({ program, words }: Call, shell: Shell): void {
  const reads = findRow(program)?.reads;
  if (reads?.loads === undefined) return;
  for (const { name, value } of splitArguments(words, reads).options)
    if (value !== undefined && reads.loads.has(name)) shell.noteFile("run", value, program);
}

const tee: Program = ({ words, texts, input = UNKNOWN }, shell) => {
  const append = texts.some((text) => /^-\w*a|^--append$/.test(text));
  for (const word of words) if (!word.text.startsWith("-")) shell.writeFile(word, input, { append });
  return input;
};

const rev: Program = (call, shell) => {
  const given = operandOrInput(call, shell);
  return given.isKnown ? decodeValue(given, "reversed") : given;
};

const tr: Program = ({ texts, input = UNKNOWN }) => {
  const [from = "", to = ""] = texts.filter((text) => !/^-[cdst]+$/i.test(text));
  const isRotation = isAlphabet(from) && isAlphabet(to) && (ROTATED.test(from) || ROTATED.test(to));
  // Even of an unknown text: only a disguise is rotated.
  if (isRotation && (!input.isKnown || TURNED.test(from) || TURNED.test(to)))
    return decodeValue(input, "rot13");
  if (!input.isKnown) return input;
  const isDeletion = texts.some((text) => /^-[cst]*d/.test(text));
  const changed = isDeletion
    ? removeAll(input.text, setOf(from))
    : mapAll(input.text, setOf(from), setOf(to));
  return known(changed, input.sources);
};

function isAlphabet(set: string): boolean {
  return /^(?:[A-Za-z]-[A-Za-z]){2,4}$/.test(set);
}

const ROTATED = /[b-y]-z|[B-Y]-Z/;
const TURNED = /^(?:N-ZA-Mn-za-m|n-za-mN-ZA-M)$/;

function setOf(set: string): readonly string[] {
  const members: string[] = [];
  for (let at = 0; at < set.length && members.length < 512; at++) {
    const end = set.charAt(at + 2);
    if (set.charAt(at + 1) === "-" && end !== "") {
      for (let code = set.charCodeAt(at); code <= end.charCodeAt(0) && members.length < 512; code++)
        members.push(String.fromCharCode(code));
      at += 2;
    } else if (set.charAt(at) === "\\" && at + 1 < set.length) {
      at++;
      members.push(set.charAt(at) === "n" ? "\n" : set.charAt(at) === "r" ? "\r" : set.charAt(at));
    } else members.push(set.charAt(at));
  }
  return members;
}

function removeAll(text: string, members: readonly string[]): string {
  const gone = new Set(members);
  return [...text].filter((character) => !gone.has(character)).join("");
}

function mapAll(text: string, from: readonly string[], to: readonly string[]): string {
  if (to.length === 0) return text;
  const map = new Map(from.map((member, index) => [member, to[Math.min(index, to.length - 1)] ?? ""]));
  return [...text].map((character) => map.get(character) ?? character).join("");
}

const sed: Program = (call, shell) => {
  const { words, texts, input } = call;
  loadPrograms(call, shell);
  const isInPlace = texts.some((text) => /^-\w*i|^--in-place/.test(text));
  const operands = words.filter(({ text }) => !text.startsWith("-"));
  const [script, ...files] = texts.includes("-e") ? words.slice(texts.indexOf("-e") + 1) : operands;
  const read = filesOf(call) ?? [];
  // What is edited is not shown to anybody.
  const by = isInPlace ? "sed -i" : undefined;
  const given =
    read.length === 0 ? (input ?? UNKNOWN) : concatenate(read.map((file) => shell.readFile(file, by)));
  runBySed(script, given, shell);
  if (isInPlace) {
    for (const file of files)
      shell.writeFile(file, unknown(given.sources, script?.text ?? "*"), { append: true });
    return EMPTY;
  }
  if (!given.isKnown || script === undefined) return unknown(given.sources);
  const changed = substitute(given.text, script.text);
  if (changed === undefined) return unknown(given.sources, given.text);
  return known(changed, given.sources);
};

// `sed e` runs each line that it reads, `1e command` that command, `s/…/…/e` what comes out.
function runBySed(script: Value | undefined, given: Value, shell: Shell): void {
  const text = script?.text ?? "";
  if (text.length > 4_096) return;
  const command = /^(?:\d{1,6}|\$)?e(?:$|\s{1,5}(\S[^\n]{0,2000})$)/.exec(text.trim());
  if (command?.[1] !== undefined) shell.runText(known(command[1]), "sed");
  else if (command !== null || /^s(.)[^\n]{0,2000}\1[gpiI]{0,4}e[gpiI]{0,4}$/.test(text))
    shell.runText(given, "sed");
}

// Literal patterns only: a stranger's pattern may run for ever.
function substitute(text: string, script: string): string | undefined {
  const mark = script.charAt(1);
  if (!script.startsWith("s") || mark === "") return undefined;
  const [, pattern = "", replacement = "", flags = ""] = script.split(mark, 4);
  if (pattern === "" || /[.*[\]^$\\]/.test(pattern) || /[\\&]/.test(replacement)) return undefined;
  return flags.includes("g")
    ? replaceBounded(text, pattern, replacement)
    : text.replace(pattern, () => replacement);
}

/** Hands on what it reads, changed or not. */
export const through: Program = (call, shell) => {
  const { words, input } = call;
  loadPrograms(call, shell);
  const files =
    filesOf(call) ??
    words.filter(({ text }) => /[./~]/.test(text) && !text.startsWith("-") && !/[\s|()^$]/.test(text));
  const read = files.map((file) => shell.readFile(file));
  const given = input === undefined ? read : [input, ...read];
  const isWhole =
    input !== undefined &&
    files.length === 0 &&
    /^(?:sort|uniq|tac|nl|fold|sponge|pv|column|head|tail)$/.test(call.program);
  if (isWhole && /^(?:head|tail|pv|sponge)$/.test(call.program)) return input;
  return unknown(sourcesOf([...given, ...words]));
};

const dd: Program = ({ words, input }, shell) => {
  const of = words.find(({ text }) => text.startsWith("of="));
  // A loop over all disks has no name of one.
  if (
    /^of=\/dev\/\*/.test(of?.text ?? "") &&
    words.some(({ text }) => /^if=\/dev\/(?:zero|u?random)$/.test(text))
  )
    shell.effect({ type: "destroy", what: "disk", detail: "dd of=/dev/*" });
  const from = words.find(({ text }) => text.startsWith("if="));
  const given =
    from === undefined ? (input ?? UNKNOWN) : shell.readFile({ ...from, text: from.text.slice(3) });
  if (of === undefined) return given;
  shell.writeFile({ ...of, text: of.text.slice(3) }, given, { append: false });
  return EMPTY;
};

const awk: Program = (call, shell) => {
  const [code = ""] = call.texts.filter((text) => !text.startsWith("-"));
  if (/\/inet\/(?:tcp|udp)\//.test(code) && /\|&|getline/.test(code))
    shell.effect({
      type: "remote-shell",
      host: /\/inet\/\w+\/\d+\/([^/"]{1,100})/.exec(code)?.[1] ?? "*",
      how: "awk",
    });
  // `awk 'BEGIN { system("…") }'`.
  for (const match of code.matchAll(/system\(\s{0,5}"((?:[^"\\]|\\.){1,2000})"/g))
    shell.runText(known((match[1] ?? "").replace(/\\(.)/g, "$1")), "awk");
  const given = through(call, shell);
  if (RUNS_LINES.test(code)) shell.runText(given, "awk");
  // Every variable, not one that is named.
  return /\bin\s{1,5}ENVIRON\b/.test(code) ? concatenate([given, WHOLE_ENVIRONMENT]) : given;
};

const RUNS_LINES =
  /\bsystem\(\s{0,5}\$\d|\$\d\s{0,5}\|\s{0,5}getline|\bprint\b[^|\n]{0,40}\|\s{0,5}"(?:\/bin\/)?(?:ba|z|da)?sh"/;

/** Looks for a text in files: keys that are looked for in many are found. */
export const grep: Program = (call, shell) => {
  const { texts } = call;
  const given = through(call, shell);
  const isRecursive =
    call.program === "rg" ||
    call.program === "ag" ||
    texts.some((text) => /^-\w*[rR]|^--(?:dereference-)?recursive$/.test(text));
  if (!isRecursive || call.input !== undefined) return given;
  const isHome = texts.some((text) => isWideTarget(text));
  const pattern = texts.find((text) => KEY_SHAPE.test(text) || (isHome && KEY_WORD.test(text)));
  if (pattern === undefined) return given;
  const name = `${call.program} ${pattern}`.slice(0, 80);
  return concatenate([given, unknown([{ type: "secret", secret: "generic", name }])]);
};

const KEY_SHAPE = /AKIA|\bsk-|\bgh[pous]_|\bxox[abp]|BEGIN[^\n]{0,20}PRIVATE/;
const KEY_WORD = /passw|secret|token|api[_-]?key|credential|mnemonic/i;

/** Programs between two others in a pipe, apart from those that only read. */
export const FILTERS: readonly (readonly [string, Program])[] = [
  ...named("cat bat tac type get-content gc", cat),
  ["tee", tee],
  ["sponge", tee],
  ["rev", rev],
  ["tr", tr],
  ["sed", sed],
  ["dd", dd],
  ["awk", awk],
  ["mawk", awk],
  ...named("paste iconv envsubst pv wc diff comm join split md5sum sha256sum shasum", through),
];
