import {
  anything,
  flag,
  listOf,
  objectOf,
  oneOf,
  optional,
  type Shape,
  ShapeCheck,
  text,
  wholeFrom,
} from "../../registry/json-shape.ts";
import { diagnostic, digest } from "../../registry/snapshot-shape.ts";
import type { ActivationSource } from "../activation-source.ts";
import type { SandboxReport, ScriptGrants } from "../run/script-runner.ts";
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

/** What is wrong with a value that should be a record; nothing when it is one, `unknown` when of no kind known here. */
export function checkRecord(value: unknown): readonly string[] | "unknown" {
  const check = new ShapeCheck();
  anything(MAX_RECORD_DEPTH)(value, check);
  hasKind(value, check);
  if (check.problems.length > 0) return check.problems;
  const shape = SHAPES.get((value as { kind: string }).kind);
  if (shape === undefined) return "unknown";
  shape(value, check);
  return check.problems;
}

const hasKind: Shape = objectOf<{ kind: string }>({ kind: text });

const texts: Shape = listOf(text);
const diagnostics: Shape = listOf(diagnostic);
const count: Shape = wholeFrom(0);
const source: Shape = oneOf<ActivationSource>({ preload: true, model: true, user: true, parent: true });
const error: Shape = objectOf<RecordedError>({ code: text, message: text });

const place: Readonly<Record<keyof RecordedPlace, Shape>> = {
  sourceId: text,
  folder: text,
  skillPath: text,
  skillDir: text,
};

const knownPlace: typeof place = {
  sourceId: optional(text),
  folder: optional(text),
  skillPath: optional(text),
  skillDir: optional(text),
};

const activation: Shape = objectOf<ActivationRecord>({
  ...place,
  kind: text,
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

const resourceRead: Shape = objectOf<ResourceReadRecord>({
  ...knownPlace,
  ...observed,
  kind: text,
  skillName: text,
  path: text,
  status: oneOf<ResourceReadRecord["status"]>({ read: true, binary: true, error: true }),
  resourceKind: optional(text),
  contentKind: optional(oneOf<"text" | "binary">({ text: true, binary: true })),
  maxBytes: optional(count),
  truncated: optional(flag),
});

const scriptExecution: Shape = objectOf<ScriptExecutionRecord>({
  ...knownPlace,
  ...observed,
  kind: text,
  skillName: text,
  path: text,
  tool: optional(text),
  status: oneOf<ScriptExecutionRecord["status"]>({ executed: true, error: true }),
  outcome: optional(
    oneOf<NonNullable<ScriptExecutionRecord["outcome"]>>({
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
  exitCode: optional(wholeFrom(Number.MIN_SAFE_INTEGER)),
  treeDigest: optional(digest),
  signal: optional(text),
  timedOut: optional(flag),
  cancelled: optional(flag),
  truncated: optional(
    objectOf<NonNullable<ScriptExecutionRecord["truncated"]>>({ stdout: flag, stderr: flag }),
  ),
  limit: optional(text),
  sandbox: optional(
    objectOf<SandboxReport>({
      backend: text,
      place: optional(text),
      strength: text,
      weaknesses: texts,
      memoryLimit: text,
    }),
  ),
  grants: optional(objectOf<ScriptGrants>({ network: texts, writable: texts })),
  durationMs: optional(count),
});

const refusal: Shape = objectOf<RefusalRecord>({
  kind: text,
  what: oneOf<RefusalRecord["what"]>({
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

const compaction: Shape = objectOf<CompactionRecord>({ kind: text, kept: texts, dropped: texts });

const turnEnded: Shape = objectOf<TurnRecord>({ kind: text });

const recordedMessage = { message: optional(text), messageDigest: optional(digest) };

const offer: Shape = objectOf<OfferRecord>({
  ...recordedMessage,
  kind: text,
  skills: listOf(
    objectOf<OfferedSkill>({
      name: text,
      tier: oneOf<OfferedSkill["tier"]>({ activate: true, suggest: true }),
    }),
  ),
});

const implicitUse: Shape = objectOf<ImplicitUseRecord>({
  kind: text,
  name: text,
  how: oneOf<ImplicitUseRecord["how"]>({ script: true, instructions: true, resource: true, command: true }),
  certainty: oneOf<ImplicitUseRecord["certainty"]>({ sure: true, likely: true }),
  subject: text,
});

const outcome: Shape = objectOf<OutcomeRecord>({
  ...recordedMessage,
  kind: text,
  name: text,
  outcome: oneOf<OutcomeRecord["outcome"]>({ used: true, ignored: true, wrong: true }),
});

const fork: Shape = objectOf<ForkRecord>({
  kind: text,
  childRunId: text,
  childFolder: text,
  skills: texts,
  tools: texts,
  scripts: optional(texts),
  context: optional(text),
  event: oneOf<ForkRecord["event"]>({ started: true, returned: true }),
  summaryCharacters: optional(count),
});

const policy: Shape = objectOf<PolicyRecord>({
  kind: text,
  mode: text,
  interactive: flag,
  snapshotVersion: digest,
  vetting: optional(text),
  roots: listOf(objectOf<RecordedRoot>({ sourceId: text, path: text, scope: text })),
  skills: listOf(
    objectOf<RecordedSkill>({
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
  activationSources: listOf(source),
  parentRunId: optional(text),
  diagnostics,
});

const recovery: Shape = objectOf<RecoveryRecord>({ kind: text, file: text, digest, bytes: count });

const KINDS: Readonly<Record<JournalRecord["kind"], Shape>> = {
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

const SHAPES: ReadonlyMap<string, Shape> = new Map(Object.entries(KINDS));
