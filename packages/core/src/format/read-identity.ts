import { checkName, isAllowedName, suggestName } from "./check-name.ts";
import { toText } from "./coerce-values.ts";
import type { FaultList } from "./fault-list.ts";
import { MAX_DESCRIPTION_CHARACTERS, MAX_LOADED_NAME_CHARACTERS } from "./format-limits.ts";
import type { BodyDescription } from "./interpret-skill.ts";
import { EMPTY_RECORD } from "./manifest-draft.ts";
import { isRawMap, parseJsonMap, type RawMap, type RawValue } from "./raw-header.ts";

export interface ManifestContext {
  readonly faults: FaultList;
  readonly directoryName: string | undefined;
  /** Called only where the header lacks a name or a description. */
  readonly describeBody: () => BodyDescription;
}

/** The name, or in lenient mode the folder's, or else one made from the heading. */
export function readName(value: RawValue | undefined, context: ManifestContext): string | undefined {
  const { faults, directoryName } = context;
  const name = toText(value);
  if (name !== undefined) {
    if (typeof value !== "string") reportScalar("name", value, faults);
    if (name.length > MAX_LOADED_NAME_CHARACTERS) return replaceLongName(name, context);
    checkName(name, directoryName, faults, "name");
    return name;
  }
  const substitute = directoryName ?? suggestName(context.describeBody().heading ?? "");
  const hint = nameHint("Add a line", substitute, directoryName);
  if (faults.mode === "strict" || substitute === "") {
    faults.addAtKey(
      { code: "missing-name", severity: "error", message: missing("name", value), hint },
      "name",
    );
    return undefined;
  }
  const message = `${missing("name", value)} ${JSON.stringify(substitute)} stands in for it.`;
  faults.addAtKey({ code: "missing-name", severity: "warning", message, hint }, "name");
  return substitute;
}

function replaceLongName(name: string, { faults, directoryName }: ManifestContext): string {
  const substitute = directoryName ?? (suggestName(name) || "unnamed");
  faults.addUnlessLenient(
    {
      code: "name-too-long",
      message: `The name has more than ${MAX_LOADED_NAME_CHARACTERS} characters; ${JSON.stringify(substitute)} stands in for it.`,
      hint: nameHint("Set", substitute, directoryName),
    },
    "name",
  );
  return substitute;
}

function nameHint(start: "Add a line" | "Set", text: string, directoryName: string | undefined): string {
  const name = suggestName(text) || "my-skill";
  if (directoryName === undefined || isAllowedName(directoryName)) return `${start} name: ${name}.`;
  return `${start} name: ${name}, and rename the folder to ${name}.`;
}

/** The description, or in lenient mode the body's first paragraph. */
export function readDescription(value: RawValue | undefined, context: ManifestContext): string | undefined {
  const { faults } = context;
  const description = toText(value);
  if (description !== undefined) {
    if (typeof value !== "string") reportScalar("description", value, faults);
    checkLength(description, MAX_DESCRIPTION_CHARACTERS, "description", faults);
    return description;
  }
  const substitute = faults.mode === "lenient" ? context.describeBody().paragraph : undefined;
  const severity = substitute === undefined ? "error" : "warning";
  const message =
    substitute === undefined
      ? missing("description", value)
      : `${missing("description", value)} The first paragraph stands in for it.`;
  const hint = "Add a line description: that says what the skill does and when to use it.";
  faults.addAtKey({ code: "missing-description", severity, message, hint }, "description");
  return substitute;
}

/** The metadata map, also where it was written as a text that holds JSON. */
export function readMetadataMap(value: RawValue | undefined, faults: FaultList): RawMap {
  if (isRawMap(value)) return value;
  if (value === undefined || value === null) return EMPTY_RECORD;
  const parsed = typeof value === "string" ? parseJsonMap(value) : undefined;
  faults.addUnlessLenient(
    {
      code: "metadata-not-map",
      message: `The metadata is not a map${parsed === undefined ? ", and is left out" : " but a text that holds one"}.`,
      hint: "Write the entries below metadata: one on each line, indented by two spaces.",
    },
    "metadata",
  );
  return parsed ?? EMPTY_RECORD;
}

/** Reports a text that is longer than the specification allows, counted in code points. */
export function checkLength(text: string, limit: number, key: string, faults: FaultList): void {
  if (text.length <= limit) return;
  const length = [...text].length;
  if (length <= limit) return;
  faults.addUnlessLenient(
    {
      code: `${key}-too-long`,
      message: `The ${key} has ${length} characters; at most ${limit} are allowed.`,
      hint: `Shorten it to ${limit} characters; details belong in the body.`,
    },
    key,
  );
}

export function reportScalar(key: string, value: RawValue | undefined, faults: FaultList): void {
  faults.addAtKey(
    {
      code: "not-text",
      severity: faults.mode === "strict" ? "warning" : "info",
      message: `The ${key} is ${String(value)}, which YAML does not read as text.`,
      hint: "Put it in quotes.",
    },
    key,
  );
}

function missing(key: string, value: RawValue | undefined): string {
  if (value === undefined) return `The skill has no ${key}.`;
  return typeof value === "object" && value !== null ? `The ${key} is not text.` : `The ${key} is empty.`;
}
