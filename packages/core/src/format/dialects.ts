import { present } from "@skillet/kit/json";
import { checkLength, Field, separatorsIn, splitList, toText } from "./field.ts";
import { MAX_COMPATIBILITY_CHARACTERS } from "./format-limits.ts";
import {
  DEFAULT_MANIFEST,
  EMPTY_LIST,
  type EnvironmentRequirement,
  type Gating,
  type InstallSpec,
  type Manifest,
} from "./manifest.ts";
import { createRawMap, isRawMap, type RawMap, type RawValue } from "./raw-header.ts";

export interface ManifestDraft {
  readonly manifest: { -readonly [Key in keyof Manifest]: Manifest[Key] };
  /** By name; the first description of a variable wins. */
  variables?: Map<string, EnvironmentRequirement>;
}

type Read = (draft: ManifestDraft, field: Field) => void;
type Part = "args" | "execution" | "gating" | "invocation" | "tools" | "ui";
type ListName = {
  [Name in keyof Gating]-?: Gating[Name] extends readonly string[] ? Name : never;
}[keyof Gating];

function key<Key extends keyof Manifest>(name: Key, read: (field: Field) => Manifest[Key] | undefined): Read {
  return ({ manifest }, field) => {
    const value = read(field);
    if (value !== undefined) manifest[name] = value;
  };
}

/** Sets a key of a part of the manifest. Parts start as shared defaults, so they are copied. */
function part<Name extends Part, Key extends keyof Manifest[Name]>(
  name: Name,
  property: Key,
  read: (field: Field) => Manifest[Name][Key] | undefined,
): Read {
  return (draft, field) => patch(draft, name, property, read(field));
}

function patch<Name extends Part, Key extends keyof Manifest[Name]>(
  { manifest }: ManifestDraft,
  name: Name,
  property: Key,
  value: Manifest[Name][Key] | undefined,
): void {
  if (value === undefined) return;
  if (manifest[name] === DEFAULT_MANIFEST[name]) manifest[name] = { ...manifest[name] };
  (manifest[name] as { -readonly [Own in keyof Manifest[Name]]: Manifest[Name][Own] })[property] = value;
}

function once<Name extends "version" | "author" | "homepage">(name: Name): Read {
  const set = key(name, text);
  return (draft, field) => {
    if (draft.manifest[name] === undefined) set(draft, field);
  };
}

function oncePart<Name extends Part, Key extends keyof Manifest[Name]>(
  name: Name,
  property: Key,
  read: (field: Field) => Manifest[Name][Key] | undefined,
): Read {
  return (draft, field) => {
    if (draft.manifest[name][property] === undefined) patch(draft, name, property, read(field));
  };
}

function needs(name: ListName, read: (field: Field) => readonly string[] = list): Read {
  return (draft, field) => {
    const items = read(field);
    if (items.length > 0) patch(draft, "gating", name, union(draft.manifest.gating[name], items));
  };
}

function union(present: readonly string[], added: readonly string[]): readonly string[] {
  if (present.length === 0 && added.length === 1) return added;
  return [...new Set([...present, ...added])];
}

const text = (field: Field): string | undefined => field.text();
const joined = (field: Field): string | undefined => field.joined();
const flag = (field: Field): boolean | undefined => field.flag();
const list = (field: Field): readonly string[] => field.list();
const phrases = (field: Field): readonly string[] => field.phrases();
const platforms = (field: Field): readonly string[] => toPlatforms(field.list());

const CONDITIONS = ["requiresTools", "requiresToolsets", "fallbackForTools", "fallbackForToolsets"] as const;

const addTags: Read = ({ manifest }, field) => {
  const tags = field.list();
  if (tags.length > 0) manifest.tags = manifest.tags.length === 0 ? tags : union(manifest.tags, tags);
};

/** The target of each top-level key of any client, in the order in which keys are read. */
const FIELDS: Readonly<Record<string, Read>> = {
  license: key("license", joined),
  version: key("version", text),
  author: key("author", ({ value }) => toText(isRawMap(value) ? value.name : value)),
  homepage: key("homepage", text),
  compatibility: key("compatibility", (field) => {
    const compatibility = field.joined();
    checkLength(compatibility ?? "", MAX_COMPATIBILITY_CHARACTERS, "compatibility", field.faults);
    return compatibility;
  }),
  "allowed-tools": part("tools", "allowed", (field) => {
    const tools = field.list();
    reportToolsForm(field, tools);
    return tools;
  }),
  // Claude Code
  "when-to-use": key("whenToUse", joined),
  "argument-hint": part("args", "hint", joined),
  arguments: part("args", "names", list),
  "disable-model-invocation": part("invocation", "model", (field) => !(field.flag() ?? false)),
  "user-invocable": part("invocation", "user", flag),
  "disallowed-tools": part("tools", "disallowed", list),
  model: part("execution", "model", text),
  effort: part("execution", "effort", text),
  context: part("execution", "context", (field) => {
    const context = field.text();
    if (context === undefined || context === "inline" || context === "fork") return context;
    return field.reject("inline or fork");
  }),
  agent: part("execution", "agent", text),
  background: part("execution", "background", flag),
  hooks: key("hooks", ({ value }) => value ?? undefined),
  paths: part("invocation", "paths", phrases),
  shell: part("execution", "shell", text),
  "display-name": part("ui", "displayName", text),
  // Several clients
  tags: addTags,
  toolsets: key("toolsets", list),
  triggers: key("triggers", readTriggers),
  "related-skills": key("relatedSkills", list),
  // Requirements from here on, which discovery reads first. Hermes:
  "requires-skills": needs("skills"),
  platforms: needs("os", platforms),
  environments: needs("environments"),
  "required-credential-files": needs("credentialFiles"),
  "required-environment-variables": addVariables,
  prerequisites: (draft, field) => {
    field.map();
    addVariables(draft, field.pick("env_vars", "env-vars", "envVars"));
    needs("commands")(draft, field.pick("commands"));
  },
  setup: (draft, field) => {
    field.map();
    addVariables(draft, field.pick("collect_secrets", "collect-secrets", "collectSecrets"));
  },
  "requires-tools": needs("requiresTools"),
  "requires-toolsets": needs("requiresToolsets"),
  "fallback-for-tools": needs("fallbackForTools"),
  "fallback-for-toolsets": needs("fallbackForToolsets"),
  // Last, because it refers to variables that the keys above declare.
  "credential-destinations": (draft, field) => {
    const destinations = field.map() ?? {};
    for (const name in destinations) addHosts(draft, name, field.holding(destinations[name]).list(), field);
  },
};

interface KnownField {
  readonly name: string;
  readonly rank: number;
  /** Absent for name, description and metadata, which are read separately. */
  readonly read?: Read;
}

const KNOWN: readonly KnownField[] = [
  ...["name", "description", "metadata"].map((name) => ({ name, rank: -1 })),
  ...Object.entries(FIELDS).map(([name, read], rank) => ({ name, rank, read })),
];

const FIRST_REQUIREMENT = Object.keys(FIELDS).indexOf("requires-skills");

export const FIELD_NAMES: readonly string[] = KNOWN.map(({ name }) => name);

const SPELLINGS: ReadonlyMap<string, KnownField> = new Map(
  KNOWN.flatMap((known) => fieldSpellings(known.name).map((spelling) => [spelling, known] as const)),
);

/** The field that a key means; keys may use hyphens, underscores or camel case. */
export function fieldOf(written: string): KnownField | undefined {
  return SPELLINGS.get(written);
}

export function isRequirement({ rank }: KnownField): boolean {
  return rank >= FIRST_REQUIREMENT;
}

/** A key with hyphens, with underscores and in camel case. */
export function fieldSpellings(name: string): readonly string[] {
  if (!name.includes("-")) return [name];
  return [
    name,
    name.replaceAll("-", "_"),
    name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
  ];
}

/** The known keys of one header, read in the order of `FIELDS`: later keys build on earlier ones. */
export class HeaderFields {
  readonly #found: { readonly known: KnownField; readonly field: Field }[] = [];

  /** Adds a key; false if it replaces another spelling of the same key. */
  set(known: KnownField, field: Field): boolean {
    const at = this.#found.findIndex((other) => other.known === known);
    if (at === -1) this.#found.push({ known, field });
    else this.#found[at] = { known, field };
    return at === -1;
  }

  read(draft: ManifestDraft): void {
    this.#found.sort((left, right) => left.known.rank - right.known.rank);
    for (const { known, field } of this.#found) known.read?.(draft, field);
  }
}

/** OpenClaw's block, which formerly had other names. */
const OPENCLAW: ReadonlyMap<string, Read> = table({
  always: part("gating", "always", (field) => field.flag() || undefined),
  emoji: oncePart("ui", "emoji", text),
  homepage: once("homepage"),
  skillKey: oncePart("gating", "skillKey", text),
  primaryEnv: oncePart("gating", "primaryEnv", text),
  os: needs("os", platforms),
  requires: readRequires,
  install: key("install", readInstall),
  envVars: addVariables,
});

const REQUIRES: ReadonlyMap<string, Read> = table({
  bins: needs("bins"),
  anyBins: needs("anyBins"),
  config: needs("config"),
  skills: needs("skills"),
  env: addVariables,
});

/** Keys that dialects keep under `metadata`; the same key at the top level wins. */
const METADATA: ReadonlyMap<string, Read> = table({
  version: once("version"),
  author: once("author"),
  homepage: once("homepage"),
  tags: addTags,
  internal: part("invocation", "internal", (field) => field.flag() ?? false),
  "short-description": oncePart("ui", "shortDescription", (field) => field.text()?.replace(/\s+/g, " ")),
  requires: (draft, field) => (isRawMap(field.value) ? readRequires : needs("bins"))(draft, field),
  hermes: (draft, field) => readHermes(draft, field.block()),
});

function table(readers: Readonly<Record<string, Read>>): ReadonlyMap<string, Read> {
  return new Map(Object.entries(readers));
}

export function readMetadata(draft: ManifestDraft, metadata: Field): void {
  readBlock(METADATA, draft, metadata);
  const { value } = metadata;
  // The current name wins over the former ones.
  const claw = ["openclaw", "clawdbot", "clawdis"].find(
    (name) => isRawMap(value) && value[name] !== undefined,
  );
  if (claw !== undefined) readBlock(OPENCLAW, draft, metadata.at(claw).block());
}

export function readListings(draft: ManifestDraft, metadata: Field): void {
  const { value } = metadata;
  if (!isRawMap(value)) return;
  for (const name in value) {
    const block = metadata.at(name);
    if (METADATA.has(name) || !isRawMap(block.value)) continue;
    // Other clients check their own values: anything but a list or a text is ignored.
    if (typeof block.value.tags === "string" || Array.isArray(block.value.tags))
      addTags(draft, block.at("tags"));
    const related = block.pick(...RELATED);
    if (typeof related.value === "string" || Array.isArray(related.value)) addRelated(draft, related);
  }
}

const RELATED = ["related_skills", "related-skills", "relatedSkills"] as const;

function addRelated({ manifest }: ManifestDraft, field: Field): void {
  if (manifest.relatedSkills.length === 0) manifest.relatedSkills = field.list();
}

function readBlock(readers: ReadonlyMap<string, Read>, draft: ManifestDraft, block: Field): void {
  if (!isRawMap(block.value)) return;
  for (const name in block.value) readers.get(name)?.(draft, block.at(name));
}

function readRequires(draft: ManifestDraft, field: Field): void {
  field.map();
  readBlock(REQUIRES, draft, field);
}

function readHermes(draft: ManifestDraft, block: Field): void {
  if (!isRawMap(block.value)) return;
  addTags(draft, block.at("tags"));
  addRelated(draft, block.pick(...RELATED));
  for (const name of CONDITIONS) {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const { value } = block.pick(snake, snake.replaceAll("_", "-"), name);
    if (value !== undefined) needs(name)(draft, new Field(value, `${block.path}.${snake}`, block.faults));
  }
}

/** A plain list contains keywords; a map says what each list contains. */
function readTriggers(field: Field): Manifest["triggers"] {
  const { value } = field;
  if (!isRawMap(value)) return { keywords: field.phrases(), verbs: EMPTY_LIST, patterns: EMPTY_LIST };
  return {
    keywords: field.at("keywords").phrases(),
    verbs: field.at("verbs").phrases(),
    // A string is a single pattern: a comma in it is part of the pattern.
    patterns: typeof value.patterns === "string" ? [value.patterns] : field.at("patterns").phrases(),
  };
}

const PLATFORMS: ReadonlyMap<string, string> = new Map([
  ["macos", "darwin"],
  ["mac", "darwin"],
  ["osx", "darwin"],
  ["windows", "win32"],
  ["win", "win32"],
]);

function toPlatforms(names: readonly string[]): readonly string[] {
  return names.map((name) => PLATFORMS.get(name.toLowerCase()) ?? name.toLowerCase());
}

const SPEC_KEYS: ReadonlySet<string> = new Set(["kind", "type", "id", "label", "bins", "os"]);

function readInstall(field: Field): readonly InstallSpec[] {
  const specs: InstallSpec[] = [];
  for (const item of field.items) {
    const kind = isRawMap(item) ? toText(item.kind ?? item.type) : undefined;
    if (isRawMap(item) && kind !== undefined) specs.push(readInstallSpec(item, kind, field));
    else field.reject("a list of maps with a kind");
  }
  return specs;
}

function readInstallSpec(item: RawMap, kind: string, field: Field): InstallSpec {
  const fields = createRawMap();
  for (const name in item) if (!SPEC_KEYS.has(name)) fields[name] = item[name] ?? null;
  return present<InstallSpec>({
    kind,
    bins: field.holding(item.bins).list(),
    os: toPlatforms(field.holding(item.os).list()),
    fields,
    id: toText(item.id),
    label: toText(item.label),
  });
}

const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function addVariables(draft: ManifestDraft, field: Field): void {
  const items = typeof field.value === "string" ? splitList(field.value) : field.items;
  for (const item of items) {
    const variable = readVariable(item, field);
    if (variable === undefined) field.reject("a list of variable names");
    else addVariable(draft, variable, field);
  }
}

function readVariable(item: RawValue, field: Field): EnvironmentRequirement | undefined {
  const variable = field.holding(item);
  const name = isRawMap(item)
    ? variable.pick("name", "env_var", "envVar", "env", "key").text()
    : toText(item);
  if (name === undefined || !isRawMap(item)) return name === undefined ? undefined : { name };
  const optional = variable.pick("optional").flag();
  const required = variable.pick("required").flag();
  const hosts = variable.pick("hosts").list();
  return present<EnvironmentRequirement>({
    name,
    prompt: toText(item.prompt),
    help: variable.pick("help", "description").text(),
    requiredFor: variable.pick("required_for", "requiredFor", "required-for").text(),
    optional: optional ?? (required === undefined ? undefined : !required),
    hosts: hosts.length > 0 ? hosts : undefined,
  });
}

function addVariable(draft: ManifestDraft, variable: EnvironmentRequirement, { path, faults }: Field): void {
  const { name } = variable;
  if (ENVIRONMENT_NAME.test(name)) {
    draft.variables ??= new Map();
    if (!draft.variables.has(name)) draft.variables.set(name, variable);
    return;
  }
  const message = `${JSON.stringify(name)} is not the name of an environment variable, and is left out.`;
  const hint = "Use letters, digits and underscores, and no digit first.";
  faults.addAtKey({ code: "invalid-environment-name", severity: "warning", message, hint }, path);
}

/** Records which hosts a variable may be sent to; a variable that is not required elsewhere is optional. */
function addHosts(draft: ManifestDraft, name: string, hosts: readonly string[], field: Field): void {
  const known = draft.variables?.get(name);
  if (known === undefined) addVariable(draft, { name, optional: true, hosts }, field);
  else if (known.hosts === undefined) draft.variables?.set(name, { ...known, hosts });
}

export function finishManifest(draft: ManifestDraft): Manifest {
  if (draft.variables !== undefined) patch(draft, "gating", "env", [...draft.variables.values()]);
  return draft.manifest;
}

/** Reports tools that are not one text separated by spaces; returns whether it did. */
export function reportToolsForm({ value, path, faults }: Field, tools: readonly string[]): boolean {
  const isList = Array.isArray(value);
  if (!isList && (typeof value !== "string" || separatorsIn(value, "commas").length === 0)) return false;
  const severity = faults.mode === "lenient" ? "info" : isList ? "error" : "warning";
  const message = isList
    ? "The tools are a list; the specification has one text with spaces between them."
    : "The tools have commas between them; the specification has spaces only.";
  const code = isList ? "allowed-tools-list" : "allowed-tools-commas";
  faults.addAtKey({ code, severity, message, hint: `Write ${path}: ${tools.join(" ")}` }, path);
  return true;
}
