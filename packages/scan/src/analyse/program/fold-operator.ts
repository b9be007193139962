import { phrases } from "../../word-list.ts";
import {
  HOLE,
  joinValues,
  knownText,
  listValue,
  MAX_FOLDED_CHARACTERS,
  MAX_ITEMS,
  MAX_JOINED_LIST,
  taintsOf,
  taintsOfAll,
  textValue,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
  withTaints,
} from "./value.ts";

export function concatValues(parts: readonly Value[], how: "template" | "plus"): Value {
  const taints = taintsOfAll(parts);
  if (how === "plus") {
    if (parts.every((part) => part.number !== undefined && part.text === undefined))
      return { number: parts.reduce((sum, part) => sum + (part.number ?? 0), 0), taints };
    if (parts.some((part) => part.box?.items !== undefined)) return joinLists(parts);
    if (!parts.some((part) => part.text !== undefined)) return unknownWith(taints);
  }
  let text = "";
  for (const part of parts) {
    text += plainTextOf(part) ?? HOLE;
    if (text.length > MAX_FOLDED_CHARACTERS) break;
  }
  return {
    ...textValue(collapseHoles(text), taints),
    isBytes: parts.some((part) => part.isBytes),
    isEncrypted: parts.some((part) => part.isEncrypted),
    isRearranged: parts.some((part) => part.isRearranged),
    isBuilt: parts.filter((part) => part.text !== undefined && part.text !== "").length > 1,
  };
}

/** The same text, marked as arranged by computation. */
export function rearranged(value: Value): Value {
  return value.text === undefined || value.isRearranged === true ? value : { ...value, isRearranged: true };
}

export function plainTextOf(value: Value): string | undefined {
  return value.text ?? (value.number === undefined ? undefined : String(value.number));
}

export function collapseHoles(text: string): string {
  return text.includes(HOLE + HOLE) ? text.replace(HOLES, HOLE) : text;
}

const HOLES = new RegExp(`${HOLE}{2,}`, "g");

export function foldBinary(operator: string, left: Value, right: Value): Value {
  if (LOGICAL.has(operator)) return foldLogical(operator, left, right);
  if (COMPARING.has(operator)) return compareValues(operator, left, right);
  if (operator === "|" ? left.box?.items !== undefined : operator === "+")
    return concatValues([left, right], "plus");
  const taints = unionTaints(taintsOf(left), taintsOf(right));
  if (left.number !== undefined && right.number !== undefined) {
    const compute = Object.hasOwn(ARITHMETIC, operator) ? ARITHMETIC[operator] : undefined;
    return { number: compute?.(left.number, right.number), taints };
  }
  if (operator === "%" && left.text !== undefined)
    return withTaints(fillGaps(left, PERCENT, right.box?.items ?? [right], right.box?.fields), taints);
  if (operator === "/" && (left.text !== undefined || left.api === "pathlib.object"))
    return { text: joinPath([left, right]), api: "pathlib.object", taints };
  const text = left.text ?? right.text;
  const count = left.number ?? right.number;
  const items = left.box?.items ?? right.box?.items;
  if (operator === "*" && items !== undefined && count !== undefined) return repeatList(items, count, taints);
  if (operator === "*" && text !== undefined && count !== undefined) {
    if (count * text.length > MAX_FOLDED_CHARACTERS || count < 0) return unknownWith(taints);
    return { ...textValue(text.repeat(Math.floor(count)), taints), isBuilt: true };
  }
  return unknownWith(taints);
}

export function foldUnary(operator: string, operand: Value): Value {
  if (operator === "-" && operand.number !== undefined)
    return { number: -operand.number, taints: operand.taints };
  if (operator === "~" && operand.number !== undefined)
    return { number: ~operand.number, taints: operand.taints };
  if (operator === "+") return operand.number === undefined ? unknownWith(taintsOf(operand)) : operand;
  if (operator === "not" || operator === "!") {
    const truth = truthOf(operand);
    return truth === undefined ? UNKNOWN : { number: truth ? 0 : 1, taints: [] };
  }
  return UNKNOWN;
}

export function truthOf(value: Value): boolean | undefined {
  if (value.isParameter === true || value.alternatives !== undefined) return undefined;
  return value.number === undefined ? undefined : value.number !== 0;
}

export function foldSlice(object: Value, bounds: readonly (Value | undefined)[]): Value {
  const [from, to, step] = bounds;
  const taints = taintsOf(object);
  const text = knownText(object);
  if ([from, to, step].some((bound) => bound !== undefined && bound.number === undefined))
    return unknownWith(taints);
  const isPlain = step?.number === undefined || step.number === 1;
  if (text !== undefined) {
    const characters = isPlain
      ? text.slice(from?.number, to?.number)
      : sliceOf(Array.from(text), from?.number, to?.number, step.number).join("");
    const isRearranged = !isPlain || object.isRearranged === true;
    return {
      ...textValue(characters, taints),
      isBuilt: true,
      isBytes: object.isBytes === true,
      isRearranged,
    };
  }
  if (object.box?.items !== undefined) {
    if (object.box.isLoose === true) return joinLists([object]);
    const items = sliceOf(object.box.items, from?.number, to?.number, step?.number);
    return listValue(isPlain ? items : items.map(rearranged));
  }
  return unknownWith(taints);
}

/** Joins parts of a path; a part that starts at the root or at home replaces the earlier ones. */
export function joinPath(parts: readonly Value[]): string {
  let path = "";
  for (const part of parts) {
    const text = plainTextOf(part) ?? HOLE;
    if (path === "" || text.startsWith("/") || text.startsWith("~") || /^[A-Za-z]:[\\/]/.test(text))
      path = text;
    else path = `${path.replace(/\/$/, "")}/${text.replace(/^\.\//, "")}`;
  }
  return path.slice(0, 4_096).replaceAll(`${HOLE}/${HOLE}`, HOLE);
}

const LOGICAL: ReadonlySet<string> = new Set(["or", "and", "||", "&&", "??"]);
const COMPARING: ReadonlySet<string> = new Set(
  phrases("==, !=, ===, !==, <, >, <=, >=, in, not in, is, is not, instanceof"),
);

function foldLogical(operator: string, left: Value, right: Value): Value {
  const truth = right.number === undefined ? undefined : truthOf(left);
  if (truth === undefined || operator === "??") return joinValues(left, right);
  return truth === (operator === "and" || operator === "&&") ? right : left;
}

/** One or zero if the result is certain, for counting loops and decoders that choose. */
function compareValues(operator: string, left: Value, right: Value): Value {
  if (left.number !== undefined && right.number !== undefined)
    return compareNumbers(operator, left.number, right.number);
  const text = sureText(left);
  if (text === undefined) return UNKNOWN;
  if (operator === "in" || operator === "not in") {
    const holds = holdsText(right, text);
    return holds === undefined ? UNKNOWN : { number: holds === (operator === "in") ? 1 : 0, taints: [] };
  }
  const other = sureText(right);
  if (other === undefined || !/^[!=<>]/.test(operator)) return UNKNOWN;
  if (operator.startsWith("<") || operator.startsWith(">"))
    return compareNumbers(operator, text < other ? -1 : text > other ? 1 : 0, 0);
  return { number: (text === other) === operator.startsWith("=") ? 1 : 0, taints: [] };
}

/** A text that is the same in every run of the program. */
function sureText(value: Value): string | undefined {
  return value.isParameter === true || value.alternatives !== undefined ? undefined : knownText(value);
}

function holdsText(value: Value, text: string): boolean | undefined {
  const whole = sureText(value);
  if (whole !== undefined) return whole.includes(text);
  if (value.api !== undefined || value.box === undefined || value.box.isLoose === true) return undefined;
  if (value.box.items === undefined)
    return value.box.definition === undefined ? value.box.fields?.has(text) : undefined;
  let isSure = true;
  for (const item of value.box.items) {
    const known = sureText(item);
    if (known === text) return true;
    if (known === undefined) isSure = false;
  }
  return isSure ? false : undefined;
}

function compareNumbers(operator: string, left: number, right: number): Value {
  const order = operator.startsWith("<") ? left < right : operator.startsWith(">") ? left > right : false;
  const equal = left === right;
  if (operator === "!=" || operator === "!==") return { number: equal ? 0 : 1, taints: [] };
  const holds = order || (equal && (operator.includes("=") || operator === "is"));
  return { number: holds ? 1 : 0, taints: [] };
}

function repeatList(items: readonly Value[], count: number, taints: Value["taints"]): Value {
  if (!(count >= 0) || count * items.length > MAX_ITEMS) return unknownWith(taints);
  return listValue(Array.from({ length: Math.floor(count) }, () => items).flat(), taints);
}

/** One list of the elements of all these lists; a value that is not a list becomes an element. */
export function joinLists(parts: readonly Value[]): Value {
  const items: Value[] = [];
  for (const part of parts)
    for (const item of part.box?.items ?? [part]) if (items.length < MAX_JOINED_LIST) items.push(item);
  const isLoose =
    items.length === MAX_JOINED_LIST ||
    parts.some((part) => part.box?.items === undefined || part.box.isLoose === true);
  return listValue(items, taintsOfAll(parts), isLoose);
}

const ARITHMETIC: Readonly<Record<string, (left: number, right: number) => number | undefined>> = {
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => (right === 0 ? undefined : left / right),
  "//": (left, right) => (right === 0 ? undefined : Math.floor(left / right)),
  "%": (left, right) => (right === 0 ? undefined : left - right * Math.floor(left / right)),
  "^": (left, right) => left ^ right,
  "&": (left, right) => left & right,
  "|": (left, right) => left | right,
  "<<": (left, right) => left << right,
  ">>": (left, right) => left >> right,
  ">>>": (left, right) => left >>> right,
  "**": (left, right) => left ** right,
};

const PERCENT = /%(?:\((\w+)\))?[-+#0 ]{0,3}\d{0,4}(?:\.\d{1,3})?[@cdfgiqrsvx]/g;

/** Fills a template: a gap by its name or number, one without either by the next value. */
export function fillGaps(
  template: Value,
  gaps: RegExp,
  values: readonly Value[],
  named: ReadonlyMap<string, Value> | undefined,
): Value {
  let next = 0;
  const text = (template.text ?? "").replace(gaps, (_, name: string = "") => {
    const value = name === "" ? values[next++] : /^\d+$/.test(name) ? values[Number(name)] : named?.get(name);
    return plainTextOf(value ?? UNKNOWN) ?? HOLE;
  });
  const taints = taintsOfAll([template, ...values, ...(named?.values() ?? [])]);
  return { ...textValue(collapseHoles(text), taints), isBuilt: true };
}

function sliceOf<Item>(
  items: readonly Item[],
  from: number | undefined,
  to: number | undefined,
  step = 1,
): readonly Item[] {
  if (step === 0 || !Number.isInteger(step)) return [];
  if (step > 0) return items.slice(from, to).filter((_, index) => index % step === 0);
  const start =
    from === undefined ? items.length - 1 : from < 0 ? items.length + from : Math.min(from, items.length - 1);
  const end = to === undefined ? -1 : to < 0 ? items.length + to : to;
  const result: Item[] = [];
  for (let index = start; index > end; index += step) {
    const item = items[index];
    if (item !== undefined) result.push(item);
  }
  return result;
}
