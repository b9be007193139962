import { readBoolean, readList, readMap, reportType, toText } from "./coerce-values.ts";
import { EMPTY_LIST } from "./default-manifest.ts";
import { addVariables } from "./environment-requirements.ts";
import type { FaultList } from "./fault-list.ts";
import { type GatingDraft, toPlatforms } from "./gating-draft.ts";
import type { InstallSpec } from "./manifest.ts";
import type { ManifestDraft } from "./manifest-draft.ts";
import { createRawMap, isRawMap, type RawMap, type RawValue } from "./raw-header.ts";

/** Reads OpenClaw's block: `metadata.openclaw`, or one of the names it had before. */
export function readOpenClaw(block: RawMap, draft: ManifestDraft, faults: FaultList, path: string): void {
  const { gating } = draft;
  for (const key in block) {
    const value = block[key] ?? null;
    const place = `${path}.${key}`;
    switch (key) {
      case "always":
        gating.always ||= readBoolean(value, faults, place) ?? false;
        break;
      case "emoji":
        draft.emoji ??= toText(value);
        break;
      case "homepage":
        draft.homepage ??= toText(value);
        break;
      case "skillKey":
        gating.skillKey ??= toText(value);
        break;
      case "primaryEnv":
        gating.primaryEnv ??= toText(value);
        break;
      case "os":
        gating.addPlatforms(readList(value, faults, place));
        break;
      case "requires":
        readRequires(value, gating, faults, place);
        break;
      case "install":
        draft.install = readInstall(value, faults, place);
        break;
      case "envVars":
        addVariables(value, gating, faults, place);
        break;
    }
  }
}

/** Reads `requires`, which other dialects also write directly under `metadata`. */
export function readRequires(value: RawValue, gating: GatingDraft, faults: FaultList, path: string): void {
  const requires = readMap(value, faults, path);
  if (requires === undefined) return;
  for (const key in requires) {
    const item = requires[key] ?? null;
    const place = `${path}.${key}`;
    switch (key) {
      case "bins":
      case "anyBins":
      case "config":
      case "skills":
        gating.add(key, readList(item, faults, place));
        break;
      case "env":
        addVariables(item, gating, faults, place);
        break;
    }
  }
}

const SPEC_KEYS: ReadonlySet<string> = new Set(["kind", "type", "id", "label", "bins", "os"]);

function readInstall(value: RawValue, faults: FaultList, path: string): readonly InstallSpec[] {
  if (value === null) return EMPTY_LIST;
  const specs: InstallSpec[] = [];
  for (const item of Array.isArray(value) ? (value as readonly RawValue[]) : [value]) {
    const kind = isRawMap(item) ? toText(item.kind ?? item.type) : undefined;
    if (isRawMap(item) && kind !== undefined) specs.push(readInstallSpec(item, kind, faults, path));
    else reportType(faults, path, "a list of maps with a kind");
  }
  return specs;
}

function readInstallSpec(item: RawMap, kind: string, faults: FaultList, path: string): InstallSpec {
  const fields = createRawMap();
  for (const key in item) if (!SPEC_KEYS.has(key)) fields[key] = item[key] ?? null;
  const spec: { -readonly [Key in keyof InstallSpec]: InstallSpec[Key] } = {
    kind,
    bins: readList(item.bins, faults, path),
    os: toPlatforms(readList(item.os, faults, path)),
    fields,
  };
  const id = toText(item.id);
  const label = toText(item.label);
  if (id !== undefined) spec.id = id;
  if (label !== undefined) spec.label = label;
  return spec;
}
