import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { DetectedUse } from "../../behaviour/use-detector.ts";
import type { Skill } from "../../registry/skill.ts";
import type { SandboxReport, ScriptGrants } from "../script-runner.ts";
import type { ActivationSource } from "../session.ts";

/** A place of a skill: in its source, and as the agent's tools see it; `placeOf` gives it for a skill. */
export interface RecordedPlace {
  readonly sourceId: string;
  /** Relative to the source. */
  readonly folder: string;
  /** SKILL.md as the agent's tools see it. */
  readonly skillPath: string;
  /** Its folder, as the agent's tools see it. */
  readonly skillDir: string;
}

/** Where the skill of a file lies, once it is known which skill is meant. */
type KnownPlace = Partial<RecordedPlace>;

export interface RecordedError {
  readonly code: string;
  readonly message: string;
}

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

export interface ResourceReadRecord extends KnownPlace {
  readonly kind: "resource-read";
  readonly skillName: string;
  readonly path: string;
  readonly status: "read" | "binary" | "error";
  readonly resourceKind?: string;
  /** As the agent's tools see it. */
  readonly resourcePath?: string;
  readonly registryDigest?: Digest;
  readonly observedDigest?: Digest;
  readonly digestMatchesRegistry?: boolean;
  readonly registrySizeBytes?: number;
  readonly observedSizeBytes?: number;
  readonly contentKind?: "text" | "binary";
  readonly maxBytes?: number;
  readonly truncated?: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly error?: RecordedError;
}

export interface ScriptExecutionRecord extends KnownPlace {
  readonly kind: "script-execution";
  readonly skillName: string;
  readonly path: string;
  /** The tool that was called, where the script is one. */
  readonly tool?: string;
  /** Executed: something ran, whatever came of it. Error: nothing did, or nobody knows what came of it. */
  readonly status: "executed" | "error";
  readonly outcome?: "executed" | "timed-out" | "cancelled";
  readonly executionTarget?: string;
  readonly runtime?: string;
  /** As it was started, from the interpreter on. */
  readonly argv?: readonly string[];
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** As the agent's tools see it. */
  readonly resourcePath?: string;
  readonly registryDigest?: Digest;
  readonly observedDigest?: Digest;
  readonly digestMatchesRegistry?: boolean;
  readonly registrySizeBytes?: number;
  readonly observedSizeBytes?: number;
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
  readonly diagnostics: readonly Diagnostic[];
  readonly error?: RecordedError;
}

/** Something was not allowed: an activation, a tool call, a command of a skill, a fork. */
export interface RefusalRecord {
  readonly kind: "refusal";
  readonly what: "activate" | "resources" | "tool" | "command" | "fork" | "dependencies";
  readonly skillName?: string;
  readonly subject: string;
  readonly error: RecordedError;
  readonly rule?: string;
}

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

export interface CompactionRecord {
  readonly kind: "compaction";
  /** Qualified names of the skills whose text it kept. */
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
}

/** A turn ended: what skills narrowed in it holds no longer. */
export interface TurnRecord {
  readonly kind: "turn-ended";
}

/** A skill that was offered for a message, and how: to be used at once, or named. */
export interface OfferedSkill {
  /** Qualified. */
  readonly name: string;
  readonly tier: "activate" | "suggest";
}

/** A message as far as it is recorded: its text only where the host wants that, else what tells it from others of the run. */
interface RecordedMessage {
  /** The beginning, without secrets. */
  readonly message?: string;
  /** Keyed by something that is never written: it says which messages of a session are the same, and nobody can try guesses on it. */
  readonly messageDigest?: Digest;
}

/** Skills were offered for a message; none where only the message is worth a record. */
export interface OfferRecord extends RecordedMessage {
  readonly kind: "offer";
  readonly skills: readonly OfferedSkill[];
}

/** What the agent did showed that a skill was used, loaded here or not; once a turn and skill, and again when a guess becomes sure. */
export interface ImplicitUseRecord {
  readonly kind: "implicit-use";
  /** Qualified. */
  readonly name: string;
  readonly how: DetectedUse["how"];
  readonly certainty: DetectedUse["certainty"];
  /** A path in the skill's folder or the name of a program; never the command, which can hold secrets. */
  readonly subject: string;
}

export interface OutcomeRecord extends RecordedMessage {
  readonly kind: "outcome";
  /** Qualified. */
  readonly name: string;
  readonly outcome: "used" | "ignored" | "wrong";
}

export interface RecordedRoot {
  readonly sourceId: string;
  readonly path: string;
  readonly scope: string;
}

/** A skill that a session offered; the tree's digest where it was frozen. */
export interface RecordedSkill {
  readonly name: string;
  readonly digest: Digest;
  readonly treeDigest?: Digest;
  readonly origin: string;
  readonly verdict?: string;
}

/** The session's frame: what it had and what it was allowed, written first and whenever it changes. */
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

/** Takes records; a record is on disk when the promise resolves. */
export interface Recorder {
  readonly runId: string;
  /** Absent when nothing is written. */
  readonly runFolder?: string;
  append(record: SessionRecord): Promise<void>;
}

/** Where a skill lies, as records say it. */
export function placeOf(skill: Skill): RecordedPlace {
  const { id, folder } = skill.source;
  return { sourceId: id, folder, skillPath: skill.path, skillDir: skill.directory };
}
