import { ExactNumber } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { LOCK_VERSION, type Lock, type LockEntry } from "./lock-entry.ts";

type Members = readonly (readonly [key: string, text: string])[];

/** The same entries give the same bytes, and each file has a line of its own, so that merges are by file. */
export function formatLock(lock: Lock): string {
  const skills = [...lock.skills]
    .sort(([left], [right]) => compareByteOrder(left, right))
    .map(([name, entry]) => [name, formatEntry(entry, "    ")] as const);
  const members: Members = [
    ...membersOf(lock.extra ?? {}).map(([key, value]) => [key, renderJson(value, "  ")] as const),
    ["lockVersion", String(LOCK_VERSION)],
    ["skills", renderMembers(skills, "  ")],
  ];
  return `${renderMembers(
    members.toSorted(([left], [right]) => compareByteOrder(left, right)),
    "",
  )}\n`;
}

export function formatEntry(entry: LockEntry, indent: string = ""): string {
  const members = membersOf(entry).map(
    ([key, value]) => [key, formatMember(key, value, `${indent}  `)] as const,
  );
  return renderMembers(members, indent);
}

export function isSameEntry(
  left: LockEntry | null | undefined,
  right: LockEntry | null | undefined,
): boolean {
  if (left == null || right == null) return left == null && right == null;
  return formatEntry(left) === formatEntry(right);
}

function formatMember(key: string, value: unknown, indent: string): string {
  if (key === "targets" && Array.isArray(value)) return renderList(value.map(renderInline), indent);
  if (key === "files" && isMembers(value))
    return renderMembers(
      membersOf(value).map(([path, file]) => [path, renderInline(file)]),
      indent,
    );
  if (key === "capabilities" && isMembers(value)) {
    const listed = membersOf(value).filter(([, items]) => !(Array.isArray(items) && items.length === 0));
    return renderJson(Object.assign(Object.create(null), Object.fromEntries(listed)), indent);
  }
  return renderJson(value, indent);
}

/** A value as JSON over several lines, by default with keys in byte order; what is undefined is left out. */
export function renderJson(
  value: unknown,
  indent: string = "",
  keys: "sorted" | "as-given" = "sorted",
): string {
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return renderList(
      value.map((item) => renderJson(item, inner, keys)),
      indent,
    );
  if (!isMembers(value)) return renderScalar(value);
  const members = membersOf(value, keys).map(([key, item]) => [key, renderJson(item, inner, keys)] as const);
  return renderMembers(members, indent);
}

/** A value as JSON on one line, keys in byte order, so that a merge treats it as one thing. */
export function renderInline(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.map(renderInline).join(", ")}]`;
  if (!isMembers(value)) return renderScalar(value);
  const members = membersOf(value).map(([key, item]) => `${JSON.stringify(key)}: ${renderInline(item)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function renderMembers(members: Members, indent: string): string {
  if (members.length === 0) return "{}";
  const lines = members.map(([key, text]) => `${indent}  ${JSON.stringify(key)}: ${text}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

function renderList(items: readonly string[], indent: string): string {
  if (items.length === 0) return "[]";
  return `[\n${items.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}]`;
}

function membersOf(value: object, keys: "sorted" | "as-given" = "sorted"): readonly [string, unknown][] {
  const members = Object.entries<unknown>(value as Readonly<Record<string, unknown>>).filter(
    ([, item]) => item !== undefined,
  );
  return keys === "sorted" ? members.sort(([left], [right]) => compareByteOrder(left, right)) : members;
}

function isMembers(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber);
}

function renderScalar(value: unknown): string {
  return value instanceof ExactNumber ? value.token : JSON.stringify(value);
}
