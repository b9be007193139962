import type { Word, WordPart } from "unbash";
import { concatenate, EMPTY, known, UNKNOWN, type Value } from "../model/value.ts";
import { expandParameter } from "./expand-parameter.ts";
import type { ShellMachine } from "./shell-machine.ts";

/** `{a,b}{a,b}…` doubles with each pair. */
const MAX_ALTERNATIVES = 16;
const MAX_FIELDS = 2_000;

/** Expands a word to one value, or to several if an unquoted expansion contains blanks. */
export function expandFields(word: Word, shell: ShellMachine): readonly Value[] {
  if (word.parts === undefined) return [literal(word, shell)];
  const fields = new Fields(shell.variable("IFS")?.text ?? " \t\n");
  for (const part of withHome(word.parts, shell)) {
    if (part.type === "BraceExpansion") fields.branch(alternativesOf(part.text));
    else if (isUnquotedExpansion(part)) fields.appendSplit(expandPart(part, shell));
    else if (isList(part)) fields.appendAll(listOf(part, shell));
    else fields.append(expandPart(part, shell));
  }
  const values = fields.finish();
  for (const { text } of values) shell.spend(text.length);
  return values;
}

export function expandWhole(word: Word, shell: ShellMachine): Value {
  return word.parts === undefined ? literal(word, shell) : expandParts(withHome(word.parts, shell), shell);
}

function literal({ text, value }: Word, shell: ShellMachine): Value {
  // An argument that looks like an assignment is expanded like one: `dd if=~/file`.
  return shell.literal(/^(?:\w+=)?~/.test(text) ? expandTilde(value, shell) : value);
}

function withHome(parts: readonly WordPart[], shell: ShellMachine): readonly WordPart[] {
  const [first, ...rest] = parts;
  if (first?.type !== "Literal" || !first.text.startsWith("~")) return parts;
  return [{ ...first, value: expandTilde(first.value, shell) }, ...rest];
}

function expandTilde(text: string, shell: ShellMachine): string {
  return text.replace(/^(\w+=)?~(?=\/|$)/, (_whole, name = "") => name + shell.home);
}

export function expandParts(parts: readonly WordPart[], shell: ShellMachine): Value {
  const whole = concatenate(parts.map((part) => expandPart(part, shell)));
  if (parts.length > 1) shell.spend(whole.text.length);
  return whole;
}

function expandPart(part: WordPart, shell: ShellMachine): Value {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
    case "Glob":
      return shell.literal(part.value);
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.length === 0 ? EMPTY : expandParts(part.parts, shell);
    case "SimpleExpansion":
      return shell.parameter(part.text.slice(1));
    case "ParameterExpansion":
      return expandParameter(part, shell, (word) => expandWhole(word, shell));
    case "CommandExpansion": {
      const name = MAKE_VARIABLE.exec(part.text)?.[1];
      if (name !== undefined) return shell.parameter(name);
      return part.script === undefined ? UNKNOWN : trimEnd(shell.substitute(part.script));
    }
    case "ProcessSubstitution":
      return part.script === undefined ? UNKNOWN : shell.streamOf(part.script, part.operator);
    case "ArithmeticExpansion":
      return /^\$\(\(\s*\d{1,9}\s*\)\)$/.test(part.text) ? known(part.text.replace(/\D/g, "")) : UNKNOWN;
    default:
      return known(part.text);
  }
}

// `$(GITHUB_TOKEN)` is a makefile variable; no program has such a name.
const MAKE_VARIABLE = /^\$\(\s{0,3}([A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,60})\s{0,3}\)$/;

function trimEnd(value: Value): Value {
  let end = value.text.length;
  while (end > 0 && value.text.charCodeAt(end - 1) === 0x0a) end--;
  return end === value.text.length ? value : { ...value, text: value.text.slice(0, end) };
}

function isUnquotedExpansion(part: WordPart): boolean {
  return (
    part.type === "SimpleExpansion" || part.type === "ParameterExpansion" || part.type === "CommandExpansion"
  );
}

// `"$@"` and `"${a[@]}"` become several words despite the quotes.
function isList(part: WordPart): boolean {
  if (part.type !== "DoubleQuoted" || part.parts.length !== 1) return false;
  const [only] = part.parts;
  if (only?.type === "SimpleExpansion") return only.text === "$@";
  return only?.type === "ParameterExpansion" && only.index?.text === "@" && only.operation === undefined;
}

function listOf(part: WordPart, shell: ShellMachine): readonly Value[] {
  const only = part.type === "DoubleQuoted" ? part.parts[0] : undefined;
  return shell.list(only?.type === "ParameterExpansion" ? only.parameter : "@");
}

function alternativesOf(text: string): readonly Value[] {
  const inner = text.slice(1, -1);
  if (/[{}$`'"\\]/.test(inner) || !inner.includes(",")) return [known(text)];
  return inner.split(",", MAX_ALTERNATIVES).map((alternative) => known(alternative));
}

class Fields {
  readonly #done: Value[] = [];
  readonly #separators: RegExp;
  /** Possible beginnings of the open field: several after a brace expansion. */
  #starts: readonly Value[] = [];
  /** The parts that follow, joined only once, because a word may have a hundred thousand. */
  #parts: Value[] = [];
  #isOpen = false;

  constructor(separators: string) {
    this.#separators = separators === " \t\n" ? BLANKS : setOf(separators);
  }

  append(value: Value): void {
    this.#parts.push(value);
    this.#isOpen = true;
  }

  appendAll(values: readonly Value[]): void {
    for (const [index, value] of values.entries()) {
      if (index > 0) this.#close();
      this.append(value);
    }
  }

  appendSplit(value: Value): void {
    if (this.#done.length >= MAX_FIELDS) return;
    if (!this.#separators.test(value.text)) {
      if (value.text !== "" || value.sources.length > 0) this.append(value);
      return;
    }
    const pieces = value.text.split(this.#separators, MAX_FIELDS);
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) this.#close();
      if (piece !== "") this.append({ ...value, text: piece });
    }
  }

  branch(alternatives: readonly Value[]): void {
    const before = this.#joined();
    this.#starts = (before.length === 0 ? [EMPTY] : before)
      .flatMap((start) => alternatives.map((alternative) => concatenate([start, alternative])))
      .slice(0, MAX_ALTERNATIVES);
    this.#parts = [];
    this.#isOpen = true;
  }

  finish(): readonly Value[] {
    this.#close();
    return this.#done;
  }

  #joined(): readonly Value[] {
    if (!this.#isOpen) return [];
    if (this.#starts.length === 0) return [concatenate(this.#parts)];
    return this.#starts.map((start) => concatenate([start, ...this.#parts]));
  }

  #close(): void {
    if (this.#done.length < MAX_FIELDS) this.#done.push(...this.#joined());
    this.#starts = [];
    this.#parts = [];
    this.#isOpen = false;
  }
}

const BLANKS = /\s+/;

// `IFS=,` splits `curl,address` into words; `$IFS` itself is always a gap.
function setOf(separators: string): RegExp {
  const members = separators.slice(0, 8).replace(/[\\\]^-]/g, "\\$&");
  return members === "" ? BLANKS : new RegExp(`[\\s${members}]+`);
}
