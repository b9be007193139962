import { createRangeTest } from "../../mention/code-ranges.ts";
import { findTokens, type Substitution } from "./find-tokens.ts";
import { quoteForShell } from "./quote-for-shell.ts";
import { type Quoting, quotingOf } from "./quoting-of.ts";

/** A command whose values are parameters of the shell that runs it. */
export interface PlacedCommand {
  /** With references such as `"${1}"` in the places of values. */
  readonly command: string;
  /** The same command with every value quoted in its place: what the shell will make of it. */
  readonly judged: string;
  /** The parameters, from the first on. */
  readonly parameters: readonly string[];
  readonly usesArguments: boolean;
}

/**
 * Puts references to parameters into a command for the tokens of a skill, or says why that cannot be done.
 *
 * Values never become part of the command's text, so that none can end the quotes that its author wrote around a token.
 */
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
  /** A token for a value, one that is escaped, or what the shell itself takes for parameters. */
  readonly kind: "value" | "escaped" | "own";
  readonly value?: string;
}

/** The command without the tokens that are empty, and the places of the others; escaped ones with their backslash. */
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

// What an author wrote for no parameters must not get ours.
const OWN = /\$(?:[\d@*#]|\{[#!]?[\d@*])/g;

function findOwn(text: string, tokens: readonly Place[]): Place[] {
  const isToken = createRangeTest(tokens);
  return [...text.matchAll(OWN)]
    .map(({ index }): Place => ({ start: index, end: index + 2, kind: "own" }))
    .filter(({ start }) => !isToken(start));
}

interface Pieces {
  readonly command: string;
  readonly judged: string;
}

function placeToken(
  { kind, value = "" }: Place,
  written: string,
  quoting: Quoting,
  numbers: Map<string, number>,
): Pieces | { readonly problem: string } {
  if (kind === "own" && quoting !== "single")
    return { problem: `${written} stands for a parameter that is not there` };
  if (kind !== "value") {
    // A shell takes the backslash off itself, but not in single quotes.
    const text = kind === "escaped" && quoting === "single" ? written.slice(1) : written;
    return { command: text, judged: text };
  }
  if (value.includes("\0")) return { problem: `the value of ${written} has a NUL in it` };
  if (!numbers.has(value)) numbers.set(value, numbers.size + 1);
  const reference = `\${${numbers.get(value)}}`;
  const quoted = quoteForShell(value);
  if (quoting === "unquoted") return { command: `"${reference}"`, judged: quoted };
  // The quotes around it are closed and opened again.
  if (quoting === "double") return { command: reference, judged: `"${quoted}"` };
  return { problem: `${written} stands ${PLACES[quoting]}` };
}

const PLACES: Readonly<Record<"single" | "unclear", string>> = {
  single: "in single quotes, where a shell puts no value",
  unclear: "where it is not certain how a shell reads it; put it between words or in double quotes",
};
