import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { Ask, CalledBy, CallOptions } from "../ask.ts";
import type { AgentEvent, DetectedUse } from "../behaviour/create-use-detector.ts";
import type { Catalog, CatalogChange, CatalogOptions } from "../catalog/create-catalog.ts";
import { POLICY_SOURCES, type PolicyMode, type PolicySource } from "../config/config.ts";
import type { Execution } from "../format/manifest.ts";
import type { HookStarter } from "../plugin/allowed-plugin.ts";
import type { ToolCall } from "../policy/check-tool-call.ts";
import type { Resource } from "../registry/resource.ts";
import type { MissingRequirement, Origin, Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { SelectContext, SelectionDecision } from "../selection.ts";
import type { SkillUse, UseQuestion } from "../use/may-use.ts";
import type { ExecCommand } from "./activate/render-body.ts";
import type { HookFeedback } from "./hooks/run-hooks.ts";
import { showValue } from "./model-input.ts";
import type { ForkOptions, ForkSession } from "./open-fork.ts";
import type { ObserveOptions, SkillOutcome } from "./outcome/session-outcomes.ts";
import type { ReadOptions, ResourceRead } from "./read/read-resource.ts";
import type { JournalStore } from "./records/journal-store.ts";
import type { SessionEvent } from "./records/session-events.ts";
import type { Compaction, CompactOptions } from "./render-after-compaction.ts";
import type { RunOptions, ScriptRun, ScriptRunner } from "./script-runner.ts";
import type { ResolvedMentions } from "./search/resolve-mentions.ts";
import type { GivenSecrets } from "./secrets.ts";
import type { SkillFiles } from "./skill-files.ts";
import type { Toolbox, ToolboxOptions } from "./toolbox/create-toolbox.ts";
import type { Guarded, GuardOptions } from "./toolbox/guard.ts";
import type { Prompt, PromptOptions } from "./toolbox/prompt.ts";

/** Options for a session's catalogue; the session supplies the skills. */
export interface SessionCatalogOptions extends Omit<CatalogOptions, "unlisted"> {
  /** Also lists skills that only the user can start, marked as such, so that the model can suggest them. */
  readonly userOnly?: boolean | undefined;
}

/** Options for the catalogue of a conversation. */
export interface ConversationCatalogOptions extends Omit<CatalogOptions, "unlisted">, CallOptions {
  /** Known besides the conversation; files that the session was opened with need not be repeated. */
  readonly context?: SelectContext | undefined;
}

/** Options for an activation. */
export interface ActivateOptions extends CallOptions {
  readonly calledBy?: CalledBy | undefined;
  readonly source?: ActivationSource | undefined;
  readonly arguments?: string | undefined;
  /** Returns the text even if it is in context already, for hosts that do not track their context. */
  readonly repeat?: boolean | undefined;
  /**
   * Returns the body as it is in the file, for hosts that wrap text themselves: no wrapper, arguments,
   * variables or commands. The host must then keep a body from passing for the host's own words, or from
   * closing its wrapper.
   */
  readonly raw?: boolean | undefined;
}

/** The answer to the question for missing dependencies. */
export interface DependencyAnswer {
  /** Environment variables that now have a value; the values stay inside the session. */
  readonly provided: readonly string[];
  readonly missing: readonly MissingRequirement[];
  /** The error thrown by the host's `ask`, if the question could not be asked. */
  readonly failure?: unknown;
}

/**
 * One conversation's use of skills: what the model is told, may load and may do, and the record of it.
 *
 * @example
 * const session = await skills.session({ mode: "default", records: ".skillet/runs/42" });
 * prompt.system += session.catalog({ budget: { contextWindow: 200_000 } }).text;
 * const { text } = await session.activate("pdf-forms", { arguments: "tax.pdf" });
 */
export interface Session {
  readonly runId: string;
  /** The mode in force; `setMode` changes it. */
  readonly mode: PolicyMode;
  /** How questions are answered: by `ask`, by a later `approval`, or always no, without a user to ask. */
  readonly approvals: "asked" | "later" | "refused";
  /** The skills when the session began or last refreshed; later reads are compared with them. */
  readonly snapshot: Snapshot;
  /** Tier 1: what a model is told about the skills that it may load. */
  catalog(options?: SessionCatalogOptions): Catalog;
  /** Decides on a user's message: activate a skill, suggest some, or nothing. The offer is recorded. */
  decide(
    message: string,
    options?: CallOptions & { readonly context?: SelectContext },
  ): Promise<SelectionDecision>;
  /** Whether a source may use a skill, and every reason for and against it. */
  mayUse(skill: Skill, asked?: UseQuestion): SkillUse;
  /** The skills that a user's message names. */
  mentions(message: string): ResolvedMentions;
  /** Tier 2: a skill's instructions; throws a SkilletError with the reason if they are refused. */
  activate(name: string, options?: ActivateOptions): Promise<Activation>;
  /** Tier 3: the files of a skill, digested on first use. */
  resources(skill: string, options?: CallOptions): Promise<readonly Resource[]>;
  /** Every file of a skill that a model or user may load, for hosts that read from disk; else throws. */
  files(skill: string, options?: CallOptions): Promise<SkillFiles>;
  /** Tier 3: a file of a skill, or the reason why not. */
  read(skill: string, path: string, options?: ReadOptions): Promise<ResourceRead>;
  /** Tier 3: runs a script of a loaded skill if the operator allows it, or says why not. */
  run(skill: string, path: string, args?: readonly string[], options?: RunOptions): Promise<ScriptRun>;
  /** Every skill tool for a model, in one shape: loading, reading, searching, scripts, declared tools. */
  toolbox(options?: ToolboxOptions): Promise<Toolbox>;
  /**
   * The text for the system prompt and the tools that a model gets for a turn.
   *
   * @param conversation The user's messages so far, newest last.
   */
  prompt(conversation: readonly string[], options?: PromptOptions): Promise<Prompt>;
  /** Whether a call of a host's own tool is allowed, and if not, the text for the model; may ask the user. */
  guard(call: ToolCall, options?: GuardOptions): Promise<Guarded>;
  /**
   * Begins a turn. Its end undoes what skills narrowed in it and writes the artefacts of the run. Overlapping
   * turns end with the last of them.
   */
  turn(): Turn;
  /** Tells allowed hooks that a tool call has ended; returns what they say to the model. */
  afterToolCall(call: ToolCall, response: unknown): Promise<HookFeedback>;
  /** The output of allowed hooks at the start of the session, for the prompt. */
  readonly startContext: readonly string[];
  /** Asks once for everything that skills lack, and never repeats a question. */
  askForDependencies(names?: readonly string[], options?: CallOptions): Promise<DependencyAnswer>;
  /** Detects the skills that an agent's own command or read belongs to, and records each once per turn. */
  observe(event: AgentEvent, options?: ObserveOptions): Promise<readonly DetectedUse[]>;
  /** Records whether a skill helped in this turn, for `skillet eval learn`; seen uses need no report. */
  outcome(outcome: SkillOutcome): Promise<void>;
  /** The text to put back after the host has compacted its context. */
  compact(options?: CompactOptions): Promise<Compaction>;
  /**
   * Changes the mode, on record, never to one less strict than the configuration's or a parent's. Returns the
   * message that tells the model about it; undefined if its catalogue stays the same.
   */
  setMode(mode: PolicyMode): Promise<CatalogChange | undefined>;
  /**
   * Adopts the current skills, configuration and trust, on record. New denials hold from the next call on.
   * Returns the message that tells the model about the change, such as new skills.
   */
  refresh(options?: CallOptions): Promise<CatalogChange | undefined>;
  /** Opens a child session that has only what it is given. */
  fork(options: ForkOptions): Promise<ForkSession>;
  /** Ends turn, session and forks, writes the artefacts and releases the records. Later calls are refused. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A turn of a conversation; `await using` ends it. */
export interface Turn {
  end(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The result of an activation: the text for the model, and its provenance. */
export interface Activation {
  readonly name: string;
  readonly source: ActivationSource;
  readonly digest: Digest;
  /** Covers all files of the skill; absent if one could not be read. */
  readonly treeDigest?: Digest;
  /** For the model, wrapped; a short note if the same text is in context already. */
  readonly text: string;
  readonly resources: readonly Resource[];
  readonly duplicate: boolean;
  readonly drifted: boolean;
  /** How the skill wants to run: inline or as a fork, with which model. */
  readonly execution: Execution;
  readonly diagnostics: readonly Diagnostic[];
}

/** Who asked for an activation. */
export type ActivationSource = PolicySource;

/** Refuses an unknown source, which could otherwise be allowed more than it should. */
export function checkSource(source: ActivationSource): ActivationSource {
  if (POLICY_SOURCES.includes(source)) return source;
  const message = `There is no source ${showValue(source)}; pass one of ${POLICY_SOURCES.join(", ")}.`;
  throw new SkilletError("invalid-source", message, { data: { source } });
}

/** Options for opening a session. */
export interface SessionOptions {
  /** Default: from the configuration. A session can be stricter than the configuration, never less strict. */
  readonly mode?: PolicyMode | undefined;
  /** Whether the user can be asked; default: whether `ask` is given. */
  readonly interactive?: boolean | undefined;
  readonly ask?: Ask | undefined;
  /** Runs the scripts that it or the profile names; without a runner no script is run. */
  readonly runner?: ScriptRunner | undefined;
  /** Starts the hooks of plugins that the user allowed; without it none is run. */
  readonly hooks?: HookStarter | undefined;
  /** Runs the commands of dynamic context; without it they stay text. */
  readonly exec?: ExecCommand | undefined;
  /** Host tools such as `todo_write` that no skill's `allowed-tools` removes; configured rules apply. */
  readonly hostTools?: readonly string[] | undefined;
  /** The origins whose skills may run commands for dynamic context; default: none. */
  readonly dynamicContext?: readonly Origin[] | undefined;
  /** The only skills of the session and its forks, by name or pattern with `*`; default: every skill. */
  readonly skills?: readonly string[] | undefined;
  /** Skills that may be used in locked mode, by name or pattern with `*`. */
  readonly allow?: readonly string[] | undefined;
  /** A profile of the config: its skills are allowed and preferred, its scripts allowlisted. */
  readonly profile?: string | undefined;
  /** The host's name, for skills made for certain products only. */
  readonly product?: string | undefined;
  /** The files that the conversation is about, for skills offered for certain paths only. */
  readonly files?: readonly string[] | undefined;
  /**
   * Values for variables that skills declare, by the skill's qualified name: what the host grants without
   * asking. They reach that skill's scripts alone; the host's environment is never passed on by itself.
   */
  readonly secrets?: GivenSecrets | undefined;
  /** The project's path, as the agent's tools see it. */
  readonly projectDirectory?: string | undefined;
  /** For skills changed since the snapshot; default: refuse without a user or in locked mode, else report. */
  readonly onDrift?: "report" | "refuse" | undefined;
  /** Digests every file of every skill when the session opens, so that any later change is drift. */
  readonly freeze?: "all" | undefined;
  /** The folder for the run's records, or the host's own store; without it nothing is recorded. */
  readonly records?: string | JournalStore | undefined;
  /**
   * Whether records keep the start of messages that skills were offered for, so that `skillet eval learn` can
   * learn phrases; default: no, because messages can be private, and then it learns only counts.
   */
  readonly recordMessages?: boolean | undefined;
  /**
   * Whether the records folder keeps script output, up to 256 Ki characters per stream, without the secrets
   * that the session knows; default: no, because it can contain anything that a script can read.
   */
  readonly recordOutput?: boolean | undefined;
  /** Receives everything that the session and its forks record or ask; default: that of `openSkills`. */
  readonly onEvent?: ((event: SessionEvent) => void) | undefined;
  /** Default: random. */
  readonly runId?: string | undefined;
  readonly clock?: (() => number) | undefined;
  /** Aborts the opening, which may scan many skills. */
  readonly signal?: AbortSignal | undefined;
}
