import type { Diagnostic } from "../diagnostic.ts";
import { isPlainName } from "./check-name.ts";
import { readBoolean, readList } from "./coerce-values.ts";
import type { FrontmatterEdit } from "./edit-frontmatter.ts";
import { FaultList } from "./fault-list.ts";
import { type FieldName, fieldOf } from "./known-fields.ts";
import { loadYaml } from "./load-yaml.ts";
import type { RawHeader, RawValue } from "./raw-header.ts";
import { reportScalar } from "./read-identity.ts";
import { reportToolsForm } from "./read-tools.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";
import { splitList } from "./split-list.ts";

/** A change, and what it is for. */
export interface PlannedEdit {
  readonly edit: FrontmatterEdit;
  readonly diagnostics: readonly Diagnostic[];
}

/** The edits that bring standard fields of a readable header into the form the specification has for them. */
export function planEdits(header: PlannedHeader, directoryName: string | undefined): readonly PlannedEdit[] {
  const read = readYamlHeader(header.text);
  if (isHeaderFault(read) || read.notes.some(({ code }) => code === "duplicate-key")) return [];
  const faults = (): FaultList => {
    const list = new FaultList(header.file, "lenient");
    list.header = header.text;
    list.headerLine = header.line;
    return list;
  };
  return [
    ...planScalars(header.text, faults),
    ...read.keys.flatMap((key, index) => planField(key, read.values[index] ?? null, faults())),
    ...planName(read, directoryName, faults()),
  ];
}

/** A header and its place. */
export interface PlannedHeader {
  readonly text: string;
  readonly file: string;
  readonly line: number;
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(["name", "description", "license", "compatibility"]);

/** Quotes numbers and booleans where the specification has text. */
function* planScalars(text: string, faults: () => FaultList): Generator<PlannedEdit> {
  const yaml = loadYaml();
  const { contents } = yaml.parseDocument(text, {
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: "error",
  });
  for (const { key, value } of yaml.isMap(contents) ? contents.items : []) {
    const name = String(key);
    const scalar = TEXT_FIELDS.has(name) ? sourceOf(value) : undefined;
    if (scalar !== undefined) yield planText([name], scalar, faults());
    for (const item of name === "metadata" && yaml.isMap(value) ? value.items : []) {
      const entry = sourceOf(item.value);
      if (entry === undefined || !yaml.isScalar(item.key) || typeof item.key.value !== "string") continue;
      yield planText(["metadata", item.key.value], entry, faults());
    }
  }
}

function planText(path: FrontmatterEdit["path"], value: string, faults: FaultList): PlannedEdit {
  reportScalar(path.join("."), value, faults);
  return { edit: { path, value }, diagnostics: faults.finish() };
}

/** The text of a scalar that YAML reads as a number or a boolean. */
function sourceOf(node: unknown): string | undefined {
  if (!loadYaml().isScalar(node) || node.type !== "PLAIN" || node.tag !== undefined) return undefined;
  if (typeof node.value === "boolean") return String(node.value);
  return typeof node.value === "number" ? node.source : undefined;
}

const BOOLEAN_FIELDS: ReadonlySet<FieldName> = new Set([
  "disable-model-invocation",
  "user-invocable",
  "background",
]);

function planField(key: string, value: RawValue, faults: FaultList): PlannedEdit[] {
  const field = fieldOf(key);
  if (field === "allowed-tools") return planTools(key, value, faults);
  if (field === undefined || !BOOLEAN_FIELDS.has(field) || typeof value === "boolean") return [];
  if (value === null || typeof value === "object") return [];
  const boolean = readBoolean(value, faults, key);
  return boolean === undefined
    ? []
    : [{ edit: { path: [key], value: boolean }, diagnostics: faults.finish() }];
}

function planTools(key: string, value: RawValue, faults: FaultList): PlannedEdit[] {
  const tools = readList(value, faults, key);
  if (faults.finish().length > 0) return [];
  const text = tools.join(" ");
  // A tool with a space outside brackets would fall apart into two.
  if (tools.length === 0 || JSON.stringify(splitList(text)) !== JSON.stringify(tools)) return [];
  const isOther = reportToolsForm(value, tools, faults, key);
  return isOther ? [{ edit: { path: [key], value: text }, diagnostics: faults.finish() }] : [];
}

function planName(header: RawHeader, directoryName: string | undefined, faults: FaultList): PlannedEdit[] {
  const name = header.values[header.keys.indexOf("name")] ?? null;
  const isMissing = name === null || (typeof name === "string" && name.trim() === "");
  if (!isMissing || directoryName === undefined || !isPlainName(directoryName)) return [];
  faults.addAtKey(
    {
      code: "missing-name",
      severity: "warning",
      message: "The skill has no name.",
      hint: `Add a line name: ${directoryName}.`,
    },
    "name",
  );
  return [{ edit: { path: ["name"], value: directoryName }, diagnostics: faults.finish() }];
}
