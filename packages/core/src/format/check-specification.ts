import { nearestName } from "@skillet/kit/nearest-name";
import type { FaultList } from "./fault-list.ts";
import { FIELD_NAMES, fieldOf, isStandardKey } from "./known-fields.ts";
import { isRawMap, type RawHeader, type RawMap, type RawValue } from "./raw-header.ts";

/** Reports, in strict mode, what the specification does not allow and lenient loading simply takes. */
export function checkSpecification(header: RawHeader, faults: FaultList): void {
  for (const [index, key] of header.keys.entries()) {
    const value = header.values[index] ?? null;
    if (fieldOf(key) === undefined) reportUnknown(key, faults);
    else if (!isStandardKey(key)) reportNotPortable(key, faults);
    else if (key === "metadata" && isRawMap(value)) checkMetadata(value, faults);
    else if (key === "license" || key === "compatibility") checkText(key, value, faults);
  }
}

function reportUnknown(key: string, faults: FaultList): void {
  const near = nearestName(key, FIELD_NAMES);
  faults.addAtKey(
    {
      code: "unknown-key",
      severity: "warning",
      message: `Neither the specification nor a known client defines ${JSON.stringify(key)}, so it has no effect.`,
      hint:
        near === undefined
          ? "Move it below metadata, or remove it."
          : `Did you mean ${near}? If not, move it below metadata.`,
    },
    key,
  );
}

function reportNotPortable(key: string, faults: FaultList): void {
  faults.addAtKey(
    {
      code: "not-portable",
      severity: "info",
      message: `The specification does not define ${JSON.stringify(key)}; clients that do not know it ignore or reject it.`,
      hint: "Move it below metadata if the skill is meant for every client.",
    },
    key,
  );
}

function checkText(key: string, value: RawValue, faults: FaultList): void {
  const isText = typeof value === "string" && (key !== "compatibility" || value.trim() !== "");
  if (isText) return;
  const isScalar = value !== null && typeof value !== "object" && typeof value !== "string";
  faults.addAtKey(
    {
      code: "not-text",
      severity: isScalar ? "warning" : "error",
      message: `The ${key} is ${isScalar ? JSON.stringify(value) : "empty or a list or a map"}, not text.`,
      hint: isScalar ? "Put it in quotes." : "Write a text, or remove the key.",
    },
    key,
  );
}

function checkMetadata(metadata: RawMap, faults: FaultList): void {
  for (const [key, value] of Object.entries(metadata)) {
    if (typeof value === "string") continue;
    const isNested = typeof value === "object" && value !== null;
    faults.addAtKey(
      {
        code: isNested ? "metadata-nested" : "not-text",
        severity: isNested ? "error" : "warning",
        message: `The value of metadata.${key} is ${isNested ? "a list or a map" : JSON.stringify(value)}, not text.`,
        hint: "Put it in quotes; the specification allows only text there.",
      },
      `metadata.${key}`,
    );
  }
}
