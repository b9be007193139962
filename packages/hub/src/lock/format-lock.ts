import { ExactNumber } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { LOCK_VERSION, type Lock, type LockEntry } from "./lock-entry.ts";

/** The same entries give the same bytes, and each file has a line of its own, so that merges are by file. */
export function formatLock(lock: Lock): string {
  const skills = [...lock.skills].sort(([left], [right]) => compareByteOrder(left, right));
  const extra = lock.extra ?? {};
  const members: [string, string][] = [
    ...definedKeys(extra).map((key): [string, string] => [key, renderJson(memberOf(extra, key), "  ")]),
    ["lockVersion", String(LOCK_VERSION)],
    [
      "skills",
      renderMembers(
        skills.map(([name, entry]) => [name, formatEntry(entry, "    ")]),
        "  ",
      ),
    ],
  ];
  return `${renderMembers(
    members.sort(([left], [right]) => compareByteOrder(left, right)),
    "",
  )}\n`;
}

export function formatEntry(entry: LockEntry, indent: string = ""): string {
  const inner = `${indent}  `;
  return renderMembers(
    definedKeys(entry).map((key) => [key, formatMember(key, memberOf(entry, key), inner)]),
    indent,
  );
}

export function isSameEntry(
  left: LockEntry | null | undefined,
  right: LockEntry | null | undefined,
): boolean {
  if (left == null || right == null) return left == null && right == null;
  return formatEntry(left) === formatEntry(right);
}

function formatMember(key: string, value: unknown, indent: string): string {
  if (key === "files" && typeof value === "object" && value !== null) {
    return renderMembers(
      definedKeys(value).map((path) => [path, renderInline(memberOf(value, path))]),
      indent,
    );
  }
  if (key === "targets" && Array.isArray(value)) return renderList(value.map(renderInline), indent);
  if (key === "capabilities" && typeof value === "object" && value !== null) {
    const named = definedKeys(value).filter((name) => !isEmptyList(memberOf(value, name)));
    return renderMembers(
      named.map((name) => [name, renderJson(memberOf(value, name), `${indent}  `)]),
      indent,
    );
  }
  return renderJson(value, indent);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** A value as JSON over several lines, keys in byte order; what is undefined is left out. */
function renderJson(value: unknown, indent: string = ""): string {
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

function renderMembers(members: readonly (readonly [string, string])[], indent: string): string {
  if (members.length === 0) return "{}";
  const lines = members.map(([key, text]) => `${indent}  ${JSON.stringify(key)}: ${text}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

function renderList(items: readonly string[], indent: string): string {
  if (items.length === 0) return "[]";
  return `[\n${items.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}]`;
}

function definedKeys(value: object): readonly string[] {
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
