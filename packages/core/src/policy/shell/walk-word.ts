import type {
  ArithmeticExpression,
  CommandExpansionPart,
  ParameterExpansionPart,
  ParameterOperation,
  ProcessSubstitutionPart,
  Word,
  WordPart,
} from "unbash";
import type { ShellAct, ShellWord } from "./shell-act.ts";

/** A stretch of text that the walk has accounted for. */
export interface Span {
  readonly pos: number;
  readonly end: number;
}

export interface ShellWalk {
  readonly acts: ShellAct[];
  readonly spans: Span[];
  /** Something may run that the walk does not see. */
  hidden(reason: string): void;
  /** Everything is seen, but something changes its meaning. */
  altered(reason: string): void;
  substitution(part: CommandExpansionPart | ProcessSubstitutionPart): void;
}

/** Finds the commands that run while a word is expanded; refuses expansions that may run one unseen. */
export function walkWord(word: Word, walk: ShellWalk): void {
  walk.spans.push(word);
  const literals = word.parts?.filter(({ type }) => type === "Literal") ?? [word];
  if (literals.some(({ text }) => OPERATORS.test(text.replace(/\\./gs, ""))))
    walk.hidden(`${word.text} holds an operator`);
  if (word.parts === undefined) checkDollars(word.text, walk);
  walkParts(word.parts, walk);
}

// Plain text in other shells; zsh expands it as a variable, whose value may be several words.
function checkDollars(text: string, walk: ShellWalk): void {
  if (/\$[\^~=\P{ASCII}]/u.test(text.replace(/\\./gs, ""))) walk.hidden(`${text} may stand for a variable`);
}

// The parser accepts some of these inside words, but shells do not.
const OPERATORS = /[()<>|&;`\s]/;

/** `walkWord` for the text of a here-document. */
export function walkParts(parts: readonly WordPart[] | undefined, walk: ShellWalk): void {
  for (const part of parts ?? []) walkPart(part, walk);
}

function walkPart(part: WordPart, walk: ShellWalk): void {
  switch (part.type) {
    case "Literal":
      checkDollars(part.text, walk);
      return;
    case "SingleQuoted":
      return;
    case "AnsiCQuoted":
      // Without escapes, all shells at least agree on where it ends.
      if (part.text.includes("\\")) walk.hidden(`${part.text} is not judged`);
      return;
    case "DoubleQuoted":
    case "BraceExpansion":
    case "Glob":
      walkParts(part.parts, walk);
      return;
    case "SimpleExpansion":
      return;
    case "ParameterExpansion":
      walkParameter(part, walk);
      return;
    case "ArithmeticExpansion":
      // A variable's value is evaluated as an expression itself, for example `a[$(command)]`.
      if (part.expression === undefined || !isNumeric(part.expression))
        walk.hidden(`${part.text} is more than arithmetic on numbers`);
      return;
    case "CommandExpansion":
    case "ProcessSubstitution":
      walk.substitution(part);
      return;
    default:
      // `$"…"` is looked up in a file, and zsh runs code from patterns in parentheses.
      walk.hidden(`${part.text} is not judged`);
  }
}

// `${x@P}` runs substitutions in a value, `${x[…]}` and `${x:…}` evaluate, `${!x}` evaluates another's value.
function walkParameter(part: ParameterExpansionPart, walk: ShellWalk): void {
  const { index, prefix, parameter, text } = part;
  const isPlain =
    // Shells disagree about where quotes and braces in there end.
    /^\$\{[^'"\\`$(){}\n]*\}$/.test(text) &&
    /^(?:[A-Za-z_][A-Za-z0-9_]*|\d+|[?#$@*])$/.test(parameter) &&
    prefix !== "!" &&
    (index === undefined || /^(?:\d+|[@*])$/.test(index.text));
  const words = isPlain ? operandsOf(part.operation) : undefined;
  if (words === undefined) {
    walk.hidden(`${text} is not judged`);
    return;
  }
  if (part.operation?.type === "Default" && part.operation.operator.endsWith("="))
    walk.altered(`${text} sets a variable`);
  for (const word of words) walkParts(word.parts, walk);
}

function operandsOf(operation: ParameterOperation | undefined): readonly Word[] | undefined {
  switch (operation?.type) {
    case undefined:
      return [];
    case "Default":
    case "Remove":
      return [operation.operand];
    case "Replace":
      return [operation.pattern, operation.replacement];
    case "CaseModification":
      return operation.operand === undefined ? [] : [operation.operand];
    case "Slice": {
      const bounds = [operation.offset, ...(operation.length === undefined ? [] : [operation.length])];
      return bounds.every(({ text }) => /^\s*-?\d+\s*$/.test(text)) ? [] : undefined;
    }
    default:
      return undefined;
  }
}

function isNumeric(expression: ArithmeticExpression): boolean {
  switch (expression.type) {
    case "ArithmeticWord":
      return /^\d+$/.test(expression.value);
    case "ArithmeticBinary":
      return isNumeric(expression.left) && isNumeric(expression.right);
    case "ArithmeticUnary":
      return isNumeric(expression.operand);
    case "ArithmeticGroup":
      return isNumeric(expression.expression);
    default:
      return false;
  }
}

/**
 * An expansion in double quotes leaves the text before it certain; without quotes it may become any number of
 * words. Substitutions in the word are not judged here but by the walk.
 */
export function readWord(word: Word): ShellWord {
  const { text, parts } = word;
  if (text.startsWith("~")) return { kind: "open", text, prefix: /^~(?:\/|$)/.test(text) ? "~" : "" };
  if (parts === undefined) return { kind: "known", value: word.value };
  const known: KnownText = { value: "", isComplete: true, mayMultiply: false };
  for (const part of parts) readPart(part, known);
  if (known.isComplete) return { kind: "known", value: known.value };
  return { kind: "open", text, prefix: known.mayMultiply ? "" : known.value };
}

interface KnownText {
  value: string;
  isComplete: boolean;
  /** Whether it may become further words, which are entirely unknown. */
  mayMultiply: boolean;
}

function readPart(part: WordPart, known: KnownText): void {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      append(part.value, known);
      return;
    case "AnsiCQuoted":
      // A plain `sh` keeps the dollar.
      known.isComplete = false;
      return;
    case "DoubleQuoted":
      for (const child of part.parts) {
        if (child.type === "Literal") append(child.value, known);
        else {
          known.isComplete = false;
          if (isList(child)) known.mayMultiply = true;
        }
      }
      return;
    case "Glob":
      known.isComplete = false;
      return;
    case "BraceExpansion":
      known.isComplete = false;
      if (part.parts?.some(({ type }) => type !== "Literal")) known.mayMultiply = true;
      return;
    case "ProcessSubstitution":
      if (known.isComplete && known.value === "") known.value = "/dev/fd/";
      known.isComplete = false;
      return;
    default:
      known.isComplete = false;
      known.mayMultiply = true;
  }
}

function append(value: string, known: KnownText): void {
  if (known.isComplete) known.value += value;
}

// `"$@"` and `"${a[@]}"` become several words despite the quotes.
function isList(part: WordPart): boolean {
  if (part.type === "SimpleExpansion") return part.text === "$@";
  return part.type === "ParameterExpansion" && /@/.test(part.text);
}
