import type { Diagnostic } from "@skillet/kit/diagnostics";
import { isJsonObject, type JsonObject, parseJson } from "@skillet/kit/json";
import { quoteName } from "@skillet/kit/text";
import type { HubLimits } from "../../hub-limits.ts";
import { showUrl } from "../http/show-url.ts";
import type { IndexEntry } from "./index-entry.ts";
import { readArtefactEntry } from "./read-artefact-entry.ts";
import { readFilesEntry } from "./read-files-entry.ts";

/** What is to be known of where an index lies to read its entries. */
export interface IndexPlace {
  /** Where it came from at last; entries are relative to it. */
  readonly url: string;
  readonly limits: HubLimits;
}

export type ParsedIndex =
  | { readonly entries: readonly IndexEntry[]; readonly diagnostics: readonly Diagnostic[] }
  /** Nothing of it can be used. */
  | { readonly fault: Diagnostic };

/** What a reader of entries gives: an entry, or what is wrong with it. */
export type EntryReading = IndexEntry | { readonly fault: string } | { readonly unknownType: string };

const SCHEMA_0_2 = /^https?:\/\/schemas\.agentskills\.io\/discovery\/0\.2\.[0-9]+\/schema\.json$/;
const SCHEMA_0_1 = /^https?:\/\/schemas\.agentskills\.io\/discovery\/0\.1\.[0-9]+\/schema\.json$/;

/** Reads an index of version 0.2 or 0.1; each entry with a fault is left out, with the exact reason. */
export function parseIndex(bytes: Uint8Array, place: IndexPlace): ParsedIndex {
  const file = showUrl(place.url);
  const document = parseJson(bytes);
  if (document === undefined) return { fault: unusable(file, "is not JSON, as pages for people are") };
  if (!isJsonObject(document) || !Array.isArray(document.skills))
    return { fault: unusable(file, 'is JSON without a list "skills"') };
  const schema = document.$schema;
  const hasDigests = typeof schema === "string" && SCHEMA_0_2.test(schema);
  if (!hasDigests && schema !== undefined && !(typeof schema === "string" && SCHEMA_0_1.test(schema)))
    return { fault: unknownSchema(file, schema) };
  const skills: readonly unknown[] = document.skills;
  if (skills.length > place.limits.maxEntries)
    return { fault: unusable(file, `lists more than ${place.limits.maxEntries} skills`) };
  return readEntries(skills, { place, file, read: hasDigests ? readArtefactEntry : readFilesEntry });
}

function readEntries(
  skills: readonly unknown[],
  {
    place,
    file,
    read,
  }: {
    readonly place: IndexPlace;
    readonly file: string;
    readonly read: (entry: JsonObject, place: IndexPlace) => EntryReading;
  },
): ParsedIndex {
  const entries = new Map<string, IndexEntry>();
  const diagnostics: Diagnostic[] = [];
  for (const [index, skill] of skills.entries()) {
    const label = labelOf(skill, index);
    const reading = isJsonObject(skill) ? read(skill, place) : { fault: "is not an object" };
    if ("unknownType" in reading) {
      diagnostics.push({
        code: "index-type-unknown",
        severity: "warning",
        message: `${label} is of the type ${reading.unknownType}, which this version does not know; it is left out`,
        file,
        hint: "a newer Skillet may know it",
      });
    } else if ("fault" in reading) diagnostics.push(entryFault(file, `${label} ${reading.fault}`));
    else if (entries.has(reading.name)) diagnostics.push(entryFault(file, `${label} is there twice`));
    else entries.set(reading.name, reading);
  }
  return { entries: [...entries.values()], diagnostics };
}

function labelOf(skill: unknown, index: number): string {
  const name = isJsonObject(skill) ? skill.name : undefined;
  return `skills[${index}]${typeof name === "string" ? ` (${quoteName(name.slice(0, 64))})` : ""}`;
}

function entryFault(file: string, message: string): Diagnostic {
  return {
    code: "index-entry-invalid",
    severity: "error",
    message: `${message}; it is left out`,
    file,
    hint: "tell whoever runs the site; the other skills can be installed",
  };
}

function unusable(file: string, message: string): Diagnostic {
  return { code: "index-invalid", severity: "error", message, file, hint: "tell whoever runs the site" };
}

function unknownSchema(file: string, schema: unknown): Diagnostic {
  const shown = quoteName(typeof schema === "string" ? schema.slice(0, 200) : "of another kind than text");
  return {
    code: "index-schema-unknown",
    severity: "warning",
    message: `has the "$schema" ${shown}, which this version does not know; it is not processed`,
    file,
    hint: "a newer Skillet may know it",
  };
}
