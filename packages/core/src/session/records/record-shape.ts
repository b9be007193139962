import {
  anything,
  array,
  digest,
  type Fields,
  flag,
  object,
  oneOf,
  oneOfKeys,
  optional,
  readDocument,
  refine,
  type Schema,
  text,
  textAs,
  wholeNumber,
} from "@skillet/kit/schema";
import { diagnostic } from "../../registry/snapshot-shape.ts";
import type { SandboxReport, ScriptGrants } from "../script-runner.ts";
import type { ActivationSource } from "../session.ts";
import type {
  ActivationRecord,
  CompactionRecord,
  ForkRecord,
  ImplicitUseRecord,
  OfferedSkill,
  OfferRecord,
  OutcomeRecord,
  PolicyRecord,
  RecordedError,
  RecordedPlace,
  RecordedRoot,
  RecordedSkill,
  RecoveryRecord,
  RefusalRecord,
  ResourceReadRecord,
  ScriptExecutionRecord,
  SessionRecord,
  TurnRecord,
} from "./session-record.ts";

/** The deepest place in a record is a position in a diagnostic; more is somebody else's data. */
const MAX_RECORD_DEPTH = 8;

/** Everything that a journal holds: what sessions tell it, and what it notes itself. */
export type JournalRecord = SessionRecord | RecoveryRecord;

/** What is wrong with a value that should be a record; nothing when it is one, `unknown` for a kind of a later version. */
export function checkRecord(value: unknown): readonly string[] | "unknown" {
  const head = readDocument(recordHead, value, { name: "the record" });
  if (head.value === undefined) return head.faults.map(({ message }) => message);
  const schema = SCHEMAS.get(head.value.kind);
  if (schema === undefined) return "unknown";
  return readDocument(schema, value, { name: "the record" }).faults.map(({ message }) => message);
}

const recordHead = refine(object<{ readonly kind: string }>({ kind: text }), (value, reading) =>
  anything(MAX_RECORD_DEPTH)(value, reading) === undefined ? undefined : value,
);

const texts = array(text);
const diagnostics = array(diagnostic);
const count = wholeNumber(0);
const source = oneOfKeys<ActivationSource>({ preload: true, model: true, user: true, parent: true });
const error = object<RecordedError>({ code: text, message: text });

const place: Fields<RecordedPlace> = {
  sourceId: text,
  folder: text,
  skillPath: text,
  skillDir: text,
};

const knownPlace: Fields<Partial<RecordedPlace>> = {
  sourceId: optional(text),
  folder: optional(text),
  skillPath: optional(text),
  skillDir: optional(text),
};

const activation = object<ActivationRecord>({
  ...place,
  kind: oneOf(["activation"]),
  name: text,
  source,
  digest,
  treeDigest: optional(digest),
  arguments: optional(text),
  argumentsDigest: optional(digest),
  duplicate: flag,
  drifted: flag,
  diagnostics,
});

const observed = {
  resourcePath: optional(text),
  registryDigest: optional(digest),
  observedDigest: optional(digest),
  digestMatchesRegistry: optional(flag),
  registrySizeBytes: optional(count),
  observedSizeBytes: optional(count),
  diagnostics,
  error: optional(error),
};

const resourceRead = object<ResourceReadRecord>({
  ...knownPlace,
  ...observed,
  kind: oneOf(["resource-read"]),
  skillName: text,
  path: text,
  status: oneOfKeys<ResourceReadRecord["status"]>({ read: true, binary: true, error: true }),
  resourceKind: optional(text),
  contentKind: optional(oneOfKeys<"text" | "binary">({ text: true, binary: true })),
  maxBytes: optional(count),
  truncated: optional(flag),
});

const scriptExecution = object<ScriptExecutionRecord>({
  ...knownPlace,
  ...observed,
  kind: oneOf(["script-execution"]),
  skillName: text,
  path: text,
  tool: optional(text),
  status: oneOfKeys<ScriptExecutionRecord["status"]>({ executed: true, error: true }),
  outcome: optional(
    oneOfKeys<NonNullable<ScriptExecutionRecord["outcome"]>>({
      executed: true,
      "timed-out": true,
      cancelled: true,
    }),
  ),
  executionTarget: optional(text),
  runtime: optional(text),
  argv: optional(texts),
  args: optional(texts),
  cwd: optional(text),
  // Windows reports some ends as negative numbers.
  exitCode: optional(wholeNumber(Number.MIN_SAFE_INTEGER)),
  treeDigest: optional(digest),
  signal: optional(text),
  timedOut: optional(flag),
  cancelled: optional(flag),
  truncated: optional(
    object<NonNullable<ScriptExecutionRecord["truncated"]>>({ stdout: flag, stderr: flag }),
  ),
  limit: optional(text),
  sandbox: optional(
    object<SandboxReport>({
      backend: text,
      place: optional(text),
      strength: textAs(),
      weaknesses: texts,
      memoryLimit: textAs(),
    }),
  ),
  grants: optional(object<ScriptGrants>({ network: texts, writable: texts })),
  durationMs: optional(count),
});

const refusal = object<RefusalRecord>({
  kind: oneOf(["refusal"]),
  what: oneOfKeys<RefusalRecord["what"]>({
    resources: true,
    activate: true,
    tool: true,
    command: true,
    fork: true,
    dependencies: true,
  }),
  skillName: optional(text),
  subject: text,
  error,
  rule: optional(text),
});

const compaction = object<CompactionRecord>({ kind: oneOf(["compaction"]), kept: texts, dropped: texts });

const turnEnded = object<TurnRecord>({ kind: oneOf(["turn-ended"]) });

const recordedMessage = { message: optional(text), messageDigest: optional(digest) };

const offer = object<OfferRecord>({
  ...recordedMessage,
  kind: oneOf(["offer"]),
  skills: array(
    object<OfferedSkill>({
      name: text,
      tier: oneOfKeys<OfferedSkill["tier"]>({ activate: true, suggest: true }),
    }),
  ),
});

const implicitUse = object<ImplicitUseRecord>({
  kind: oneOf(["implicit-use"]),
  name: text,
  how: oneOfKeys<ImplicitUseRecord["how"]>({
    script: true,
    instructions: true,
    resource: true,
    command: true,
  }),
  certainty: oneOfKeys<ImplicitUseRecord["certainty"]>({ sure: true, likely: true }),
  subject: text,
});

const outcome = object<OutcomeRecord>({
  ...recordedMessage,
  kind: oneOf(["outcome"]),
  name: text,
  outcome: oneOfKeys<OutcomeRecord["outcome"]>({ used: true, ignored: true, wrong: true }),
});

const fork = object<ForkRecord>({
  kind: oneOf(["fork"]),
  childRunId: text,
  childFolder: text,
  skills: texts,
  tools: texts,
  scripts: optional(texts),
  context: optional(text),
  event: oneOfKeys<ForkRecord["event"]>({ started: true, returned: true }),
  summaryCharacters: optional(count),
});

const policy = object<PolicyRecord>({
  kind: oneOf(["policy"]),
  mode: text,
  interactive: flag,
  snapshotVersion: digest,
  vetting: optional(text),
  roots: array(object<RecordedRoot>({ sourceId: text, path: text, scope: text })),
  skills: array(
    object<RecordedSkill>({
      name: text,
      digest,
      treeDigest: optional(digest),
      origin: text,
      verdict: optional(text),
    }),
  ),
  allowed: optional(texts),
  scripts: texts,
  hostScripts: optional(texts),
  activationSources: array(source),
  parentRunId: optional(text),
  diagnostics,
});

const recovery = object<RecoveryRecord>({ kind: oneOf(["recovery"]), file: text, digest, bytes: count });

const KINDS: Readonly<Record<JournalRecord["kind"], Schema<JournalRecord>>> = {
  activation,
  "resource-read": resourceRead,
  "script-execution": scriptExecution,
  refusal,
  fork,
  compaction,
  "turn-ended": turnEnded,
  offer,
  "implicit-use": implicitUse,
  outcome,
  policy,
  recovery,
};

const SCHEMAS: ReadonlyMap<string, Schema<JournalRecord>> = new Map(Object.entries(KINDS));
