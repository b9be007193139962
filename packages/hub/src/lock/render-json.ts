import { ExactNumber } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";

/** A value as JSON over several lines, keys in byte order; what is undefined is left out. */
export function renderJson(value: unknown, indent: string = ""): string {
  if (Array.isArray(value))
    return renderList(
      value.map((item) => renderJson(item, `${indent}  `)),
      indent,
    );
  if (!isMembers(value)) return renderScalar(value);
  return renderMembers(
    definedKeys(value).map((key) => [key, renderJson(memberOf(value, key), `${indent}  `)]),
    indent,
  );
}

/** A value as JSON on one line, keys in byte order, so that a merge treats it as one thing. */
export function renderInline(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.map(renderInline).join(", ")}]`;
  if (!isMembers(value)) return renderScalar(value);
  const members = definedKeys(value).map(
    (key) => `${JSON.stringify(key)}: ${renderInline(memberOf(value, key))}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** A value as `JSON.stringify` lays it out over several lines, keys as they come. */
export function renderInOrder(value: unknown, indent: string = ""): string {
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return renderList(
      value.map((item) => renderInOrder(item, inner)),
      indent,
    );
  if (!isMembers(value)) return renderScalar(value);
  const keys = Object.keys(value).filter((key) => memberOf(value, key) !== undefined);
  return renderMembers(
    keys.map((key) => [key, renderInOrder(memberOf(value, key), inner)]),
    indent,
  );
}

export function renderMembers(members: readonly (readonly [string, string])[], indent: string): string {
  if (members.length === 0) return "{}";
  const lines = members.map(([key, text]) => `${indent}  ${JSON.stringify(key)}: ${text}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

export function renderList(items: readonly string[], indent: string): string {
  if (items.length === 0) return "[]";
  return `[\n${items.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}]`;
}

export function definedKeys(value: object): readonly string[] {
  return Object.keys(value)
    .filter((key) => memberOf(value, key) !== undefined)
    .sort(compareByteOrder);
}

export function memberOf(value: object, key: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[key];
}

function isMembers(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber);
}

function renderScalar(value: unknown): string {
  return value instanceof ExactNumber ? value.token : JSON.stringify(value);
}
