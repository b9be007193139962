import { ExactNumber } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { LOCK_VERSION, type Lock, type LockEntry } from "./lock-entry.ts";

/** A value that is written on one line, so that merges treat it as a unit. */
class OneLine {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** The same entries give the same bytes, and each file is on a line of its own, so that merges work file by file. */
export function formatLock(lock: Lock): string {
  const skills = Object.fromEntries([...lock.skills].map(([name, entry]) => [name, laidOut(entry)]));
  return `${renderJson({ ...lock.extra, lockVersion: LOCK_VERSION, skills })}\n`;
}

export function formatEntry(entry: LockEntry): string {
  return renderJson(laidOut(entry));
}

export function isSameEntry(
  left: LockEntry | null | undefined,
  right: LockEntry | null | undefined,
): boolean {
  if (left == null || right == null) return left == null && right == null;
  return formatEntry(left) === formatEntry(right);
}

function laidOut(entry: LockEntry): object {
  const files = Object.entries(entry.files).map(([path, file]) => [path, new OneLine(file)]);
  const capabilities = Object.entries<unknown>({ ...entry.capabilities });
  const listed = capabilities.filter(([, items]) => !(Array.isArray(items) && items.length === 0));
  return {
    ...entry,
    targets: entry.targets.map((target) => new OneLine(target)),
    files: Object.fromEntries(files),
    capabilities: Object.fromEntries(listed),
  };
}

/** Formats a value as JSON over several lines, by default with keys in byte order; undefined members are left out. */
export function renderJson(
  value: unknown,
  indent: string = "",
  keys: "sorted" | "as-given" = "sorted",
): string {
  if (value instanceof OneLine) return renderInline(value.value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => `\n${inner}${renderJson(item, inner, keys)}`);
    return items.length === 0 ? "[]" : `[${items.join(",")}\n${indent}]`;
  }
  if (!isMembers(value)) return renderScalar(value);
  const members = membersOf(value, keys).map(
    ([key, item]) => `\n${inner}${JSON.stringify(key)}: ${renderJson(item, inner, keys)}`,
  );
  return members.length === 0 ? "{}" : `{${members.join(",")}\n${indent}}`;
}

export function renderInline(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.map(renderInline).join(", ")}]`;
  if (!isMembers(value)) return renderScalar(value);
  const members = membersOf(value).map(([key, item]) => `${JSON.stringify(key)}: ${renderInline(item)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function membersOf(value: object, keys: "sorted" | "as-given" = "sorted"): readonly [string, unknown][] {
  const members = Object.entries<unknown>({ ...value }).filter(([, item]) => item !== undefined);
  return keys === "sorted" ? members.sort(([left], [right]) => compareByteOrder(left, right)) : members;
}

function isMembers(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber);
}

function renderScalar(value: unknown): string {
  return value instanceof ExactNumber ? value.token : JSON.stringify(value);
}
