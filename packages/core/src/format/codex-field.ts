import { toText } from "./coerce-values.ts";
import type { FaultList } from "./fault-list.ts";
import type { RawValue } from "./raw-header.ts";

/** A text on one line of at most `limit` characters; others are dropped with a warning. */
export function readBounded(
  value: RawValue | undefined,
  limit: number,
  faults: FaultList,
  path: string,
): string | undefined {
  if (value === undefined) return undefined;
  const text = toText(value)?.replace(/\s+/g, " ");
  if (text !== undefined && [...text].length <= limit) return text;
  const what = text === undefined ? "is empty or not text" : `has more than ${limit} characters`;
  drop(faults, path, what, "Correct or remove it.");
  return undefined;
}

/** Warns that a field is left out. */
export function drop(faults: FaultList, path: string, what: string, hint: string): void {
  faults.addAtKey(
    {
      code: "companion-field",
      severity: "warning",
      message: `The value of ${path} ${what}, and is left out.`,
      hint,
    },
    path,
  );
}
