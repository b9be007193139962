import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
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
import type { DetectedUse } from "../../behaviour/use-detector.ts";
import type { Skill } from "../../registry/skill.ts";
import { diagnostic } from "../../registry/snapshot-shape.ts";
import type { SandboxReport, ScriptGrants, ScriptOutcome } from "../script-runner.ts";
import type { ActivationSource } from "../session.ts";

const texts = array(text);
const diagnostics = array(diagnostic);
const count = wholeNumber(0);
const source = oneOfKeys<ActivationSource>({ preload: true, model: true, user: true, parent: true });

/** Where a skill lies: in its source, and as the agent's tools see it. */
export interface RecordedPlace {
  readonly sourceId: string;
  /** Relative to the source. */
  readonly folder: string;
  /** SKILL.md as the agent's tools see it. */
  readonly skillPath: string;
  readonly skillDir: string;
}

export function placeOf(skill: Skill): RecordedPlace {
  const { id, folder } = skill.source;
  return { sourceId: id, folder, skillPath: skill.path, skillDir: skill.directory };
}

export interface RecordedError {
  readonly code: string;
  readonly message: string;
}

const error = object<RecordedError>({ code: text, message: text });

export interface ActivationRecord extends RecordedPlace {
  readonly kind: "activation";
  /** Qualified. */
  readonly name: string;
  readonly source: ActivationSource;
  /** Of SKILL.md, as it was read for this activation. */
  readonly digest: Digest;
  readonly treeDigest?: Digest;
  readonly arguments?: string;
  /** Of the arguments, which are shortened here when they are long. */
  readonly argumentsDigest?: Digest;
  /** The same text was in context already, and only a note was given. */
  readonly duplicate: boolean;
  /** The file had changed since the snapshot, and policy let it pass. */
  readonly drifted: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

const activation = object<ActivationRecord>({
  kind: oneOf(["activation"]),
  sourceId: text,
  folder: text,
  skillPath: text,
  skillDir: text,
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

/** A file of a skill that was asked for; without a place where it is not known which skill was meant. */
interface AskedFile extends Partial<RecordedPlace> {
  readonly skillName: string;
  readonly path: string;
  /** As the agent's tools see it. */
  readonly resourcePath?: string;
  readonly registryDigest?: Digest;
  readonly observedDigest?: Digest;
  readonly digestMatchesRegistry?: boolean;
  readonly registrySizeBytes?: number;
  readonly observedSizeBytes?: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly error?: RecordedError;
}

const askedFile: Fields<AskedFile> = {
  sourceId: optional(text),
  folder: optional(text),
  skillPath: optional(text),
  skillDir: optional(text),
  skillName: text,
  path: text,
  resourcePath: optional(text),
  registryDigest: optional(digest),
  observedDigest: optional(digest),
  digestMatchesRegistry: optional(flag),
  registrySizeBytes: optional(count),
  observedSizeBytes: optional(count),
  diagnostics,
  error: optional(error),
};

export interface ResourceReadRecord extends AskedFile {
  readonly kind: "resource-read";
  readonly status: "read" | "binary" | "error";
  readonly resourceKind?: string;
  readonly contentKind?: "text" | "binary";
  readonly maxBytes?: number;
  readonly truncated?: boolean;
}

const resourceRead = object<ResourceReadRecord>({
  ...askedFile,
  kind: oneOf(["resource-read"]),
  status: oneOfKeys<ResourceReadRecord["status"]>({ read: true, binary: true, error: true }),
  resourceKind: optional(text),
  contentKind: optional(oneOfKeys<"text" | "binary">({ text: true, binary: true })),
  maxBytes: optional(count),
  truncated: optional(flag),
});

export interface ScriptExecutionRecord extends AskedFile {
  readonly kind: "script-execution";
  /** The tool that was called, where the script is one. */
  readonly tool?: string;
  /** Executed: something ran, whatever came of it. Error: nothing did, or nobody knows what came of it. */
  readonly status: "executed" | "error";
  readonly outcome?: ScriptOutcome["status"];
  readonly executionTarget?: string;
  readonly runtime?: string;
  /** As it was started, from the interpreter on. */
  readonly argv?: readonly string[];
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Of the whole skill, as it was verified. */
  readonly treeDigest?: Digest;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut?: boolean;
  readonly cancelled?: boolean;
  /** Which streams were longer than their cap; what was written is in no record. */
  readonly truncated?: { readonly stdout: boolean; readonly stderr: boolean };
  readonly limit?: string;
  readonly sandbox?: SandboxReport;
  readonly grants?: ScriptGrants;
  readonly durationMs?: number;
}

const scriptExecution = object<ScriptExecutionRecord>({
  ...askedFile,
  kind: oneOf(["script-execution"]),
  tool: optional(text),
  status: oneOfKeys<ScriptExecutionRecord["status"]>({ executed: true, error: true }),
  outcome: optional(
    oneOfKeys<ScriptOutcome["status"]>({ executed: true, "timed-out": true, cancelled: true }),
  ),
  executionTarget: optional(text),
  runtime: optional(text),
  argv: optional(texts),
  args: optional(texts),
  cwd: optional(text),
  treeDigest: optional(digest),
  // Windows reports some ends as negative numbers.
  exitCode: optional(wholeNumber(Number.MIN_SAFE_INTEGER)),
  signal: optional(text),
  timedOut: optional(flag),
  cancelled: optional(flag),
  truncated: optional(object<{ stdout: boolean; stderr: boolean }>({ stdout: flag, stderr: flag })),
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

const REFUSED = ["activate", "resources", "tool", "command", "fork", "dependencies"] as const;

/** Something was not allowed: an activation, a tool call, a command of a skill, a fork. */
export interface RefusalRecord {
  readonly kind: "refusal";
  readonly what: (typeof REFUSED)[number];
  readonly skillName?: string;
  readonly subject: string;
  readonly error: RecordedError;
  readonly rule?: string;
}

const refusal = object<RefusalRecord>({
  kind: oneOf(["refusal"]),
  what: oneOf(REFUSED),
  skillName: optional(text),
  subject: text,
  error,
  rule: optional(text),
});

export interface ForkRecord {
  readonly kind: "fork";
  readonly childRunId: string;
  readonly childFolder: string;
  readonly skills: readonly string[];
  readonly tools: readonly string[];
  readonly scripts?: readonly string[];
  readonly context?: string;
  readonly event: "started" | "returned";
  readonly summaryCharacters?: number;
}

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

/** The qualified names of the skills whose text a compaction kept, and of those whose text it did not. */
interface CompactionRecord {
  readonly kind: "compaction";
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
}

/** A turn ended: what skills narrowed in it holds no longer. */
interface TurnRecord {
  readonly kind: "turn-ended";
}

export interface OfferedSkill {
  /** Qualified. */
  readonly name: string;
  /** To be used at once, or only named. */
  readonly tier: "activate" | "suggest";
}

/** A message as far as it is recorded: its text only where the host wants that. */
interface RecordedMessage {
  /** The beginning, without secrets. */
  readonly message?: string;
  /** Keyed by something that is never written: it tells messages of a session apart, and nobody can try guesses on it. */
  readonly messageDigest?: Digest;
}

const recordedMessage: Fields<RecordedMessage> = { message: optional(text), messageDigest: optional(digest) };

/** Skills were offered for a message; none where only the message is worth a record. */
export interface OfferRecord extends RecordedMessage {
  readonly kind: "offer";
  readonly skills: readonly OfferedSkill[];
}

/**
 * What the agent did showed that a skill was used, loaded here or not: once a turn and skill, and again when a guess
 * becomes sure.
 */
export interface ImplicitUseRecord extends Pick<DetectedUse, "how" | "certainty"> {
  readonly kind: "implicit-use";
  /** Qualified. */
  readonly name: string;
  /** A path in the skill's folder or the name of a program; never the command, which can hold secrets. */
  readonly subject: string;
}

export interface OutcomeRecord extends RecordedMessage {
  readonly kind: "outcome";
  /** Qualified. */
  readonly name: string;
  readonly outcome: "used" | "ignored" | "wrong";
}

interface RecordedRoot {
  readonly sourceId: string;
  readonly path: string;
  readonly scope: string;
}

/** A skill that a session offered; the tree's digest where it was frozen. */
interface RecordedSkill {
  readonly name: string;
  readonly digest: Digest;
  readonly treeDigest?: Digest;
  readonly origin: string;
  readonly verdict?: string;
}

/** What a session had and what it was allowed, written first and whenever it changes. */
export interface PolicyRecord {
  readonly kind: "policy";
  readonly mode: string;
  readonly interactive: boolean;
  readonly snapshotVersion: Digest;
  /** The rules by which skills were judged before they were offered, or `not scanned`. */
  readonly vetting?: string;
  readonly roots: readonly RecordedRoot[];
  readonly skills: readonly RecordedSkill[];
  /** Names and patterns that whoever opened the session allowed, for locked mode. */
  readonly allowed?: readonly string[];
  /** Exactly `skill:scripts/path`: what the operator lets run. */
  readonly scripts: readonly string[];
  /** Those that run on the host, without a sandbox. */
  readonly hostScripts?: readonly string[];
  readonly activationSources: readonly ActivationSource[];
  readonly parentRunId?: string;
  readonly diagnostics: readonly Diagnostic[];
}

const recordedSkill = object<RecordedSkill>({
  name: text,
  digest,
  treeDigest: optional(digest),
  origin: text,
  verdict: optional(text),
});

const policy = object<PolicyRecord>({
  kind: oneOf(["policy"]),
  mode: text,
  interactive: flag,
  snapshotVersion: digest,
  vetting: optional(text),
  roots: array(object<RecordedRoot>({ sourceId: text, path: text, scope: text })),
  skills: array(recordedSkill),
  allowed: optional(texts),
  scripts: texts,
  hostScripts: optional(texts),
  activationSources: array(source),
  parentRunId: optional(text),
  diagnostics,
});

/** One thing that happened in a session; `runId` and the time are added by the recorder. */
export type SessionRecord =
  | ActivationRecord
  | ResourceReadRecord
  | ScriptExecutionRecord
  | RefusalRecord
  | ForkRecord
  | CompactionRecord
  | TurnRecord
  | OfferRecord
  | ImplicitUseRecord
  | OutcomeRecord
  | PolicyRecord;

/** The journal found a line that a crash had cut short, and moved it aside; only the journal writes this. */
export interface RecoveryRecord {
  readonly kind: "recovery";
  readonly file: string;
  readonly digest: Digest;
  readonly bytes: number;
}

/** Everything that a journal holds: what sessions tell it, and what it notes itself. */
export type JournalRecord = SessionRecord | RecoveryRecord;

const KINDS: Readonly<Record<JournalRecord["kind"], Schema<JournalRecord>>> = {
  activation,
  "resource-read": resourceRead,
  "script-execution": scriptExecution,
  refusal,
  fork,
  compaction: object<CompactionRecord>({ kind: oneOf(["compaction"]), kept: texts, dropped: texts }),
  "turn-ended": object<TurnRecord>({ kind: oneOf(["turn-ended"]) }),
  offer: object<OfferRecord>({
    ...recordedMessage,
    kind: oneOf(["offer"]),
    skills: array(
      object<OfferedSkill>({
        name: text,
        tier: oneOfKeys<OfferedSkill["tier"]>({ activate: true, suggest: true }),
      }),
    ),
  }),
  "implicit-use": object<ImplicitUseRecord>({
    kind: oneOf(["implicit-use"]),
    name: text,
    how: oneOfKeys<DetectedUse["how"]>({ script: true, instructions: true, resource: true, command: true }),
    certainty: oneOfKeys<DetectedUse["certainty"]>({ sure: true, likely: true }),
    subject: text,
  }),
  outcome: object<OutcomeRecord>({
    ...recordedMessage,
    kind: oneOf(["outcome"]),
    name: text,
    outcome: oneOfKeys<OutcomeRecord["outcome"]>({ used: true, ignored: true, wrong: true }),
  }),
  policy,
  recovery: object<RecoveryRecord>({ kind: oneOf(["recovery"]), file: text, digest, bytes: count }),
};

const SCHEMAS: ReadonlyMap<string, Schema<JournalRecord>> = new Map(Object.entries(KINDS));

// The deepest place in a record is a position in a diagnostic; more is somebody else's data.
const MAX_RECORD_DEPTH = 8;

const recordHead = refine(object<{ readonly kind: string }>({ kind: text }), (value, reading) =>
  anything(MAX_RECORD_DEPTH)(value, reading) === undefined ? undefined : value,
);

/** What is wrong with a value that should be a record; nothing when it is one, `unknown` for a kind of a later version. */
export function checkRecord(value: unknown): readonly string[] | "unknown" {
  const head = readDocument(recordHead, value, { name: "the record" });
  if (head.value === undefined) return head.faults.map(({ message }) => message);
  const schema = SCHEMAS.get(head.value.kind);
  if (schema === undefined) return "unknown";
  return readDocument(schema, value, { name: "the record" }).faults.map(({ message }) => message);
}
