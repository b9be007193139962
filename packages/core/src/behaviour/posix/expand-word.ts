import type { ParameterExpansionPart, ParsedScript, Word, WordPart } from "unbash";
import { type Argument, exact, joinArguments, UNKNOWN } from "../command/argument.ts";
import type { CommandScope } from "../command/command-scope.ts";

/** Reads the script of a substitution and gives the lines it prints, where those are known. */
export type Substitute = (script: ParsedScript) => readonly Argument[];

/** Words that a word with braces becomes; further ones are left out. */
const MAX_VARIANTS = 16;

/** What a word becomes before the command runs: several words for braces and for a variable that holds some. */
export function expandWord(
  word: Pick<Word, "text" | "value" | "parts">,
  scope: CommandScope,
  substitute: Substitute,
): Argument[] {
  const { parts = [{ type: "Literal", value: word.value, text: word.text, pos: 0, end: 0 }] } = word;
  let variants: readonly Argument[] = [exact("")];
  parts.forEach((part, at) => {
    const next = at === 0 ? expandTilde(part, scope) : undefined;
    const choices = next === undefined ? expandPart(part, scope, substitute) : [next];
    variants = variants
      .flatMap((variant) => choices.map((choice) => joinArguments(variant, choice)))
      .slice(0, MAX_VARIANTS);
  });
  const [only] = variants;
  // Without quotes the shell splits the value of a variable into words.
  if (parts.length === 1 && isExpansion(parts[0]) && only?.kind === "exact" && /\s/.test(only.text))
    return only.text.trim().split(/\s+/).slice(0, MAX_VARIANTS).map(exact);
  return [...variants];
}

function isExpansion(part: WordPart | undefined): boolean {
  return part?.type === "SimpleExpansion" || part?.type === "ParameterExpansion";
}

function expandTilde(part: WordPart, { home }: CommandScope): Argument | undefined {
  if (part.type !== "Literal" || !part.text.startsWith("~")) return undefined;
  // Of another user's home nothing is known.
  if (!/^~(?:\/|$)/.test(part.value)) return UNKNOWN;
  return exact(home + part.value.slice(1));
}

function expandPart(part: WordPart, scope: CommandScope, substitute: Substitute): readonly Argument[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [exact(part.value)];
    case "DoubleQuoted":
    case "LocaleString":
      return [
        part.parts
          .map((child) => expandPart(child, scope, substitute)[0] ?? UNKNOWN)
          .reduce(joinArguments, exact("")),
      ];
    case "Glob":
    case "ExtendedGlob":
      return [{ kind: "pattern", text: "*" }];
    case "BraceExpansion":
      return expandBraces(part.text);
    case "SimpleExpansion":
      return [scope.variable(part.text.slice(1))];
    case "ParameterExpansion":
      return [expandParameter(part, scope, substitute)];
    case "CommandExpansion": {
      const lines = part.script === undefined ? [] : substitute(part.script);
      return [lines.length === 1 ? (lines[0] ?? UNKNOWN) : UNKNOWN];
    }
    case "ProcessSubstitution":
      if (part.script !== undefined) substitute(part.script);
      return [UNKNOWN];
    default:
      return [UNKNOWN];
  }
}

function expandBraces(text: string): readonly Argument[] {
  const inside = /^\{([^{}$`'"\\]*,[^{}$`'"\\]*)\}$/.exec(text)?.[1];
  if (inside === undefined) return [{ kind: "pattern", text: "*" }];
  return inside
    .split(",")
    .slice(0, MAX_VARIANTS)
    .map((choice) => ({ kind: /[*?[]/.test(choice) ? "pattern" : "exact", text: choice }));
}

function expandParameter(
  { parameter, prefix, index, operation }: ParameterExpansionPart,
  scope: CommandScope,
  substitute: Substitute,
): Argument {
  if (prefix !== undefined || index !== undefined) return UNKNOWN;
  const value = scope.variable(parameter);
  if (operation === undefined) return value;
  if (operation.type !== "Default" || operation.operator.endsWith("+")) return UNKNOWN;
  if (value.kind !== "unknown" || operation.operator.endsWith("?")) return value;
  const [fallback = UNKNOWN] = expandWord(operation.operand, scope, substitute);
  return fallback;
}
