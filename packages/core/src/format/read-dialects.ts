import { readBoolean, readList, readPhrases, readText, reportType, toText } from "./coerce-values.ts";
import type { FaultList } from "./fault-list.ts";
import type { HeaderFields } from "./known-fields.ts";
import type { Execution, Invocation, Manifest, Triggers } from "./manifest.ts";
import {
  DEFAULT_EXECUTION,
  DEFAULT_INVOCATION,
  EMPTY_LIST,
  type ManifestDraft,
  NO_ARGUMENTS,
  NO_TOOLS,
} from "./manifest-draft.ts";
import { isRawMap, present, type RawMap, type RawValue } from "./raw-header.ts";

export function readInvocation(fields: HeaderFields, internal: boolean, faults: FaultList): Invocation {
  let { model, user, paths } = DEFAULT_INVOCATION;
  fields.with("disable-model-invocation", (value, path) => {
    model = !(readBoolean(value, faults, path) ?? false);
  });
  fields.with("user-invocable", (value, path) => {
    user = readBoolean(value, faults, path) ?? true;
  });
  fields.with("paths", (value, path) => {
    paths = readPhrases(value, faults, path);
  });
  return { model, user, paths, products: EMPTY_LIST, internal };
}

export function readArguments(fields: HeaderFields, faults: FaultList): Manifest["args"] {
  let hint: string | undefined;
  let { names } = NO_ARGUMENTS;
  fields.with("argument-hint", (value, path) => {
    hint = readText(value, faults, path);
  });
  fields.with("arguments", (value, path) => {
    names = readList(value, faults, path);
  });
  return hint === undefined ? (names.length === 0 ? NO_ARGUMENTS : { names }) : { hint, names };
}

export function readExecution(fields: HeaderFields, faults: FaultList): Execution {
  let context: Execution["context"] = "inline";
  let background: boolean | undefined;
  fields.with("context", (value, path) => {
    const text = toText(value);
    if (text === "fork") context = "fork";
    else if (text !== undefined && text !== "inline") reportType(faults, path, "inline or fork");
  });
  fields.with("background", (value, path) => {
    background = readBoolean(value, faults, path);
  });
  const execution = present<Execution>({
    context,
    agent: toText(fields.value("agent")),
    background,
    model: toText(fields.value("model")),
    effort: toText(fields.value("effort")),
    shell: toText(fields.value("shell")),
  });
  return context === "inline" && Object.keys(execution).length === 1 ? DEFAULT_EXECUTION : execution;
}

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
