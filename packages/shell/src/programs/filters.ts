import type { Call, Program, Shell } from "../model/call.ts";
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
import type { Column } from "../table/program-row.ts";
import { findRow } from "../table/programs.ts";
import { splitArguments } from "../table/split-options.ts";
import { WHOLE_ENVIRONMENT } from "./builtins.ts";
import { decodeValue } from "./decode-text.ts";
import { wideTarget } from "./destroyers.ts";

const cat: Program = (call, shell) => {
  const files = filesOf(call) ?? call.words.filter(({ text }) => !/^-./.test(text));
  return files.length === 0
    ? call.read(undefined, shell)
    : concatenate(files.map((file) => call.read(file, shell)));
};

/** The files that a program reads, by its row in the table; undefined if it has no such row. */
function filesOf({ program, words }: Call): readonly Value[] | undefined {
  const reads = findRow(program)?.reads;
  if (reads === undefined) return undefined;
  const { options, operands } = splitArguments(words, reads);
  const hasPattern =
    reads.patternUnless !== undefined && !options.some(({ name }) => reads.patternUnless?.has(name));
  const named = options.flatMap(({ name, value }) => (value && reads.files?.has(name) ? [value] : []));
  const files = operands.slice(hasPattern ? 1 : 0).filter(({ text }) => !reads.otherOperands?.test(text));
  return [...named, ...files];
}

/** Notes files that contain a program's instructions as run: `awk -f file`. */
function loadPrograms({ program, words }: Call, shell: Shell): void {
  const reads = findRow(program)?.reads;
  if (reads?.loads === undefined) return;
  for (const { name, value } of splitArguments(words, reads).options)
    if (value !== undefined && reads.loads.has(name)) shell.noteFile("run", value, program);
}

const tee: Program = (call, shell) => {
  const { input = UNKNOWN } = call;
  const append = call.has(/^-\w*a|^--append$/);
  for (const file of call.operands) shell.writeFile(file, input, { append });
  return input;
};

const rev: Program = (call, shell) => {
  const given = call.read(call.operands[0], shell);
  return given.isKnown ? decodeValue(given, "reversed") : given;
};

const tr: Program = (call) => {
  const { texts, input = UNKNOWN } = call;
  const [from = "", to = ""] = texts.filter((text) => !/^-[cdst]+$/i.test(text));
  const isRotation = isAlphabet(from) && isAlphabet(to) && (ROTATED.test(from) || ROTATED.test(to));
  // Decoded even if the text is unknown: only a disguise is rotated.
  if (isRotation && (!input.isKnown || TURNED.test(from) || TURNED.test(to)))
    return decodeValue(input, "rot13");
  if (!input.isKnown) return input;
  const replacements = call.has(/^-[cst]*d/) ? [""] : setOf(to);
  if (replacements.length === 0) return known(input.text, input.sources);
  const last = replacements.length - 1;
  const map = new Map(
    setOf(from).map((member, index) => [member, replacements[Math.min(index, last)] ?? ""]),
  );
  const changed = Array.from(input.text, (character) => map.get(character) ?? character).join("");
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
      const letter = set.charAt(++at);
      members.push({ n: "\n", r: "\r" }[letter] ?? letter);
    } else members.push(set.charAt(at));
  }
  return members;
}

const sed: Program = (call, shell) => {
  const { words, texts, input } = call;
  loadPrograms(call, shell);
  const isInPlace = call.has(/^-\w*i|^--in-place/);
  const [script, ...files] = texts.includes("-e") ? words.slice(texts.indexOf("-e") + 1) : call.operands;
  const read = filesOf(call) ?? [];
  // Files edited in place are not shown to a reader.
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

// `sed e` runs each input line, `1e command` runs that command, `s/…/…/e` runs the result.
function runBySed(script: Value | undefined, given: Value, shell: Shell): void {
  const text = script?.text ?? "";
  if (text.length > 4_096) return;
  const command = /^(?:\d{1,6}|\$)?e(?:$|\s{1,5}(\S[^\n]{0,2000})$)/.exec(text.trim());
  if (command?.[1] !== undefined) shell.runText(known(command[1]), "sed");
  else if (command !== null || /^s(.)[^\n]{0,2000}\1[gpiI]{0,4}e[gpiI]{0,4}$/.test(text))
    shell.runText(given, "sed");
}

// Only literal patterns, since a pattern from elsewhere may take forever.
function substitute(text: string, script: string): string | undefined {
  const mark = script.charAt(1);
  if (!script.startsWith("s") || mark === "") return undefined;
  const [, pattern = "", replacement = "", flags = ""] = script.split(mark, 4);
  if (pattern === "" || /[.*[\]^$\\]/.test(pattern) || /[\\&]/.test(replacement)) return undefined;
  return flags.includes("g")
    ? replaceBounded(text, pattern, replacement)
    : text.replace(pattern, () => replacement);
}

/** Passes on what it reads, changed or not. */
export const through: Program = (call, shell) => {
  const { words, input } = call;
  loadPrograms(call, shell);
  const files =
    filesOf(call) ??
    words.filter(({ text }) => /[./~]/.test(text) && !text.startsWith("-") && !/[\s|()^$]/.test(text));
  const read = files.map((file) => shell.readFile(file));
  const isWhole = files.length === 0 && /^(?:head|tail|pv|sponge)$/.test(call.program);
  if (isWhole && input !== undefined) return input;
  return unknown(sourcesOf([...(input === undefined ? [] : [input]), ...read, ...words]));
};

const dd: Program = (call, shell) => {
  const wordAfter = (prefix: "if=" | "of="): Value | undefined => {
    const word = call.words.find(({ text }) => text.startsWith(prefix));
    return word === undefined ? undefined : { ...word, text: word.text.slice(prefix.length) };
  };
  const to = wordAfter("of=");
  // A loop over all disks names none of them.
  if (to?.text.startsWith("/dev/*") && call.has(/^if=\/dev\/(?:zero|u?random)$/))
    shell.effect({ type: "destroy", what: "disk", detail: "dd of=/dev/*" });
  const from = wordAfter("if=");
  const given = from === undefined ? (call.input ?? UNKNOWN) : shell.readFile(from);
  if (to === undefined) return given;
  shell.writeFile(to, given, { append: false });
  return EMPTY;
};

const awk: Program = (call, shell) => {
  const code = call.operands[0]?.text ?? "";
  if (/\/inet\/(?:tcp|udp)\//.test(code) && /\|&|getline/.test(code)) {
    const host = /\/inet\/\w+\/\d+\/([^/"]{1,100})/.exec(code)?.[1] ?? "*";
    shell.effect({ type: "remote-shell", host, how: "awk" });
  }
  // `awk 'BEGIN { system("…") }'`.
  for (const match of code.matchAll(/system\(\s{0,5}"((?:[^"\\]|\\.){1,2000})"/g))
    shell.runText(known((match[1] ?? "").replace(/\\(.)/g, "$1")), "awk");
  const given = through(call, shell);
  if (RUNS_LINES.test(code)) shell.runText(given, "awk");
  // All variables, not a named one.
  return /\bin\s{1,5}ENVIRON\b/.test(code) ? concatenate([given, WHOLE_ENVIRONMENT]) : given;
};

const RUNS_LINES =
  /\bsystem\(\s{0,5}\$\d|\$\d\s{0,5}\|\s{0,5}getline|\bprint\b[^|\n]{0,40}\|\s{0,5}"(?:\/bin\/)?(?:ba|z|da)?sh"/;

/** Searches files for a text; a search for keys in many files is assumed to find some. */
export const grep: Program = (call, shell) => {
  const { program, texts } = call;
  const given = through(call, shell);
  const isRecursive = /^(?:rg|ag)$/.test(program) || call.has(/^-\w*[rR]|^--(?:dereference-)?recursive$/);
  const name = `${program} ${texts.join(" ")}`.slice(0, 80);
  const found = unknown([{ type: "secret", secret: "generic", name }]);
  // Lines that begin with the name of a key contain that key.
  if (call.input === undefined && texts.some((text) => KEY_LINE.test(text)))
    return concatenate([given, found]);
  if (!isRecursive || call.input !== undefined) return given;
  const isWide = texts.some((text) => wideTarget(text) !== undefined);
  const pattern = texts.find((text) => KEY_SHAPE.test(text) || (isWide && KEY_WORD.test(text)));
  return pattern === undefined ? given : concatenate([given, found]);
};

const KEY_LINE = /^\^[^\n]{0,80}(?:passw|secret|token|api_?key|private_?key|fernet_key)/i;

const KEY_SHAPE = /AKIA|\bsk-|\bgh[pous]_|\bxox[abp]|BEGIN[^\n]{0,20}PRIVATE/;
const KEY_WORD = /passw|secret|token|api[_-]?key|credential|mnemonic/i;

/** The output's text is the filter if it assigns: `jq '.mode="x"' settings.json`. */
const jq: Program = (call, shell) => {
  const { sources } = through(call, shell);
  const filter = call.operands.find(({ text }) => /[.=]/.test(text));
  return unknown(sources, /[^=!<>]=[^=]/.test(filter?.text ?? "") ? filter?.text : "*");
};

export const FILTERS: Column<Program> = {
  "jq yq gojq": jq,
  "cat bat tac type get-content gc": cat,
  "tee sponge": tee,
  rev,
  tr,
  sed,
  dd,
  "awk mawk": awk,
  "paste iconv envsubst pv wc diff comm join split md5sum sha256sum shasum": through,
};
