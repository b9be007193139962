import { readList, readPhrases, toText } from "./coerce-values.ts";
import { EMPTY_LIST } from "./default-manifest.ts";
import type { FaultList } from "./fault-list.ts";
import type { HeaderFields } from "./header-fields.ts";
import type { Triggers } from "./manifest.ts";
import type { ManifestDraft } from "./manifest-draft.ts";
import { isRawMap, type RawMap, type RawValue } from "./raw-header.ts";

/** Reads the top-level keys that several clients share without belonging to any. */
export function readSharedFields(fields: HeaderFields, draft: ManifestDraft, faults: FaultList): void {
  draft.displayName = toText(fields.value("display-name"));
  fields.with("tags", (value, path) => draft.addTags(readList(value, faults, path)));
  fields.with("toolsets", (value, path) => {
    draft.toolsets = readList(value, faults, path);
  });
  fields.with("triggers", (value, path) => {
    draft.triggers = readTriggers(value, faults, path);
  });
  fields.with("requires-skills", (value, path) => draft.gating.add("skills", readList(value, faults, path)));
}

/** Reads an author: a name, or a map with one. */
export function readAuthor(value: RawValue | undefined): string | undefined {
  return toText(isRawMap(value) ? value.name : value);
}

/** A plain list holds keywords; a map says what each list holds. */
function readTriggers(value: RawValue, faults: FaultList, path: string): Triggers {
  if (!isRawMap(value))
    return { keywords: readPhrases(value, faults, path), verbs: EMPTY_LIST, patterns: EMPTY_LIST };
  const read = (key: string): readonly string[] =>
    readPhrases((value as RawMap)[key], faults, `${path}.${key}`);
  return {
    keywords: read("keywords"),
    verbs: read("verbs"),
    patterns: readPatterns(value.patterns, faults, path),
  };
}

/** A single pattern is one pattern: a comma in it means itself. */
function readPatterns(value: RawValue | undefined, faults: FaultList, path: string): readonly string[] {
  return typeof value === "string" ? [value] : readPhrases(value, faults, `${path}.patterns`);
}
