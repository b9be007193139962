import type { ParameterExpansionPart, ParameterOperation, Word } from "unbash";
import {
  concatenate,
  EMPTY,
  known,
  mergeSources,
  replaceBounded,
  UNKNOWN,
  unknown,
  type Value,
} from "../model/value.ts";
import type { ShellMachine } from "./shell-machine.ts";

export function expandParameter(
  part: ParameterExpansionPart,
  shell: ShellMachine,
  expand: (word: Word) => Value,
): Value {
  const { parameter, prefix, index, operation } = part;
  let value = index === undefined ? shell.variable(parameter) : element(parameter, expand(index).text, shell);
  if (prefix === "#") return UNKNOWN;
  if (prefix === "!") {
    const name = value?.isKnown === true ? value.text : undefined;
    value = name === undefined || !/^\w+$/.test(name) ? UNKNOWN : shell.parameter(name);
  }
  if (operation === undefined) return value ?? shell.environment(parameter);
  if (operation.type === "Default") return withDefault(part, operation, value, shell, expand);
  // A common way to write a slash without one.
  if (operation.type === "Slice" && /^(?:HOME|PATH|PWD|SHELL|OLDPWD)$/.test(parameter))
    if (operation.offset.text.trim() === "0" && operation.length?.text.trim() === "1") return known("/");
  return transform(value ?? shell.environment(parameter), operation, expand);
}

function element(name: string, index: string, shell: ShellMachine): Value | undefined {
  const values = shell.list(name);
  if (index === "@" || index === "*") {
    if (values.length === 0) return undefined;
    return concatenate(values, index === "*" ? separatorOf(shell) : " ");
  }
  return /^-?\d{1,6}$/.test(index) ? values.at(Number(index)) : undefined;
}

// `"${a[*]}"` joins with the first character of IFS, or with nothing.
function separatorOf(shell: ShellMachine): string {
  return (shell.variable("IFS")?.text ?? " ").charAt(0);
}

function withDefault(
  part: ParameterExpansionPart,
  operation: Extract<ParameterOperation, { type: "Default" }>,
  value: Value | undefined,
  shell: ShellMachine,
  expand: (word: Word) => Value,
): Value {
  const { operator } = operation;
  if (operator.endsWith("?")) return value ?? shell.environment(part.parameter);
  const operand = expand(operation.operand);
  if (operator.endsWith("+")) return operand;
  if (value !== undefined && (value.text !== "" || !operator.startsWith(":"))) return value;
  const outside = value === undefined ? shell.environment(part.parameter) : EMPTY;
  const chosen = { ...operand, sources: mergeSources(operand.sources, outside.sources) };
  if (operator.endsWith("=")) shell.setVariable(part.parameter, chosen);
  return chosen;
}

function transform(value: Value, operation: ParameterOperation, expand: (word: Word) => Value): Value {
  if (!value.isKnown) return value;
  const { text } = value;
  switch (operation.type) {
    case "Remove":
      return { ...value, text: removed(text, operation.operator, expand(operation.operand).text) };
    case "Replace": {
      const pattern = expand(operation.pattern).text;
      const replacement = expand(operation.replacement).text;
      if (pattern === "" || /[*?[]/.test(pattern)) return unknown(value.sources);
      const isAll = operation.operator === "//";
      const changed = isAll
        ? replaceBounded(text, pattern, replacement)
        : text.replace(pattern, () => replacement);
      return known(changed, value.sources);
    }
    case "Slice": {
      const offset = Number(expand(operation.offset).text);
      const length = operation.length === undefined ? undefined : Number(expand(operation.length).text);
      if (!Number.isInteger(offset) || (length !== undefined && !Number.isInteger(length)))
        return unknown(value.sources);
      const start = offset < 0 ? Math.max(0, text.length + offset) : offset;
      const end = length === undefined ? text.length : length < 0 ? text.length + length : start + length;
      return { ...value, text: text.slice(start, end) };
    }
    case "CaseModification":
      return { ...value, text: changeCase(text, operation.operator) };
    case "Unknown":
    case "Names":
      return unknown(value.sources);
    default:
      return value;
  }
}

function removed(text: string, operator: string, pattern: string): string {
  const isStart = operator.startsWith("#");
  if (/[?[]/.test(pattern)) return text;
  // The usual globs: `##*/`, `%.*`, `%%/*`.
  const star = pattern.indexOf("*");
  if (star === -1) {
    if (isStart) return text.startsWith(pattern) ? text.slice(pattern.length) : text;
    return text.endsWith(pattern) ? text.slice(0, text.length - pattern.length) : text;
  }
  if (isStart && star === 0) {
    const tail = pattern.slice(1);
    const at = operator === "##" ? text.lastIndexOf(tail) : text.indexOf(tail);
    return at === -1 ? text : text.slice(at + tail.length);
  }
  if (!isStart && star === pattern.length - 1) {
    const head = pattern.slice(0, -1);
    const at = operator === "%%" ? text.indexOf(head) : text.lastIndexOf(head);
    return at === -1 ? text : text.slice(0, at);
  }
  return text;
}

function changeCase(text: string, operator: string): string {
  switch (operator) {
    case "^^":
      return text.toUpperCase();
    case ",,":
      return text.toLowerCase();
    case "^":
      return text.charAt(0).toUpperCase() + text.slice(1);
    default:
      return text.charAt(0).toLowerCase() + text.slice(1);
  }
}
