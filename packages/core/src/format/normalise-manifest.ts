import { readText, toText } from "./coerce-values.ts";
import type { FaultList } from "./fault-list.ts";
import { MAX_COMPATIBILITY_CHARACTERS } from "./format-limits.ts";
import { fieldOf, HeaderFields } from "./known-fields.ts";
import type { Manifest } from "./manifest.ts";
import {
  DEFAULT_EXECUTION,
  DEFAULT_INVOCATION,
  EMPTY_RECORD,
  ManifestDraft,
  NO_ARGUMENTS,
  NO_TOOLS,
} from "./manifest-draft.ts";
import { createRawMap, type RawHeader, type RawMap, type RawValue } from "./raw-header.ts";
import {
  readArguments,
  readAuthor,
  readExecution,
  readInvocation,
  readSharedFields,
  readTools,
} from "./read-dialects.ts";
import {
  checkLength,
  type ManifestContext,
  readDescription,
  readMetadataMap,
  readName,
} from "./read-identity.ts";
import { readHermesFields, readMetadata } from "./read-metadata.ts";

type MutableManifest = { -readonly [Key in keyof Manifest]: Manifest[Key] };

/** Brings a header of any dialect into the one shape; undefined, with an error, if it is no skill. */
export function normaliseManifest(header: RawHeader, context: ManifestContext): Manifest | undefined {
  const reading = readManifest(header, context);
  if (reading === undefined) return undefined;
  const { fields, draft } = reading;
  const manifest = buildManifest(reading);
  if (fields !== undefined) addFields(manifest, fields, draft.internal, context.faults);
  return manifest;
}

export interface ManifestReading {
  readonly name: string;
  readonly description: string;
  readonly metadata: RawMap;
  readonly extra: RawMap;
  readonly draft: ManifestDraft;
  readonly fields: HeaderFields | undefined;
}

/** Reads identity and requirements; undefined, with an error, if it is no skill. */
export function readManifest(header: RawHeader, context: ManifestContext): ManifestReading | undefined {
  const { faults } = context;
  const { keys, values } = header;
  const draft = new ManifestDraft();
  let name: RawValue | undefined;
  let description: RawValue | undefined;
  let metadata: RawValue | undefined;
  let extra: Record<string, RawValue> | undefined;
  let fields: HeaderFields | undefined;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? "";
    const value = values[index] ?? null;
    const field = fieldOf(key);
    switch (field) {
      case "name":
        name = value;
        break;
      case "description":
        description = value;
        break;
      case "metadata":
        metadata = value;
        break;
      case "license":
        draft.license = readText(value, faults, key);
        break;
      case "version":
        draft.version = toText(value);
        break;
      case "author":
        draft.author = readAuthor(value);
        break;
      case "homepage":
        draft.homepage = toText(value);
        break;
      case undefined:
        extra ??= createRawMap();
        extra[key] = value;
        break;
      default:
        fields ??= new HeaderFields();
        if (!fields.set(field, key, value)) reportSpelling(key, faults);
    }
  }
  const readableDescription = readDescription(description, context);
  const readableName = readName(name, context);
  if (readableDescription === undefined || readableName === undefined) return undefined;
  if (fields !== undefined) {
    readSharedFields(fields, draft, faults);
    readHermesFields(fields, draft, faults);
  }
  const metadataMap = readMetadataMap(metadata, faults);
  if (metadataMap !== EMPTY_RECORD) readMetadata(metadataMap, draft, faults);
  return {
    name: readableName,
    description: readableDescription,
    metadata: metadataMap,
    extra: extra ?? EMPTY_RECORD,
    draft,
    fields,
  };
}

function buildManifest({ name, description, metadata, extra, draft }: ManifestReading): MutableManifest {
  const manifest: MutableManifest = {
    name,
    description,
    tags: draft.tags,
    relatedSkills: draft.relatedSkills,
    triggers: draft.triggers,
    toolsets: draft.toolsets,
    invocation: draft.internal ? { ...DEFAULT_INVOCATION, internal: true } : DEFAULT_INVOCATION,
    args: NO_ARGUMENTS,
    execution: DEFAULT_EXECUTION,
    tools: NO_TOOLS,
    gating: draft.finishGating(),
    install: draft.install,
    ui: draft.finishUi(),
    metadata,
    extra,
  };
  // Optional keys are always set in this order, so that manifests share few hidden classes.
  if (draft.license !== undefined) manifest.license = draft.license;
  if (draft.version !== undefined) manifest.version = draft.version;
  if (draft.author !== undefined) manifest.author = draft.author;
  if (draft.homepage !== undefined) manifest.homepage = draft.homepage;
  return manifest;
}

function addFields(
  manifest: MutableManifest,
  fields: HeaderFields,
  internal: boolean,
  faults: FaultList,
): void {
  fields.with("compatibility", (value, path) => {
    const compatibility = readText(value, faults, path);
    checkLength(compatibility ?? "", MAX_COMPATIBILITY_CHARACTERS, "compatibility", faults);
    if (compatibility !== undefined) manifest.compatibility = compatibility;
  });
  fields.with("when-to-use", (value, path) => {
    const whenToUse = readText(value, faults, path);
    if (whenToUse !== undefined) manifest.whenToUse = whenToUse;
  });
  fields.with("hooks", (value) => {
    if (value !== null) manifest.hooks = value;
  });
  manifest.invocation = readInvocation(fields, internal, faults);
  manifest.args = readArguments(fields, faults);
  manifest.execution = readExecution(fields, faults);
  manifest.tools = readTools(fields, faults);
}

function reportSpelling(key: string, faults: FaultList): void {
  faults.addAtKey(
    {
      code: "duplicate-key",
      severity: "warning",
      message: `The key ${key} is another spelling of one above; this one is taken.`,
      hint: "Keep one of the two.",
    },
    key,
  );
}
