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

/** How the catalogue is made; the session brings the skills. */
export interface SessionCatalogOptions extends Omit<CatalogOptions, "unlisted"> {
  /** Also lists skills that only the user can start, marked as such, so that the model can suggest them. */
  readonly userOnly?: boolean | undefined;
}

/** How the catalogue for a conversation is made. */
export interface ConversationCatalogOptions extends Omit<CatalogOptions, "unlisted">, CallOptions {
  /** Known besides the conversation; files that the session was opened with need not be named again. */
  readonly context?: SelectContext | undefined;
}

/** How a skill is activated. */
export interface ActivateOptions extends CallOptions {
  readonly calledBy?: CalledBy | undefined;
  /** Default: the model. */
  readonly source?: ActivationSource | undefined;
  readonly arguments?: string | undefined;
  /** Gives the text also when it is in context already, for hosts that keep none themselves. */
  readonly repeat?: boolean | undefined;
  /**
   * Gives the body as it is in the file, for hosts that wrap text themselves: no wrapper, no arguments, no variables,
   * no commands. What keeps a body from passing for the host's own words, or from ending its own wrapper, is then the
   * host's to do.
   */
  readonly raw?: boolean | undefined;
}

/** The answer to the question for missing dependencies. */
export interface DependencyAnswer {
  /** Names of environment variables that now have a value; the values stay inside the session. */
  readonly provided: readonly string[];
  readonly missing: readonly MissingRequirement[];
  /** The error inside the host's `ask`, where the question could not be put. */
  readonly failure?: unknown;
}

/**
 * One conversation's use of skills: what the model is told, what it may load and do, and the record of it.
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
  /** How questions are answered: by `ask`, later by an `approval`, or with a no, since there is no person to ask. */
  readonly approvals: "asked" | "later" | "refused";
  /** The skills when the session began, or at its last `refresh`; later reads are compared with it. */
  readonly snapshot: Snapshot;
  /** Tier 1: what a model is told about the skills that it may load. */
  catalog(options?: SessionCatalogOptions): Catalog;
  /** Decides about a person's message: activate a skill, suggest some, or nothing. The offer is recorded. */
  decide(
    message: string,
    options?: CallOptions & { readonly context?: SelectContext },
  ): Promise<SelectionDecision>;
  /** Whether a source may use a skill, and every reason for and against it. */
  mayUse(skill: Skill, asked?: UseQuestion): SkillUse;
  /** The skills that a person's message names. */
  mentions(message: string): ResolvedMentions;
  /** Tier 2: a skill's instructions, or a SkilletError that says why not. */
  activate(name: string, options?: ActivateOptions): Promise<Activation>;
  /** Tier 3: the files of a skill, digested when first asked for. */
  resources(skill: string, options?: CallOptions): Promise<readonly Resource[]>;
  /** Every file of a skill that a model or a person may load, for hosts that read skills from disk; else a SkilletError. */
  files(skill: string, options?: CallOptions): Promise<SkillFiles>;
  /** Tier 3: a file of a skill, or the reason why not. */
  read(skill: string, path: string, options?: ReadOptions): Promise<ResourceRead>;
  /** Tier 3: runs a script of a loaded skill as the operator lets it, or says why not. */
  run(skill: string, path: string, args?: readonly string[], options?: RunOptions): Promise<ScriptRun>;
  /** Every tool of skills for a model, in one shape: loading, reading, searching, scripts, and what skills declare. */
  toolbox(options?: ToolboxOptions): Promise<Toolbox>;
  /**
   * What a model is given for a turn: the text for the system prompt, and the tools.
   *
   * @param conversation What the person said so far, the newest last.
   */
  prompt(conversation: readonly string[], options?: PromptOptions): Promise<Prompt>;
  /** Whether a call of one of the host's own tools may be made, and if not, the text for the model; asks where it must. */
  guard(call: ToolCall, options?: GuardOptions): Promise<Guarded>;
  /**
   * Begins a turn. When it ends, what skills narrowed in it holds no longer, and the artefacts of the run are written. Turns
   * that overlap end with the last of them.
   */
  turn(): Turn;
  /** Tells allowed hooks of a tool call that has ended; gives what they say to the model. */
  afterToolCall(call: ToolCall, response: unknown): Promise<HookFeedback>;
  /** The output of allowed hooks at the start of the session, for the prompt. */
  readonly startContext: readonly string[];
  /** Asks once for everything that skills lack; what was asked for is not asked for again. */
  askForDependencies(names?: readonly string[], options?: CallOptions): Promise<DependencyAnswer>;
  /** Sees which skills a command or a read of the agent's own tools belongs to, and records each once a turn. */
  observe(event: AgentEvent, options?: ObserveOptions): Promise<readonly DetectedUse[]>;
  /** Records whether a skill helped in this turn, for `skillet eval learn`; uses that the session sees need not be told. */
  outcome(outcome: SkillOutcome): Promise<void>;
  /** The text to put back after the host has compacted its context. */
  compact(options?: CompactOptions): Promise<Compaction>;
  /**
   * Changes the mode, on record, never to one less strict than the configuration's or a parent's. Returns the message that
   * tells the model of the change; undefined when its catalogue stays as it is.
   */
  setMode(mode: PolicyMode): Promise<CatalogChange | undefined>;
  /**
   * Takes over skills, configuration and trust as they are now, on record. What is denied by now is refused from the next
   * call on. Returns the message that tells the model of the change, such as new skills.
   */
  refresh(options?: CallOptions): Promise<CatalogChange | undefined>;
  /** A child session that has only what it is given. */
  fork(options: ForkOptions): Promise<ForkSession>;
  /** Ends the turn, the session and its forks; writes the artefacts and gives the records free. Later calls are refused. */
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
  /** Over all files of the skill; absent when one could not be read. */
  readonly treeDigest?: Digest;
  /** For the model, wrapped; a short note when the same text is in context already. */
  readonly text: string;
  readonly resources: readonly Resource[];
  readonly duplicate: boolean;
  readonly drifted: boolean;
  /** How the skill wants to be carried out: inline or as a fork, with which model. */
  readonly execution: Execution;
  readonly diagnostics: readonly Diagnostic[];
}

/** Who asked for an activation. */
export type ActivationSource = PolicySource;

/** Refuses a source that does not exist: taken for another one, it could be allowed more. */
export function checkSource(source: ActivationSource): ActivationSource {
  if (POLICY_SOURCES.includes(source)) return source;
  const message = `There is no source ${showValue(source)}; pass one of ${POLICY_SOURCES.join(", ")}.`;
  throw new SkilletError("invalid-source", message, { data: { source } });
}

/** How a session is opened; every option can be left out. */
export interface SessionOptions {
  /** Default: the config's. A session can be stricter than the config, never less strict. */
  readonly mode?: PolicyMode | undefined;
  /** Whether a person can be asked; default: whether `ask` is given. */
  readonly interactive?: boolean | undefined;
  readonly ask?: Ask | undefined;
  /** Runs the scripts that it or the profile names, and no others; without it none is run. */
  readonly runner?: ScriptRunner | undefined;
  /** Starts the hooks of plugins that a person allowed; without it none is run. */
  readonly hooks?: HookStarter | undefined;
  /** Runs the commands of dynamic context; without it they stay text. */
  readonly exec?: ExecCommand | undefined;
  /** Tools of the host that no skill's `allowed-tools` takes away, such as `todo_write`; rules of the configuration hold. */
  readonly hostTools?: readonly string[] | undefined;
  /** The origins whose skills may run commands for dynamic context; default none. */
  readonly dynamicContext?: readonly Origin[] | undefined;
  /** The only skills of the session and its forks, by name or pattern with `*`; default: every skill. */
  readonly skills?: readonly string[] | undefined;
  /** Skills that may be used in locked mode, by name or pattern with `*`. */
  readonly allow?: readonly string[] | undefined;
  /** A profile of the config: its skills are allowed and preferred, its scripts allowlisted. */
  readonly profile?: string | undefined;
  /** The host's name, for skills that are made for some products only. */
  readonly product?: string | undefined;
  /** The files that the conversation is about, for skills that are offered for some paths only. */
  readonly files?: readonly string[] | undefined;
  /**
   * Values for variables that skills declare, by the skill's qualified name: what the host has and grants, without a
   * question. They reach the scripts of that skill alone; what is set in the host's environment is not passed on by itself.
   */
  readonly secrets?: GivenSecrets | undefined;
  /** The project, as the agent's tools see it. */
  readonly projectDirectory?: string | undefined;
  /** For a skill that changed since the snapshot; default: refuse without a person and in locked mode, else report. */
  readonly onDrift?: "report" | "refuse" | undefined;
  /** Digests every file of every skill when the session opens, so that later changes of any skill are drift. */
  readonly freeze?: "all" | undefined;
  /** The folder of the run's records, or a store of the host's own; without it nothing is recorded. */
  readonly records?: string | JournalStore | undefined;
  /**
   * Whether records keep the beginnings of messages that skills were offered for, so that `skillet eval learn` can learn
   * phrases from them; default: no, because messages can be private, and then only counts can be learned.
   */
  readonly recordMessages?: boolean | undefined;
  /**
   * Whether the folder of records keeps what scripts wrote, up to 256 Ki characters of each stream, without the secrets
   * that the session knows; default: no, because it can hold anything that a script can read.
   */
  readonly recordOutput?: boolean | undefined;
  /** Told of everything that the session and its forks record or ask; default: that of `openSkills`. */
  readonly onEvent?: ((event: SessionEvent) => void) | undefined;
  /** Default: a random one. */
  readonly runId?: string | undefined;
  readonly clock?: (() => number) | undefined;
  /** Ends the opening, which may scan many skills. */
  readonly signal?: AbortSignal | undefined;
}
