import { isUtf8 } from "node:buffer";
import { posix } from "node:path";
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
  readDocument,
  record,
  refine,
  type Schema,
  text,
} from "@skillet/kit/schema";
import { listFirst, showName } from "@skillet/kit/text";
import { asSentence } from "../format/fault-list.ts";
import { isScopeName } from "./skill.ts";

/** The fields used of an Agent Plugin's root `plugin.json`, https://agent-plugins.org; all are checked. */
interface AgentPluginManifest {
  readonly $schema: string;
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
}

export interface AgentPlugin {
  /** Absent if the plugin is rejected, with everything in it. */
  readonly manifest?: AgentPluginManifest;
  readonly diagnostics: readonly Diagnostic[];
}

/** Bound on a `plugin.json` or an `mcp.json`. */
export const MAX_PLUGIN_FILE_BYTES: number = 256 * 1024;
/** Bound on the faults that are reported for one of them. */
export const MAX_PLUGIN_FAULTS = 20;
// The rest of a faulty file is still read, but it can have a hundred thousand faults, and each costs time.
const MAX_FAULTS = 2_000;
const MAX_NAMED = 5;

// A schema on this host means this format; other tools have a plugin.json with another schema or none.
const CLAIM = /^https?:\/\/(?:www\.)?agent-plugins\.org(?:\/|$)/i;

/** Reads a root `plugin.json`; undefined if its `$schema` says that it is not an Agent Plugin. */
export function readAgentPlugin(bytes: Uint8Array, file: string): AgentPlugin | undefined {
  const parsed = parsePluginFile(bytes);
  const schema = parsed.problem === undefined ? fieldOf(parsed.value, "$schema") : claimIn(bytes);
  if (typeof schema !== "string" || !CLAIM.test(schema)) return undefined;
  const { value, faults } = checkPluginFile(parsed, file, schema.includes("/1.1.") ? NEWER : MANIFEST);
  const ignored = faults.filter(({ kind }) => kind === "unknown-key");
  const fatal = faults.filter(({ kind }) => kind !== "unknown-key");
  // Without a manifest, there are too many unknown fields or a fatal fault.
  const told = value === undefined && fatal.length === 0 ? faults.slice(0, 1) : fatal;
  return {
    ...(value !== undefined && { manifest: value }),
    diagnostics: [
      ...told.slice(0, MAX_PLUGIN_FAULTS).map(({ place }) => rejection(place)),
      ...ignoredFields(ignored),
    ],
  };
}

// Finds the schema in a file that cannot be parsed.
function claimIn(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, MAX_PLUGIN_FILE_BYTES)).toString("latin1");
  return /(?<=")https?:\/\/(?:www\.)?agent-plugins\.org\//i.exec(start)?.[0];
}

type Place = Omit<Diagnostic, "code" | "severity">;

/** Reports why a plugin is rejected; `place.message` is a clause. */
export function rejection(place: Place): Diagnostic {
  const message = asSentence(place.message, ", so nothing of this plugin is offered");
  return { code: "agent-plugin-invalid", severity: "error", ...place, message };
}

function ignoredFields(faults: readonly PluginFault[]): readonly Diagnostic[] {
  const [first] = faults;
  if (first === undefined) return [];
  const names = faults.map(({ path }) => `\`${showName(String(path.at(-1)))}\``);
  const what = names.length === 1 ? "is not a field that can be used" : "are not fields that can be used";
  const message = `${listFirst(names, MAX_NAMED)} ${what} in an Agent Plugin of this version; the rest counts.`;
  const hint = `${first.place.hint} What is meant for one client belongs under \`extensions\`.`;
  return [{ ...first.place, code: "agent-plugin-field-ignored", severity: "warning", message, hint }];
}

interface PluginFile {
  readonly value?: unknown;
  readonly problem?: string;
  readonly locate: Locator;
}

/** Parses a `plugin.json` or an `mcp.json`. A duplicate key is a fault, because readers differ about it. */
export function parsePluginFile(bytes: Uint8Array): PluginFile {
  const locate = (): undefined => undefined;
  if (bytes.length > MAX_PLUGIN_FILE_BYTES)
    return { problem: `the file is larger than ${MAX_PLUGIN_FILE_BYTES} bytes`, locate };
  if (!isUtf8(bytes)) return { problem: "the file is not UTF-8", locate };
  const json = new TextDecoder().decode(bytes);
  const strict = parseStrictJson(json);
  const located = "fault" in strict ? strict : locateJson(json);
  if ("root" in located) return { value: plainValue(located.root), locate: locatorOf(located.root) };
  const { problem, range } = located.fault;
  return { problem: `it is not JSON: ${problem}`, locate: () => range };
}

interface PluginFault extends Pick<Fault, "kind" | "path"> {
  /** Its message is a clause. */
  readonly place: Place;
}

export function checkPluginFile<Value>(
  { value: given, problem, locate }: PluginFile,
  file: string,
  schema: Schema<Value>,
): { readonly value: Value | undefined; readonly faults: readonly PluginFault[] } {
  const options = { name: "the file", maxFaults: MAX_FAULTS };
  const broken = { kind: "invalid", path: [], part: "value", hint: "correct the file" } as const;
  const { value, faults }: ReturnType<typeof readDocument<Value>> =
    problem === undefined
      ? readDocument(schema, given, options)
      : { value: undefined, faults: [{ ...broken, message: problem }] };
  const placed = faults.map(({ kind, path, part, message, hint = "correct it" }): PluginFault => {
    const range = locate(path, part);
    return { kind, path, place: { message, file, hint: asSentence(hint), ...(range && { range }) } };
  });
  return { value, faults: placed };
}

/** Whether a path begins with `./`, as both files require, and stays inside the plugin's folder. */
export function isPluginPath(path: string): boolean {
  return path.startsWith("./") && !/[\\\0]/.test(path) && !/^\.\.(?:\/|$)/.test(posix.normalize(path));
}

const name = refine(
  matching(
    /^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/,
    "1 to 64 lower-case letters, digits, dots and hyphens, without -- and .., with a letter or digit at each end",
    "choose a name such as my-plugin",
  ),
  (value, reading) =>
    // Its skills would look like skills of that scope.
    isScopeName(value)
      ? reading.fault(`is ${value}, which is the name of a scope`, { hint: "choose another name" })
      : value,
);

// A fault in one of these two fields is reported and the field ignored; the rest of the manifest counts.
const IGNORED = { kind: "unknown-key" } as const;

const namespaces = record(object<object>({}));

const extensions: Schema<object> = (value, reading) => {
  if (isJsonObject(value)) return namespaces(value, reading);
  reading.fault("is not an object", { ...IGNORED, hint: "make `extensions` an object, or remove it" });
  return {};
};

const icon = refine(text, (value, reading) => {
  if (!isPluginPath(value))
    reading.fault("is not a path in the plugin", { ...IGNORED, hint: "begin `icon` with ./" });
  return value;
});

const texts = (...keys: readonly string[]): Readonly<Record<string, OptionalSchema<string>>> =>
  Object.fromEntries(keys.map((key) => [key, optional(text)]));

const FIELDS = {
  $schema: matching(
    /^https:\/\/agent-plugins\.org\/schemas\/1\.[01]\.[0-9]{1,4}\/plugin\.schema\.json$/,
    "the schema of a version that is known here",
    'write "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"; versions 1.0 and 1.1 are known here',
  ),
  name,
  version: optional(text),
  description: optional(text),
  ...texts("homepage", "repository", "license"),
  author: optional(object<object>(texts("name", "email", "url"), { unknown: "refuse" })),
  keywords: optional(array(text)),
  extensions: optional(extensions),
} as Fields<AgentPluginManifest>;

const MANIFEST = object(FIELDS, { unknown: "report" });
const NEWER = object({ ...FIELDS, ...texts("displayName"), icon: optional(icon) }, { unknown: "report" });
