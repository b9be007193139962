import { compareByteOrder } from "@skillet/kit/order";
import type { Lock, LockEntry } from "./lock-entry.ts";
import { LOCK_VERSION } from "./lock-schema.ts";
import { definedKeys, memberOf, renderInline, renderJson, renderList, renderMembers } from "./render-json.ts";

/**
 * A lock as text: the same entries give the same bytes, and each file has a line of its own, so that merges are by file.
 */
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
