import { pick, readBoolean, readList, reportType, toText } from "./coerce-values.ts";
import type { FaultList } from "./fault-list.ts";
import type { GatingDraft } from "./gating-draft.ts";
import type { EnvironmentRequirement } from "./manifest.ts";
import { isRawMap, type RawMap, type RawValue } from "./raw-header.ts";
import { splitList } from "./split-list.ts";

/** Adds the variables that a dialect lists: names, or maps that describe one each. */
export function addVariables(
  value: RawValue | undefined,
  gating: GatingDraft,
  faults: FaultList,
  path: string,
): void {
  if (value === null || value === undefined) return;
  if (typeof value === "string") {
    for (const name of splitList(value)) gating.addVariable({ name }, faults, path);
    return;
  }
  for (const item of Array.isArray(value) ? (value as readonly RawValue[]) : [value]) {
    const variable = isRawMap(item) ? readVariable(item, faults, path) : readName(item);
    if (variable === undefined) reportType(faults, path, "a list of variable names");
    else gating.addVariable(variable, faults, path);
  }
}

function readName(item: RawValue): EnvironmentRequirement | undefined {
  const name = toText(item);
  return name === undefined ? undefined : { name };
}

function readVariable(item: RawMap, faults: FaultList, path: string): EnvironmentRequirement | undefined {
  const name = toText(pick(item, "name", "env_var", "envVar", "env", "key"));
  if (name === undefined) return undefined;
  const prompt = toText(item.prompt);
  const help = toText(pick(item, "help", "description"));
  const requiredFor = toText(pick(item, "required_for", "requiredFor", "required-for"));
  const optional = readOptional(item, faults, path);
  const hosts = readList(item.hosts, faults, path);
  return {
    name,
    ...(prompt !== undefined && { prompt }),
    ...(help !== undefined && { help }),
    ...(requiredFor !== undefined && { requiredFor }),
    ...(optional !== undefined && { optional }),
    ...(hosts.length > 0 && { hosts }),
  };
}

function readOptional(item: RawMap, faults: FaultList, path: string): boolean | undefined {
  const optional = readBoolean(item.optional, faults, path);
  const required = readBoolean(item.required, faults, path);
  return optional ?? (required === undefined ? undefined : !required);
}
