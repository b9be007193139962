import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import {
  anything,
  array,
  digest,
  flag,
  object,
  oneOf,
  optional,
  readDocument,
  refine,
  type Schema,
  text,
  wholeNumber,
} from "@skillet/kit/schema";
import { POLICY_SOURCES } from "../../config/config.ts";
import type { Skill } from "../../registry/skill.ts";
import { diagnostic } from "../../registry/snapshot-shape.ts";
import type { ActivationSource } from "../session.ts";

export interface RecordedError {
  readonly code: string;
  readonly message: string;
}

// Each record is declared once, as a table of its fields: its type and the check of a journal's line are
// derived from it. A field is a key of `Words`, a list of allowed texts, a table or a list of tables; a
// question mark makes it optional.
interface Words {
  text: string;
  texts: readonly string[];
  lists: readonly (readonly string[])[];
  digest: Digest;
  flag: boolean;
  count: number;
  integer: number;
  diagnostics: readonly Diagnostic[];
  error: RecordedError;
  source: ActivationSource;
  sources: readonly ActivationSource[];
}

const source = oneOf(POLICY_SOURCES);

const WORDS: { readonly [Word in keyof Words]: Schema<Words[Word]> } = {
  text,
  texts: array(text),
  lists: array(array(text)),
  digest,
  flag,
  count: wholeNumber(0),
  integer: wholeNumber(Number.MIN_SAFE_INTEGER),
  diagnostics: array(diagnostic),
  source,
  sources: array(source),
  error: object<RecordedError>({ code: text, message: text }),
};

interface Table {
  readonly [name: string]: keyof Words | readonly string[] | readonly [Table] | Table;
}

type ValueOf<Field> = Field extends keyof Words
  ? Words[Field]
  : Field extends readonly string[]
    ? Field[number]
    : Field extends readonly [infer Item]
      ? readonly Values<Item>[]
      : Values<Field>;

type Values<Of> = {
  readonly [Name in keyof Of as Name extends `${string}?` ? never : Name]: ValueOf<Of[Name]>;
} & {
  readonly [Name in keyof Of as Name extends `${infer Plain}?` ? Plain : never]?: ValueOf<Of[Name]>;
};

const PLACE = { sourceId: "text", folder: "text", skillPath: "text", skillDir: "text" } as const;

export type RecordedPlace = Values<typeof PLACE>;

export function placeOf(skill: Skill): RecordedPlace {
  const { id, folder } = skill.source;
  return { sourceId: id, folder, skillPath: skill.path, skillDir: skill.directory };
}

/** A requested file of a skill; without a place if it is not known which skill was meant. */
const ASKED_FILE = {
  "sourceId?": "text",
  "folder?": "text",
  "skillPath?": "text",
  "skillDir?": "text",
  skillName: "text",
  path: "text",
  "resourcePath?": "text",
  "registryDigest?": "digest",
  "observedDigest?": "digest",
  "digestMatchesRegistry?": "flag",
  "registrySizeBytes?": "count",
  "observedSizeBytes?": "count",
  diagnostics: "diagnostics",
  "error?": "error",
} as const;

/** Part of every record that is written for a call in a host's loop. */
const CALL = { "host?": "text", "callId?": "text" } as const;

/** A message as recorded: the start of its text, without secrets, and only if the host wants that. */
const MESSAGE = {
  "message?": "text",
  /** Keyed with a value that is never stored: tells a session's messages apart but confirms no guesses. */
  "messageDigest?": "digest",
} as const;

const RECORDS = {
  activation: {
    name: "text",
    source: "source",
    digest: "digest",
    "origin?": "text",
    "treeDigest?": "digest",
    "arguments?": "text",
    /** Covers the full arguments, which are shortened here if they are long. */
    "argumentsDigest?": "digest",
    /** The same text was in context already, so only a note was given. */
    duplicate: "flag",
    /** The file had changed since the snapshot, and policy allowed that. */
    drifted: "flag",
    /** The host got the body as it is, without the wrapper. */
    "raw?": "flag",
    diagnostics: "diagnostics",
  },
  "resource-read": {
    status: ["read", "binary", "error"],
    "resourceKind?": "text",
    "contentKind?": ["text", "binary"],
    "maxBytes?": "count",
    "truncated?": "flag",
  },
  "script-execution": {
    "tool?": "text",
    /** Executed: something ran, successfully or not. Error: nothing ran, or the outcome is not known. */
    status: ["executed", "error"],
    "outcome?": ["executed", "timed-out", "cancelled"],
    "executionTarget?": "text",
    "runtime?": "text",
    "argv?": "texts",
    "args?": "texts",
    "cwd?": "text",
    "treeDigest?": "digest",
    /** Windows reports some exit codes as negative numbers. */
    "exitCode?": "integer",
    "signal?": "text",
    "timedOut?": "flag",
    "cancelled?": "flag",
    /** Streams longer than their cap; the output is in no record, but in a file if the host wants it. */
    "truncated?": { stdout: "flag", stderr: "flag" },
    "outputFile?": "text",
    "outputDigest?": "digest",
    "limit?": "text",
    "sandbox?": {
      backend: "text",
      "place?": "text",
      strength: "text",
      weaknesses: "texts",
      memoryLimit: "text",
    },
    "grants?": { network: "texts", writable: "texts" },
    "durationMs?": "count",
  },
  refusal: {
    what: ["activate", "resources", "tool", "command", "fork", "dependencies"],
    "skillName?": "text",
    subject: "text",
    error: "error",
    "rule?": "text",
  },
  fork: {
    childRunId: "text",
    childFolder: "text",
    skills: "texts",
    tools: "texts",
    "scripts?": "texts",
    "context?": "text",
    event: ["started", "returned"],
    "summaryCharacters?": "count",
  },
  compaction: { kept: "texts", dropped: "texts" },
  /** A hook of an allowed plugin ran; its command and output are not recorded: they can contain secrets. */
  hook: {
    plugin: "text",
    digest: "digest",
    event: "text",
    "tool?": "text",
    outcome: ["passed", "asked", "refused", "failed"],
    "exitCode?": "integer",
    "reason?": "text",
  },
  /** The skills of the turn no longer narrow tools. */
  "turn-ended": {},
  /** Skills were offered for a message; the list is empty if only the message is worth recording. */
  offer: {
    skills: [{ name: "text", tier: ["activate", "suggest"], "digest?": "digest", "origin?": "text" }],
  },
  /**
   * The agent's own tools showed that a skill was used, loaded or not: once per turn and skill, and again if
   * a guess becomes certain.
   */
  "implicit-use": {
    name: "text",
    "digest?": "digest",
    "origin?": "text",
    how: ["script", "instructions", "resource", "command"],
    certainty: ["sure", "likely"],
    /** A path in the skill's folder or a program's name; never the command, which can contain secrets. */
    subject: "text",
  },
  outcome: {
    name: "text",
    "digest?": "digest",
    "origin?": "text",
    outcome: ["used", "ignored", "wrong"],
  },
  /** The skills and permissions of a session, written first and whenever they change. */
  policy: {
    mode: "text",
    interactive: "flag",
    snapshotVersion: "digest",
    /** The rules that judged skills before they were offered, or `not scanned`. */
    "vetting?": "text",
    roots: [{ sourceId: "text", path: "text", scope: "text" }],
    /** All offered skills if they are few; in a large library, those that this session treats differently. */
    skills: [{ name: "text", digest: "digest", "treeDigest?": "digest", origin: "text", "verdict?": "text" }],
    /** By mode and rules alone: their number, the digest of names and digests, and how many a rule denies. */
    "offered?": { count: "count", digest: "digest", denied: "count" },
    "withheld?": [{ name: "text", digest: "digest", "verdict?": "text", reason: "text", "rule?": "text" }],
    /** Names and patterns that the host allowed, for locked mode. */
    "allowed?": "texts",
    /** Names and patterns of the session's only skills; a skill must match every list. */
    "subsets?": "lists",
    scripts: "texts",
    "hostScripts?": "texts",
    activationSources: "sources",
    /** Loaded skills that this change removed, by the path of SKILL.md. */
    "lost?": "texts",
    "parentRunId?": "text",
    diagnostics: "diagnostics",
  },
  /** A line that a crash cut short was moved aside; only the journal writes this. */
  recovery: { file: "text", digest: "digest", bytes: "count" },
} as const;

interface Shared {
  readonly activation: typeof PLACE;
  readonly "resource-read": typeof ASKED_FILE;
  readonly "script-execution": typeof ASKED_FILE;
  readonly offer: typeof MESSAGE;
  readonly outcome: typeof MESSAGE;
}

const SHARED: Readonly<Record<string, Table>> = {
  activation: PLACE,
  "resource-read": ASKED_FILE,
  "script-execution": ASKED_FILE,
  offer: MESSAGE,
  outcome: MESSAGE,
} satisfies Shared;

type Kind = keyof typeof RECORDS;
type RecordOf<Of extends Kind> = { readonly kind: Of } & Values<typeof CALL> &
  Values<(typeof RECORDS)[Of]> &
  (Of extends keyof Shared ? Values<Shared[Of]> : unknown);

export type ActivationRecord = RecordOf<"activation">;
export type ResourceReadRecord = RecordOf<"resource-read">;
export type ScriptExecutionRecord = RecordOf<"script-execution">;
export type RefusalRecord = RecordOf<"refusal">;
export type ForkRecord = RecordOf<"fork">;
export type HookRecord = RecordOf<"hook">;
export type OfferRecord = RecordOf<"offer">;
export type OfferedSkill = OfferRecord["skills"][number];
export type ImplicitUseRecord = RecordOf<"implicit-use">;
export type OutcomeRecord = RecordOf<"outcome">;
export type PolicyRecord = RecordOf<"policy">;
export type RecoveryRecord = RecordOf<"recovery">;

export type JournalRecord = { [Of in Kind]: RecordOf<Of> }[Kind];

/** One event of a session; the recorder adds `runId` and the time. */
export type SessionRecord = Exclude<JournalRecord, RecoveryRecord>;

const SCHEMAS: ReadonlyMap<string, Schema<object>> = new Map(
  Object.entries<Table>(RECORDS).map(([kind, table]) => [
    kind,
    tableSchema({ kind: "text", ...CALL, ...SHARED[kind], ...table }),
  ]),
);

function tableSchema(table: Table): Schema<object> {
  const fields = Object.entries(table).map(([name, field]) => {
    const schema = fieldSchema(field);
    return name.endsWith("?") ? [name.slice(0, -1), optional(schema)] : [name, schema];
  });
  return object<object>(Object.fromEntries(fields));
}

function fieldSchema(field: Table[string]): Schema<unknown> {
  if (typeof field === "string") return WORDS[field];
  if (!Array.isArray(field)) return tableSchema(field as Table);
  const [item]: readonly (Table | string)[] = field;
  return typeof item === "object" ? array(tableSchema(item)) : oneOf(field as readonly string[]);
}

// The deepest value in a record is a position in a diagnostic.
const MAX_RECORD_DEPTH = 8;

const recordHead = refine(object<{ readonly kind: string }>({ kind: text }), (value, reading) =>
  anything(MAX_RECORD_DEPTH)(value, reading) === undefined ? undefined : value,
);

/** The faults of a value that should be a record; `unknown` if a later version defines its kind. */
export function checkRecord(value: unknown): readonly string[] | "unknown" {
  const head = readDocument(recordHead, value, { name: "the record" });
  if (head.value === undefined) return head.faults.map(({ message }) => message);
  const schema = SCHEMAS.get(head.value.kind);
  if (schema === undefined) return "unknown";
  return readDocument(schema, value, { name: "the record" }).faults.map(({ message }) => message);
}
