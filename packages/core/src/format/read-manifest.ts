import { nearestName } from "@skillet/kit/nearest-name";
import { checkName, isAllowedName, suggestName } from "./check-name.ts";
import {
  FIELD_NAMES,
  fieldOf,
  finishManifest,
  HeaderFields,
  isRequirement,
  type ManifestDraft,
  readListings,
  readMetadata,
} from "./dialects.ts";
import { type FaultList, NO_FAULTS } from "./fault-list.ts";
import { checkLength, Field, toText } from "./field.ts";
import { MAX_DESCRIPTION_CHARACTERS, MAX_LOADED_NAME_CHARACTERS } from "./format-limits.ts";
import { DEFAULT_MANIFEST, type Manifest, NO_GATING } from "./manifest.ts";
import {
  createRawMap,
  isRawMap,
  parseJsonMap,
  type RawHeader,
  type RawMap,
  type RawValue,
} from "./raw-header.ts";

export interface ManifestContext {
  readonly faults: FaultList;
  readonly directoryName: string | undefined;
  /** Called only if the header lacks a name or a description. */
  readonly describeBody: () => BodyDescription;
}

export interface BodyDescription {
  readonly heading?: string;
  /** The first paragraph in one line, without code blocks, comments, tables and rules. */
  readonly paragraph?: string;
}

const EMPTY_RECORD: RawMap = Object.freeze(createRawMap());

/** Turns a header of any dialect into a manifest; undefined, with an error, if it is not a skill. */
export function readManifest(header: RawHeader, context: ManifestContext): Manifest | undefined {
  const { faults } = context;
  const { values } = header;
  const fields = new HeaderFields();
  let extra: Record<string, RawValue> | undefined;
  for (const [key, value] of values) {
    const known = fieldOf(key);
    if (known === undefined) {
      extra ??= createRawMap();
      extra[key] = value;
    } else if (known.read !== undefined && !fields.set(known, new Field(value, key, faults)))
      reportSpelling(key, faults);
  }
  const description = readDescription(values, context);
  const name = readName(values, context);
  if (description === undefined || name === undefined) return undefined;
  const metadata = readMetadataMap(values.get("metadata"), faults);
  const draft: ManifestDraft = {
    // The defaults first: starting from a copy is fastest.
    manifest: { ...DEFAULT_MANIFEST, name, description, metadata, extra: extra ?? EMPTY_RECORD },
  };
  fields.read(draft);
  if (metadata !== EMPTY_RECORD) {
    const field = new Field(metadata, "metadata", faults);
    readMetadata(draft, field);
    readListings(draft, field);
  }
  return finishManifest(draft);
}

/** Only name and requirements, as in `readManifest`; undefined if the body or an error affects them. */
export function readRequirements(
  { values }: RawHeader,
  directoryName: string,
): Pick<Manifest, "name" | "gating"> | undefined {
  const description = toText(values.get("description"));
  const written = toText(values.get("name"));
  const name = written === undefined || written.length > MAX_LOADED_NAME_CHARACTERS ? directoryName : written;
  if (description === undefined || name === "") return undefined;
  let fields: HeaderFields | undefined;
  for (const [key, value] of values) {
    const known = fieldOf(key);
    if (known === undefined || !isRequirement(known)) continue;
    fields ??= new HeaderFields();
    fields.set(known, new Field(value, key, NO_FAULTS));
  }
  const metadata = readMetadataMap(values.get("metadata"), NO_FAULTS);
  if (fields === undefined && metadata === EMPTY_RECORD) return { name, gating: NO_GATING };
  const draft: ManifestDraft = {
    manifest: { ...DEFAULT_MANIFEST, name, description, metadata, extra: EMPTY_RECORD },
  };
  fields?.read(draft);
  readMetadata(draft, new Field(metadata, "metadata", NO_FAULTS));
  return finishManifest(draft);
}

function reportSpelling(key: string, faults: FaultList): void {
  const message = `The key ${key} is another spelling of one above; this one is taken.`;
  faults.addAtKey({ code: "duplicate-key", severity: "warning", message, hint: "Keep one of the two." }, key);
}

/** The name; in lenient mode the folder's name, or one made from the heading, can replace it. */
function readName(values: RawHeader["values"], context: ManifestContext): string | undefined {
  const { faults, directoryName } = context;
  const value = values.get("name");
  const name = toText(value);
  if (name !== undefined) {
    if (typeof value !== "string") reportScalar("name", value, faults);
    if (name.length > MAX_LOADED_NAME_CHARACTERS) return replaceLongName(name, context);
    checkName(name, directoryName, faults, "name");
    return name;
  }
  const substitute = directoryName ?? suggestName(context.describeBody().heading ?? "");
  const hint = lowerCase("name", values) ?? nameHint("Add a line", substitute, directoryName);
  if (faults.mode === "strict" || substitute === "") {
    const message = missing("name", value);
    faults.addAtKey({ code: "missing-name", severity: "error", message, hint }, "name");
    return undefined;
  }
  const message = `${missing("name", value)} ${JSON.stringify(substitute)} stands in for it.`;
  faults.addAtKey({ code: "missing-name", severity: "warning", message, hint }, "name");
  return substitute;
}

function replaceLongName(name: string, { faults, directoryName }: ManifestContext): string {
  const substitute = directoryName ?? (suggestName(name) || "unnamed");
  const message = `The name has more than ${MAX_LOADED_NAME_CHARACTERS} characters; ${JSON.stringify(substitute)} stands in for it.`;
  const hint = nameHint("Set", substitute, directoryName);
  faults.addUnlessLenient({ code: "name-too-long", message, hint }, "name");
  return substitute;
}

function nameHint(start: "Add a line" | "Set", text: string, directoryName: string | undefined): string {
  const name = suggestName(text) || "my-skill";
  if (directoryName === undefined || isAllowedName(directoryName)) return `${start} name: ${name}.`;
  return `${start} name: ${name}, and rename the folder to ${name}.`;
}

/** The description; in lenient mode the body's first paragraph can replace it. */
function readDescription(values: RawHeader["values"], context: ManifestContext): string | undefined {
  const { faults } = context;
  const value = values.get("description");
  const description = toText(value);
  if (description !== undefined) {
    if (typeof value !== "string") reportScalar("description", value, faults);
    checkLength(description, MAX_DESCRIPTION_CHARACTERS, "description", faults);
    return description;
  }
  const substitute = faults.mode === "lenient" ? context.describeBody().paragraph : undefined;
  const severity = substitute === undefined ? "error" : "warning";
  const standIn = substitute === undefined ? "" : " The first paragraph stands in for it.";
  const message = `${missing("description", value)}${standIn}`;
  const add = "Add a line description: that says what the skill does and when to use it.";
  const hint = lowerCase("description", values) ?? add;
  faults.addAtKey({ code: "missing-description", severity, message, hint }, "description");
  return substitute;
}

function readMetadataMap(value: RawValue | undefined, faults: FaultList): RawMap {
  if (isRawMap(value)) return value;
  if (value === undefined || value === null) return EMPTY_RECORD;
  const parsed = typeof value === "string" ? parseJsonMap(value) : undefined;
  const message = `The metadata is not a map${parsed === undefined ? ", and is left out" : " but a text that holds one"}.`;
  const hint = "Write the entries below metadata: one on each line, indented by two spaces.";
  faults.addUnlessLenient({ code: "metadata-not-map", message, hint }, "metadata");
  return parsed ?? EMPTY_RECORD;
}

/** `written` is the text in the file: YAML reads version 1.10 as the number 1.1. */
export function reportScalar(key: string, value: unknown, faults: FaultList, written: unknown = value): void {
  const isCut = String(value) !== String(written);
  const severity = isCut || faults.mode === "strict" ? "warning" : "info";
  const reading = isCut ? `reads as the number ${String(value)}` : "does not read as text";
  const message = `The ${key} is ${String(written)}, which YAML ${reading}.`;
  faults.addAtKey({ code: "not-text", severity, message, hint: "Put it in quotes." }, key, "value");
}

/** Whether a key is `name` or `description` in capitals, which is reported as missing instead of unknown. */
function isMiswritten(key: string, values: RawHeader["values"]): boolean {
  const lower = key.toLowerCase();
  return (lower === "name" || lower === "description") && !values.has(lower);
}

function lowerCase(key: string, values: RawHeader["values"]): string | undefined {
  const written = [...values.keys()].find((one) => one.toLowerCase() === key && isMiswritten(one, values));
  return written && `Write ${key} in lower case, not ${written}.`;
}

function missing(key: string, value: RawValue | undefined): string {
  if (value === undefined) return `The skill has no ${key}.`;
  return typeof value === "object" && value !== null ? `The ${key} is not text.` : `The ${key} is empty.`;
}

const STANDARD: ReadonlySet<string> = new Set([
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
]);

/** Claude Code keys that Skillet also reads in spellings that Claude Code does not document. */
const CLAUDE_CODE = ["argument-hint", "disable-model-invocation", "disallowed-tools", "user-invocable"];

/** Reports, in strict mode, what the specification forbids but lenient loading accepts. */
export function checkSpecification(header: RawHeader, faults: FaultList): void {
  for (const [key, value] of header.values) {
    if (isMiswritten(key, header.values)) continue;
    if (fieldOf(key) === undefined) reportUnknown(key, faults);
    else if (!STANDARD.has(key)) reportNotPortable(key, faults);
    else if (key === "metadata" && isRawMap(value)) checkMetadata(value, faults);
    else if (key === "license" || key === "compatibility") checkText(key, value, faults);
  }
}

function reportUnknown(key: string, faults: FaultList): void {
  const near = nearestName(key, FIELD_NAMES);
  const message = `Neither the specification nor a known client defines ${JSON.stringify(key)}, so it has no effect.`;
  const hint =
    near === undefined
      ? "Move it below metadata, or remove it."
      : `Did you mean ${near}? If not, move it below metadata.`;
  faults.addAtKey({ code: "unknown-key", severity: "warning", message, hint }, key);
}

function reportNotPortable(key: string, faults: FaultList): void {
  const message = `The specification does not define ${JSON.stringify(key)}; clients that do not know it ignore or reject it.`;
  const near = nearestName(key, [...STANDARD, ...CLAUDE_CODE]) ?? key;
  const move = "Move it below metadata if the skill is meant for every client.";
  const documented = near === key ? move : `Did you mean ${near}? Claude Code documents no other spelling.`;
  const hint = STANDARD.has(near) ? `Write ${near}, which every client knows.` : documented;
  faults.addAtKey({ code: "not-portable", severity: "info", message, hint }, key);
}

function checkText(key: string, value: RawValue, faults: FaultList): void {
  if (typeof value === "string" && (key !== "compatibility" || value.trim() !== "")) return;
  const isScalar = value !== null && typeof value !== "object" && typeof value !== "string";
  const severity = isScalar ? "warning" : "error";
  const message = `The ${key} is ${isScalar ? JSON.stringify(value) : "empty or a list or a map"}, not text.`;
  const hint = isScalar ? "Put it in quotes." : "Write a text, or remove the key.";
  faults.addAtKey({ code: "not-text", severity, message, hint }, key, "value");
}

function checkMetadata(metadata: RawMap, faults: FaultList): void {
  for (const [key, value] of Object.entries(metadata)) {
    if (typeof value === "string") continue;
    const isNested = typeof value === "object" && value !== null;
    const code = isNested ? "metadata-nested" : "not-text";
    const severity = isNested ? "error" : "warning";
    const message = `The value of metadata.${key} is ${isNested ? "a list or a map" : JSON.stringify(value)}, not text.`;
    const hint = "Put it in quotes; the specification allows only text there.";
    faults.addAtKey({ code, severity, message, hint }, `metadata.${key}`);
  }
}
