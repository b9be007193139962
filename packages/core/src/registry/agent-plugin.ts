import type { Diagnostic } from "@skillet/kit/diagnostics";
import { fieldOf, isJsonObject, locateJson, parseStrictJson } from "@skillet/kit/json";
import { type Locator, locatorOf, plainValue } from "@skillet/kit/located";
import {
  array,
  type Fault,
  type Fields,
  matching,
  type OptionalSchema,
  object,
  optional,
  type Reading,
  readDocument,
  record,
  refine,
  type Schema,
  text,
} from "@skillet/kit/schema";
import { listFirst } from "@skillet/kit/text";
import { isScopeName } from "./scope-prefix.ts";

/** The root `plugin.json` of an Agent Plugin, https://agent-plugins.org; its other fields are checked, and not used here. */
interface AgentPluginManifest {
  readonly $schema: string;
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
}

export interface AgentPlugin {
  /** Absent where the plugin is rejected, with all that it brings. */
  readonly manifest?: AgentPluginManifest;
  readonly diagnostics: readonly Diagnostic[];
}

/** How much of a `plugin.json` or an `mcp.json` is read. */
export const MAX_PLUGIN_FILE_BYTES: number = 256 * 1024;
const MAX_FAULTS = 20;
const MAX_NAMED = 5;

// Who writes this host means this format; other tools have a plugin.json as well, with another schema or none.
const CLAIM = /^https?:\/\/(?:www\.)?agent-plugins\.org(?:\/|$)/i;
const CLAIM_IN_TEXT = /"https?:\/\/(?:www\.)?agent-plugins\.org\//i;
const VERSION = /^https:\/\/agent-plugins\.org\/schemas\/(1\.[01]\.[0-9]{1,4})\/(plugin|mcp)\.schema\.json$/;

/** The version that a `$schema` names, where it is one that is known here; schemas are never fetched. */
export function agentPluginVersion(schema: unknown, document: "plugin" | "mcp"): string | undefined {
  const [, version, kind] = (typeof schema === "string" && VERSION.exec(schema)) || [];
  return kind === document ? version : undefined;
}

/** Reads a root `plugin.json`; undefined where its `$schema` says that it is something else than an Agent Plugin. */
export function readAgentPlugin(bytes: Uint8Array, file: string): AgentPlugin | undefined {
  const document = locateDocument(bytes);
  if ("fault" in document) {
    const start = Buffer.from(bytes.subarray(0, MAX_PLUGIN_FILE_BYTES)).toString("latin1");
    if (!CLAIM_IN_TEXT.test(start)) return undefined;
    return { diagnostics: [rejected({ ...document.fault, file }, "Correct the file.")] };
  }
  const { value: given, locate } = document;
  const schema = fieldOf(given, "$schema");
  if (typeof schema !== "string" || !CLAIM.test(schema)) return undefined;
  const fields = schema.includes("/1.1.") ? { ...FIELDS, ...NEWER_FIELDS } : FIELDS;
  const { value, faults } = readDocument(object<AgentPluginManifest>(fields, { unknown: "report" }), given, {
    name: "the manifest",
    maxFaults: Number.POSITIVE_INFINITY,
  });
  const ignored = faults.filter(({ kind }) => kind === "unknown-key");
  const fatal = faults.filter(({ kind }) => kind !== "unknown-key").slice(0, MAX_FAULTS);
  return {
    ...(value !== undefined && { manifest: value }),
    diagnostics: [
      ...fatal.map(({ message, hint, ...at }) =>
        rejected({ message, ...placed(at, locate, file) }, sentence(hint ?? "correct it")),
      ),
      ...(ignored[0] === undefined ? [] : [ignoredFields(ignored, placed(ignored[0], locate, file))]),
    ],
  };
}

/** A path as both documents write it: beginning with `./`, and never above the plugin's folder. */
export function isPluginPath(path: string): boolean {
  if (!path.startsWith("./") || /[\\\0]/.test(path)) return false;
  let depth = 0;
  for (const part of path.split("/")) {
    if (part === "..") depth -= 1;
    else if (part !== "" && part !== ".") depth += 1;
    if (depth < 0) return false;
  }
  return true;
}

type LocatedDocument =
  | { readonly value: unknown; readonly locate: Locator }
  | { readonly fault: Pick<Diagnostic, "message" | "range"> };

/** Values with their places. Of a key that occurs twice, readers differ in which they take, so it is a fault. */
export function locateDocument(bytes: Uint8Array): LocatedDocument {
  if (bytes.length > MAX_PLUGIN_FILE_BYTES)
    return { fault: { message: `the file is larger than ${MAX_PLUGIN_FILE_BYTES} bytes` } };
  const json = decode(bytes);
  if (json === undefined) return { fault: { message: "the file is not UTF-8" } };
  const strict = parseStrictJson(json);
  const located = "fault" in strict ? strict : locateJson(json);
  if ("fault" in located)
    return { fault: { message: `it is not JSON: ${located.fault.problem}`, range: located.fault.range } };
  return { value: plainValue(located.root), locate: locatorOf(located.root) };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

export function placed(
  { path, part }: Pick<Fault, "path" | "part">,
  locate: Locator,
  file: string,
): Pick<Diagnostic, "file" | "range"> {
  const range = locate(path, part);
  return { file, ...(range && { range }) };
}

export function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}${/[.?!]$/.test(clause) ? "" : "."}`;
}

function rejected(at: Pick<Diagnostic, "message" | "file" | "range">, hint: string): Diagnostic {
  const message = sentence(`${at.message}, so nothing of this plugin is offered`);
  return { code: "agent-plugin-invalid", severity: "error", ...at, message, hint };
}

function ignoredFields(faults: readonly Fault[], at: Pick<Diagnostic, "file" | "range">): Diagnostic {
  const names = faults.map(({ path }) => `\`${String(path.at(-1)).slice(0, 64)}\``);
  const what = names.length === 1 ? "is not a field that can be used" : "are not fields that can be used";
  const message = `${listFirst(names, MAX_NAMED)} ${what} in an Agent Plugin of this version; the rest counts.`;
  const hint = `${sentence(faults[0]?.hint ?? "remove it")} What is meant for one client belongs under \`extensions\`.`;
  return { code: "agent-plugin-field-ignored", severity: "warning", ...at, message, hint };
}

const SUPPORTED =
  'write "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"; versions 1.0 and 1.1 are known here';

const schemaId: Schema<string> = (value, reading) =>
  agentPluginVersion(value, "plugin") === undefined
    ? reading.refuse(value, "the schema of a version that is known here", SUPPORTED)
    : (value as string);

const NAME = /^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/;

const name: Schema<string> = refine(
  matching(
    NAME,
    "1 to 64 lower-case letters, digits, dots and hyphens, without -- and .., with a letter or digit at each end",
    "choose a name such as my-plugin",
  ),
  (value, reading) =>
    // Its skills would pass for those of the scope.
    isScopeName(value)
      ? reading.fault(`is ${value}, which is the name of a scope`, { hint: "choose another name" })
      : value,
);

// Reported and left out, while everything else about the manifest still counts.
function ignore(reading: Reading, clause: string, hint: string): undefined {
  return reading.fault(clause, { kind: "unknown-key", hint });
}

const ofObjects = record<Readonly<Record<string, unknown>>>((value, reading) =>
  isJsonObject(value) ? value : reading.refuseObject(value),
);

const extensions: Schema<Readonly<Record<string, unknown>>> = (value, reading) => {
  if (isJsonObject(value)) return ofObjects(value, reading);
  ignore(reading, "is not an object", "make `extensions` an object, or remove it");
  return {};
};

const icon: Schema<string> = refine(text, (value, reading) => {
  if (!isPluginPath(value)) ignore(reading, "is not a path in the plugin", "begin `icon` with ./");
  return value;
});

const texts = (...keys: readonly string[]): Readonly<Record<string, OptionalSchema<string>>> =>
  Object.fromEntries(keys.map((key) => [key, optional(text)]));

const FIELDS: Fields<AgentPluginManifest> = {
  $schema: schemaId,
  name,
  version: optional(text),
  description: optional(text),
  ...texts("homepage", "repository", "license"),
  author: optional(object<object>(texts("name", "email", "url"), { unknown: "refuse" })),
  keywords: optional(array(text)),
  extensions: optional(extensions),
} as Fields<AgentPluginManifest>;

const NEWER_FIELDS = { displayName: optional(text), icon: optional(icon) };
