import type { Range } from "@skillet/kit/diagnostics";
import type { Located } from "@skillet/kit/located";
import { nearestName } from "@skillet/kit/nearest-name";
import { positionKey } from "./config-layer.ts";
import { showKeyPath } from "./key-path.ts";

/** Collects what readers find: places of values, faults that make the config unusable, and keys nobody knows. */
interface ReadContext {
  readonly positions: Map<string, Range | undefined>;
  readonly fault: (range: Range | undefined, message: string, hint: string) => void;
  readonly unknownKey: (
    range: Range | undefined,
    path: readonly string[],
    suggestion: string | undefined,
  ) => void;
}

/** Reads one value; undefined when it is not set (YAML's empty value counts as that) or faulty. */
export type Reader<Value> = (
  node: Located,
  path: readonly string[],
  context: ReadContext,
) => Value | undefined;

/** A map with known keys; the others are reported and passed over. */
export function readFields<Value extends object>(
  fields: { readonly [Key in keyof Value]-?: Reader<NonNullable<Value[Key]>> },
  options: { readonly required?: readonly (keyof Value & string)[] } = {},
): Reader<Value> {
  const readers = new Map<string, Reader<unknown>>(Object.entries(fields));
  return (node, path, context) => {
    if (isUnset(node)) return undefined;
    if (node.kind !== "map") return wrongKind(node, path, context, "a map of keys and values");
    const values: Record<string, unknown> = {};
    for (const { key, keyRange, value } of node.entries) {
      const read = readers.get(key);
      if (read === undefined) {
        context.unknownKey(keyRange, [...path, key], nearestName(key, [...readers.keys()]));
        continue;
      }
      const result = read(value, [...path, key], context);
      if (result !== undefined) values[key] = result;
    }
    for (const key of options.required ?? []) {
      if (node.entries.every((entry) => entry.key !== key || isUnset(entry.value)))
        context.fault(node.range, `${nameOf(path)} has no \`${key}\``, `add \`${key}:\` with a value`);
    }
    context.positions.set(positionKey(path), node.range);
    // Only keys of `fields` were set, each by the reader of that key.
    return values as Value;
  };
}

/** A map whose keys are the user's own. */
export function readRecord<Value>(
  readValue: Reader<Value>,
  options: { readonly readKey?: (key: string) => string } = {},
): Reader<Readonly<Record<string, Value>>> {
  return (node, path, context) => {
    if (isUnset(node)) return undefined;
    if (node.kind !== "map") return wrongKind(node, path, context, "a map of names and values");
    const values: Record<string, Value> = Object.create(null);
    for (const entry of node.entries) {
      const key = options.readKey?.(entry.key) ?? entry.key;
      const value = readValue(entry.value, [...path, key], context);
      if (value === undefined) continue;
      values[key] = value;
      context.positions.set(positionKey([...path, key]), entry.keyRange);
    }
    return values;
  };
}

/** A list of values that are all of one kind. */
export function readList<Value>(readItem: Reader<Value>): Reader<readonly Value[]> {
  return (node, path, context) => {
    if (isUnset(node)) return undefined;
    if (node.kind !== "list") return wrongKind(node, path, context, "a list");
    const values: Value[] = [];
    for (const [index, item] of node.items.entries()) {
      const itemPath = [...path, String(index)];
      if (isUnset(item))
        context.fault(item.range, `${nameOf(itemPath)} is empty`, "remove it or give it a value");
      const value = readItem(item, itemPath, context);
      if (value === undefined) continue;
      values.push(value);
      context.positions.set(positionKey(itemPath), item.range);
    }
    context.positions.set(positionKey(path), node.range);
    return values;
  };
}

/** A single value that `accept` turns into what is wanted, or refuses by returning undefined. */
export function readScalar<Value>(
  what: string,
  hint: string,
  accept: (value: string | number | boolean) => Value | undefined,
): Reader<Value> {
  return (node, path, context) => {
    if (isUnset(node)) return undefined;
    const value = node.kind === "scalar" && node.value !== null ? accept(node.value) : undefined;
    if (value === undefined) return wrongKind(node, path, context, what, hint);
    context.positions.set(positionKey(path), node.range);
    return value;
  };
}

/** One word out of a few. */
export function readChoice<Choice extends string>(choices: readonly Choice[]): Reader<Choice> {
  const what = `one of ${choices.join(", ")}`;
  return (node, path, context) => {
    const typed = node.kind === "scalar" && typeof node.value === "string" ? node.value : "";
    const near = nearestName(typed, choices);
    const hint = near === undefined ? `write ${what}` : `did you mean ${near}?`;
    return readScalar(what, hint, (value) => choices.find((choice) => choice === value))(node, path, context);
  };
}

function isUnset(node: Located): boolean {
  return node.kind === "scalar" && node.value === null;
}

function wrongKind(
  node: Located,
  path: readonly string[],
  context: ReadContext,
  what: string,
  hint?: string,
): undefined {
  context.fault(
    node.range,
    `${nameOf(path)} must be ${what}, but is ${describe(node)}`,
    hint ?? `make it ${what}`,
  );
  return undefined;
}

function nameOf(path: readonly string[]): string {
  return path.length === 0 ? "the configuration" : showKeyPath(path);
}

function describe(node: Located): string {
  if (node.kind !== "scalar") return `a ${node.kind}`;
  const text = JSON.stringify(node.value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
