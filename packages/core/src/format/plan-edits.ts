import { isPlainName } from "./check-name.ts";
import { readBoolean, readList } from "./coerce-values.ts";
import type { FrontmatterEdit } from "./edit-frontmatter.ts";
import { FaultList } from "./fault-list.ts";
import { type FieldName, fieldOf } from "./known-fields.ts";
import type { RawHeader, RawValue } from "./raw-header.ts";
import { reportToolsForm } from "./read-tools.ts";
import { splitList } from "./split-list.ts";

/** A change, and how to say what it is for. */
export interface PlannedEdit {
  readonly edit: FrontmatterEdit;
  readonly report: (faults: FaultList) => void;
}

/** The edits that bring fields of a header into the form the specification has for them; they are few. */
export function planEdits(header: RawHeader, directoryName: string | undefined): readonly PlannedEdit[] {
  return [
    ...header.keys.flatMap((key, index) => planField(key, header.values[index] ?? null)),
    ...planName(header, directoryName),
  ];
}

const BOOLEAN_FIELDS: ReadonlySet<FieldName> = new Set([
  "disable-model-invocation",
  "user-invocable",
  "background",
]);

function planField(key: string, value: RawValue): PlannedEdit[] {
  const field = fieldOf(key);
  if (field === "allowed-tools") return planTools(key, value);
  if (field === undefined || !BOOLEAN_FIELDS.has(field) || typeof value === "boolean") return [];
  if (value === null || typeof value === "object") return [];
  const boolean = readBoolean(value, unheard(), key);
  const report = (faults: FaultList): unknown => readBoolean(value, faults, key);
  return boolean === undefined ? [] : [{ edit: { path: [key], value: boolean }, report }];
}

function planTools(key: string, value: RawValue): PlannedEdit[] {
  const ignored = unheard();
  const tools = readList(value, ignored, key);
  if (ignored.finish().length > 0) return [];
  const text = tools.join(" ");
  // A tool with a space outside brackets would fall apart into two.
  if (tools.length === 0 || JSON.stringify(splitList(text)) !== JSON.stringify(tools)) return [];
  const report = (faults: FaultList): boolean => reportToolsForm(value, tools, faults, key);
  return report(unheard()) ? [{ edit: { path: [key], value: text }, report }] : [];
}

/** A list for faults of what is only being tried. */
function unheard(): FaultList {
  return new FaultList("SKILL.md", "lenient");
}

function planName(header: RawHeader, directoryName: string | undefined): PlannedEdit[] {
  const name = header.values[header.keys.indexOf("name")] ?? null;
  const isMissing = name === null || (typeof name === "string" && name.trim() === "");
  if (!isMissing || directoryName === undefined || !isPlainName(directoryName)) return [];
  const missing = {
    code: "missing-name",
    severity: "warning",
    message: "The skill has no name.",
    hint: `Add a line name: ${directoryName}.`,
  } as const;
  const report = (faults: FaultList): void => faults.addAtKey(missing, "name");
  return [{ edit: { path: ["name"], value: directoryName }, report }];
}
