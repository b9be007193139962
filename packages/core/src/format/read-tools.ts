import { readList } from "./coerce-values.ts";
import { EMPTY_LIST, NO_TOOLS } from "./default-manifest.ts";
import type { FaultList } from "./fault-list.ts";
import type { HeaderFields } from "./header-fields.ts";
import type { Manifest } from "./manifest.ts";
import type { RawValue } from "./raw-header.ts";

/** The tools a skill allows and disallows, in whatever form they are listed. */
export function readTools(fields: HeaderFields, faults: FaultList): Manifest["tools"] {
  let allowed: readonly string[] = EMPTY_LIST;
  let disallowed: readonly string[] = EMPTY_LIST;
  fields.with("allowed-tools", (value, path) => {
    allowed = readList(value, faults, path);
    reportToolsForm(value, allowed, faults, path);
  });
  fields.with("disallowed-tools", (value, path) => {
    disallowed = readList(value, faults, path);
  });
  return allowed.length === 0 && disallowed.length === 0 ? NO_TOOLS : { allowed, disallowed };
}

/** Reports tools that are not one text with spaces between them; gives whether they were not. */
export function reportToolsForm(
  value: RawValue,
  tools: readonly string[],
  faults: FaultList,
  path: string,
): boolean {
  const isList = Array.isArray(value);
  if (!isList && (typeof value !== "string" || !hasSeparatingComma(value))) return false;
  faults.addAtKey(
    {
      code: isList ? "allowed-tools-list" : "allowed-tools-commas",
      severity: faults.mode === "lenient" ? "info" : isList ? "error" : "warning",
      message: isList
        ? "The tools are a list; the specification has one text with spaces between them."
        : "The tools have commas between them; the specification has spaces only.",
      hint: `Write ${path}: ${tools.join(" ")}`,
    },
    path,
  );
  return true;
}

/** Whether a comma parts two tools; one inside brackets belongs to a tool. */
function hasSeparatingComma(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth = Math.max(0, depth - 1);
    else if (character === "," && depth === 0) return true;
  }
  return false;
}
