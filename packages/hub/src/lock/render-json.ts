import { compareByteOrder } from "@skillet/core";

/** A value as JSON over several lines, keys in byte order; what is undefined is left out. */
export function renderJson(value: unknown, indent: string = ""): string {
  if (Array.isArray(value))
    return renderList(
      value.map((item) => renderJson(item, `${indent}  `)),
      indent,
    );
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return renderMembers(
    definedKeys(value).map((key) => [key, renderJson(memberOf(value, key), `${indent}  `)]),
    indent,
  );
}

/** A value as JSON on one line, keys in byte order, so that a merge treats it as one thing. */
export function renderInline(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.map(renderInline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = definedKeys(value).map(
    (key) => `${JSON.stringify(key)}: ${renderInline(memberOf(value, key))}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** An object from members that are rendered already, in the order given. */
export function renderMembers(members: readonly (readonly [string, string])[], indent: string): string {
  if (members.length === 0) return "{}";
  const lines = members.map(([key, text]) => `${indent}  ${JSON.stringify(key)}: ${text}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

/** A list from items that are rendered already. */
export function renderList(items: readonly string[], indent: string): string {
  if (items.length === 0) return "[]";
  return `[\n${items.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}]`;
}

/** The keys of an object that have a value, in byte order. */
export function definedKeys(value: object): readonly string[] {
  return Object.keys(value)
    .filter((key) => memberOf(value, key) !== undefined)
    .sort(compareByteOrder);
}

/** What an object holds under a key of its own. */
export function memberOf(value: object, key: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[key];
}
