import { createRangeTest } from "@skillet/kit/markdown";
import { quoteShell } from "@skillet/kit/text";
import { programName } from "@skillet/shell/programs";
import { MAX_COMMAND_BYTES, readShell } from "../../policy/shell/read-shell.ts";
import type { ShellAct } from "../../policy/shell/shell-act.ts";
import { findTokens, type Substitution } from "./substitute-arguments.ts";

/** Turns a command's values into parameters, and checks that the shell will use the values policy judges. */
export function prepareCommand(
  written: string,
  substitution: Substitution,
): PlacedCommand | { readonly problem: string } {
  if (written.length > MAX_COMMAND_BYTES) return { problem: "it is longer than 4 KiB" };
  const placed = placeValues(written, substitution);
  if ("problem" in placed || placed.parameters.length === 0) return placed;
  const problem = findRebinding(placed.judged);
  return problem === undefined ? placed : { problem };
}

/** Undefined if nothing rebinds them. `set -- push; git "${1}"` would run text where policy saw a value. */
export function findRebinding(judged: string): string | undefined {
  for (const act of readShell(judged)) {
    const reason = rebinds(act);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function rebinds(act: ShellAct): string | undefined {
  if (act.kind === "unclear") return act.reason;
  if (act.kind !== "command") return undefined;
  const [first] = act.words;
  const name = first?.kind === "known" ? programName(first.value) : "";
  const setsVariable =
    SETTING.has(name) && act.words.some((word) => word.kind === "open" || /^-v/.test(word.value));
  if (REBINDING.has(name) || setsVariable) return `${name} can change what the values in it are`;
  for (const inner of act.runs?.acts ?? []) {
    const reason = rebinds(inner);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

// Builtins that set parameters, run text in the same shell or redefine a name, and builtins that evaluate a
// value as a variable name, whose subscript may be a command.
const REBINDING: ReadonlySet<string> = new Set(
  "set shift eval . source trap alias unalias shopt enable builtin hash let declare typeset local export readonly read mapfile readarray getopts unset".split(
    " ",
  ),
);
const SETTING: ReadonlySet<string> = new Set(["printf", "test", "["]);

interface PlacedCommand {
  readonly command: string;
  /** The same command with every value quoted in its place, as the shell will read it. */
  readonly judged: string;
  readonly parameters: readonly string[];
  readonly usesArguments: boolean;
}

/** Values never become part of the command's text, so that none can end the quotes around its token. */
export function placeValues(
  command: string,
  substitution: Substitution,
): PlacedCommand | { readonly problem: string } {
  const { text, tokens, usesArguments } = findPlaces(command, substitution);
  const hasValues = tokens.some(({ value }) => value !== undefined);
  const places = hasValues
    ? [...tokens, ...findOwn(text, tokens)].sort((one, other) => one.start - other.start)
    : tokens;
  const quotings = quotingOf(text, places);
  const numbers = new Map<string, number>();
  const placed = { command: "", judged: "" };
  let done = 0;
  for (const [index, place] of places.entries()) {
    const written = text.slice(place.start, place.end);
    const quoting = quotings[index] ?? "unclear";
    const pieces = placeToken(place, written, quoting, numbers);
    if ("problem" in pieces) return pieces;
    placed.command += text.slice(done, place.start) + pieces.command;
    placed.judged += text.slice(done, place.start) + pieces.judged;
    done = place.end;
  }
  const rest = text.slice(done);
  return {
    command: placed.command + rest,
    judged: placed.judged + rest,
    parameters: [...numbers.keys()],
    usesArguments,
  };
}

interface Place {
  readonly start: number;
  readonly end: number;
  /** A token for a value, an escaped token, or a parameter in the shell's own syntax. */
  readonly kind: "value" | "escaped" | "own";
  readonly value?: string;
}

function findPlaces(
  command: string,
  substitution: Substitution,
): { readonly text: string; readonly tokens: readonly Place[]; readonly usesArguments: boolean } {
  const tokens: Place[] = [];
  let text = "";
  let done = 0;
  let usesArguments = false;
  for (const { start, end, value, isArgument, isEscaped } of findTokens(command, substitution)) {
    if (value === undefined && !isEscaped) continue;
    const from = isEscaped ? start - 1 : start;
    text += command.slice(done, from);
    done = end;
    usesArguments ||= isArgument && !isEscaped;
    if (value === "" && !isEscaped) continue;
    const place = { start: text.length, end: text.length + end - from };
    tokens.push(
      isEscaped || value === undefined ? { ...place, kind: "escaped" } : { ...place, kind: "value", value },
    );
    text += command.slice(from, end);
  }
  return { text: text + command.slice(done), tokens, usesArguments };
}

// The author's own `$1` must not get our values.
const OWN = /\$(?:[\d@*#]|\{[#!]?[\d@*])/g;

function findOwn(text: string, tokens: readonly Place[]): Place[] {
  const isToken = createRangeTest(tokens);
  return [...text.matchAll(OWN)]
    .map(({ index }): Place => ({ start: index, end: index + 2, kind: "own" }))
    .filter(({ start }) => !isToken(start));
}

function placeToken(
  { kind, value = "" }: Place,
  written: string,
  quoting: Quoting,
  numbers: Map<string, number>,
): Pick<PlacedCommand, "command" | "judged"> | { readonly problem: string } {
  if (kind === "own" && quoting !== "single")
    return { problem: `${written} stands for a parameter that is not there` };
  if (kind !== "value") {
    // A shell removes the backslash itself, except in single quotes.
    const text = kind === "escaped" && quoting === "single" ? written.slice(1) : written;
    return { command: text, judged: text };
  }
  if (value.includes("\0")) return { problem: `the value of ${written} has a NUL in it` };
  if (!numbers.has(value)) numbers.set(value, numbers.size + 1);
  const reference = `\${${numbers.get(value)}}`;
  const quoted = quoteShell(value);
  if (quoting === "unquoted") return { command: `"${reference}"`, judged: quoted };
  // Closes and reopens the quotes around it.
  if (quoting === "double") return { command: reference, judged: `"${quoted}"` };
  return { problem: `${written} stands ${PLACES[quoting]}` };
}

const PLACES: Readonly<Record<"single" | "unclear", string>> = {
  single: "in single quotes, where a shell puts no value",
  unclear: "where it is not certain how a shell reads it; put it between words or in double quotes",
};

type Quoting = "unquoted" | "double" | "single" | "unclear";

/**
 * How a shell reads each of the given places, which are in order. One pass that gives up early: after
 * anything but words, quotes, plain variables and simple substitutions, every place is unclear. A wrong
 * answer could misplace quotes, but never put a value into the command: values are parameters.
 */
function quotingOf(
  command: string,
  places: readonly { readonly start: number; readonly end: number }[],
): Quoting[] {
  const found = places.map((): Quoting => "unclear");
  let isDouble = false;
  let index = 0;
  for (let at = 0; at < command.length; ) {
    const place = places[index];
    if (place !== undefined && at >= place.start) {
      // A `$` before the reference would turn it into another one.
      const isWhole = at === place.start && command.charAt(at - 1) !== "$";
      if (isWhole) found[index] = isDouble ? "double" : "unquoted";
      index += 1;
      at = Math.max(at, place.end);
      continue;
    }
    if (command.charAt(at) === '"') isDouble = !isDouble;
    const length = lengthAt(command, at, isDouble);
    if (length === undefined) return found;
    const isSingle = !isDouble && command.charAt(at) === "'";
    at += length;
    while (isSingle && (places[index]?.start ?? at) < at) found[index++] = "single";
  }
  return isDouble ? places.map(() => "unclear") : found;
}

function lengthAt(command: string, at: number, isDouble: boolean): number | undefined {
  for (const pattern of isDouble ? IN_QUOTES : OUTSIDE) {
    pattern.lastIndex = at;
    const match = pattern.exec(command);
    if (match !== null) return match[0].length;
  }
  return undefined;
}

const ESCAPED = /\\.?/sy;
// Without quotes or nesting, so that all shells agree where it ends.
const SIMPLE_SUBSTITUTION = /\$\([^()'"`\\#<>$]*\)|\$\{\w+\}/y;
const IN_QUOTES: readonly RegExp[] = [ESCAPED, SIMPLE_SUBSTITUTION, /\$(?![({])|[^\\$`]/y];
const OUTSIDE: readonly RegExp[] = [
  ESCAPED,
  SIMPLE_SUBSTITUTION,
  /'[^']*'/y,
  // A comment extends to the end of its line.
  /(?<![^\s;&|()])#[^\n]*/y,
  /<<<|[<>](?![<(])|>>(?!\()/y,
  // Tests, subscripts and arithmetic evaluate their input; a name before a parenthesis is a function or list.
  /(?<!\w)\[(?!\[)|(?<![\w=(])\((?![()])/y,
  /\$(?!['"({])|[^\\$`'#<>[(]|(?<=[^\s;&|()])#/y,
];
