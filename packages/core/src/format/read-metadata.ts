import { pick, readBoolean, readList, readMap, reportType, splitList, toText } from "./coerce-values.ts";
import type { FaultList } from "./fault-list.ts";
import type { HeaderFields } from "./known-fields.ts";
import type { EnvironmentRequirement, InstallSpec } from "./manifest.ts";
import { EMPTY_LIST, type GatingDraft, type ManifestDraft, toPlatforms } from "./manifest-draft.ts";
import { createRawMap, isRawMap, parseJsonMap, present, type RawMap, type RawValue } from "./raw-header.ts";

// Its present name wins over the ones it had before.
const CLAW_KEYS = ["openclaw", "clawdbot", "clawdis"] as const;

/** Reads what dialects keep under `metadata`; what the top level says already stays. */
export function readMetadata(metadata: RawMap, draft: ManifestDraft, faults: FaultList): void {
  let hasClaw = false;
  for (const key in metadata) {
    const value = metadata[key] ?? null;
    switch (key) {
      case "version":
        draft.version ??= toText(value);
        break;
      case "author":
        draft.author ??= toText(value);
        break;
      case "homepage":
        draft.homepage ??= toText(value);
        break;
      case "tags":
        draft.addTags(readList(value, faults, "metadata.tags"));
        break;
      case "internal":
        draft.internal = readBoolean(value, faults, "metadata.internal") ?? false;
        break;
      case "short-description":
        draft.shortDescription ??= collapse(toText(value));
        break;
      case "requires":
        if (isRawMap(value)) readRequires(value, draft.gating, faults, "metadata.requires");
        else draft.gating.add("bins", readList(value, faults, "metadata.requires"));
        break;
      case "hermes":
        readBlock(value, (block) => readHermesMetadata(block, draft, faults));
        break;
      case "openclaw":
      case "clawdbot":
      case "clawdis":
        hasClaw = true;
        break;
    }
  }
  const claw = hasClaw ? CLAW_KEYS.find((key) => metadata[key] !== undefined) : undefined;
  if (claw !== undefined) {
    readBlock(metadata[claw], (block) => readOpenClaw(block, draft, faults, `metadata.${claw}`));
  }
}

/** A block is a map, or a text that holds one as JSON. */
function readBlock(value: RawValue | undefined, read: (block: RawMap) => void): void {
  const block = typeof value === "string" ? parseJsonMap(value) : value;
  if (isRawMap(block)) read(block);
}

function collapse(text: string | undefined): string | undefined {
  return text?.replace(/\s+/g, " ");
}

/** Reads OpenClaw's block: `metadata.openclaw`, or one of the names it had before. */
function readOpenClaw(block: RawMap, draft: ManifestDraft, faults: FaultList, path: string): void {
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
function readRequires(value: RawValue, gating: GatingDraft, faults: FaultList, path: string): void {
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
  return present<InstallSpec>({
    kind,
    bins: readList(item.bins, faults, path),
    os: toPlatforms(readList(item.os, faults, path)),
    fields,
    id: toText(item.id),
    label: toText(item.label),
  });
}

const CONDITIONS = [
  ["requires-tools", "requires_tools", "requiresTools"],
  ["requires-toolsets", "requires_toolsets", "requiresToolsets"],
  ["fallback-for-tools", "fallback_for_tools", "fallbackForTools"],
  ["fallback-for-toolsets", "fallback_for_toolsets", "fallbackForToolsets"],
] as const;

export function readHermesFields(fields: HeaderFields, draft: ManifestDraft, faults: FaultList): void {
  fields.with("platforms", (value, path) => draft.gating.addPlatforms(readList(value, faults, path)));
  fields.with("environments", (value, path) =>
    draft.gating.add("environments", readList(value, faults, path)),
  );
  fields.with("required-credential-files", (value, path) =>
    draft.gating.add("credentialFiles", readList(value, faults, path)),
  );
  fields.with("required-environment-variables", (value, path) =>
    addVariables(value, draft.gating, faults, path),
  );
  fields.with("prerequisites", (value, path) => {
    const map = readMap(value, faults, path);
    addVariables(map && pick(map, "env_vars", "env-vars", "envVars"), draft.gating, faults, path);
    draft.gating.add("commands", readList(map?.commands, faults, path));
  });
  fields.with("setup", (value, path) => {
    const map = readMap(value, faults, path);
    addVariables(
      map && pick(map, "collect_secrets", "collect-secrets", "collectSecrets"),
      draft.gating,
      faults,
      path,
    );
  });
  fields.with("related-skills", (value, path) => {
    draft.relatedSkills = readList(value, faults, path);
  });
  for (const [field, , list] of CONDITIONS) {
    fields.with(field, (value, path) => draft.gating.add(list, readList(value, faults, path)));
  }
  // Last, because it speaks about variables that the keys above declare.
  fields.with("credential-destinations", (value, path) => {
    const map = readMap(value, faults, path) ?? {};
    for (const name in map) draft.gating.addHosts(name, readList(map[name], faults, path), faults, path);
  });
}

/** Reads `metadata.hermes`; what the top level says already stays. */
function readHermesMetadata(block: RawMap, draft: ManifestDraft, faults: FaultList): void {
  const path = "metadata.hermes";
  draft.addTags(readList(block.tags, faults, `${path}.tags`));
  if (draft.relatedSkills.length === 0) {
    draft.relatedSkills = readList(
      pick(block, "related_skills", "related-skills", "relatedSkills"),
      faults,
      path,
    );
  }
  for (const [kebab, snake, camel] of CONDITIONS) {
    const value = pick(block, snake, kebab, camel);
    if (value !== undefined) draft.gating.add(camel, readList(value, faults, `${path}.${snake}`));
  }
}

/** Adds the variables that a dialect lists: names, or maps that describe one each. */
function addVariables(
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
  const optional = readOptional(item, faults, path);
  const hosts = readList(item.hosts, faults, path);
  return present<EnvironmentRequirement>({
    name,
    prompt: toText(item.prompt),
    help: toText(pick(item, "help", "description")),
    requiredFor: toText(pick(item, "required_for", "requiredFor", "required-for")),
    optional,
    hosts: hosts.length > 0 ? hosts : undefined,
  });
}

function readOptional(item: RawMap, faults: FaultList, path: string): boolean | undefined {
  const optional = readBoolean(item.optional, faults, path);
  const required = readBoolean(item.required, faults, path);
  return optional ?? (required === undefined ? undefined : !required);
}
