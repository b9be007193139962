import type { AgentEvent, DetectedUse } from "../behaviour/use-detector.ts";
import type { Catalog, CatalogOptions } from "../catalog/create-catalog.ts";
import type { PolicyMode } from "../config/config.ts";
import type { Decision } from "../policy/decision.ts";
import type { ToolCall } from "../policy/tool-call.ts";
import type { Resource } from "../registry/resource.ts";
import type { MissingRequirement, Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { SelectContext, SelectedSkill, SelectionDecision, SelectOptions } from "../select/selector.ts";
import type { Vetting } from "../vetting/skill-vetter.ts";
import type { Activation } from "./activation.ts";
import type { ActivationSource } from "./activation-source.ts";
import type { Compaction, CompactOptions } from "./compact/render-after-compaction.ts";
import type { ForkOptions, ForkSession } from "./fork/fork-session.ts";
import type { ResolvedMentions } from "./mention/resolve-mentions.ts";
import type { SkillOutcome } from "./outcome/session-outcomes.ts";
import type { ResourceRead } from "./read/resource-read.ts";
import type { RunOptions, ScriptRun } from "./run/script-run.ts";
import type { ScriptTarget } from "./run/script-runner.ts";
import type { SkillTool } from "./tools/skill-tool.ts";

/** How the catalogue is made; the session brings the skills and what it knows about them. */
export interface SessionCatalogOptions extends Omit<CatalogOptions, "visibility" | "unlisted"> {
  /** What the person just said: skills that suit it are kept first. */
  readonly message?: string;
}

/** How the catalogue for a conversation is made. */
export interface ConversationCatalogOptions extends Omit<SessionCatalogOptions, "message"> {
  /** What is known besides the conversation; files that the session was opened with need not be named again. */
  readonly context?: SelectContext;
}

/** How a skill is activated. */
export interface ActivateOptions {
  /** Default: the model. */
  readonly source?: ActivationSource;
  /** As they were typed behind the name. */
  readonly arguments?: string;
  /** Gives the text also when it is in context already, for hosts that keep none themselves. */
  readonly repeat?: boolean;
}

/** What came of asking for what skills lack. */
export interface DependencyAnswer {
  /** Names of environment variables that now have a value; the values stay inside the session. */
  readonly provided: readonly string[];
  readonly missing: readonly MissingRequirement[];
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
  readonly mode: PolicyMode;
  readonly interactive: boolean;
  /** What was there when the session began; what is read later is compared with it. */
  readonly snapshot: Snapshot;
  /** Tier 1: what a model is told about the skills that it may load. */
  catalog(options?: SessionCatalogOptions): Catalog;
  /**
   * Tier 1 for libraries of any size: the same while all skills fit, else what suits the conversation best, and the
   * `search_skills` tool for the rest.
   *
   * @param conversation What the person said so far, the newest last.
   */
  catalogFor(conversation: readonly string[], options?: ConversationCatalogOptions): Promise<Catalog>;
  /** The skills of this session that suit a message, the best first; those that it names are certain. */
  select(message: string, options?: SelectOptions): Promise<readonly SelectedSkill[]>;
  /** What to do about a message of a person, among the skills of this session; what is offered is recorded. */
  decide(message: string, options?: { readonly context?: SelectContext }): Promise<SelectionDecision>;
  /** The skills that a source may activate now. */
  usable(source?: ActivationSource): readonly Skill[];
  /** Why a source cannot have a skill of the snapshot, or undefined when it can. */
  hiddenFrom(skill: Skill, source?: ActivationSource): string | undefined;
  /** What the vetter said about a skill; undefined where it was not judged. */
  vetting(skill: Skill): Vetting | undefined;
  /** The skills that a person's message names. */
  mentions(message: string): ResolvedMentions;
  /** Tier 2: a skill's instructions, or a SkilletError that says why not. */
  activate(name: string, options?: ActivateOptions): Promise<Activation>;
  /** Tier 3: the files of a skill, digested when first asked for. */
  resources(skill: string): Promise<readonly Resource[]>;
  /** Tier 3: a file of a skill, or the reason why not. */
  read(skill: string, path: string, options?: { readonly maxBytes?: number }): Promise<ResourceRead>;
  /** Tier 3: runs a script of a loaded skill as the operator lets it, or says why not. */
  run(skill: string, path: string, args?: readonly string[], options?: RunOptions): Promise<ScriptRun>;
  /** What the operator lets run, as it was written: `skill:scripts/path`; nothing without a runner. */
  readonly scripts: readonly string[];
  /** Where the operator lets a script of a skill run; undefined where not, whether or not there is such a file. */
  scriptTarget(skill: Skill, path: string): ScriptTarget | undefined;
  /** What the policy says about a script of a skill, before anybody is asked; the operator's list is another question. */
  decideScript(skill: Skill, path: string): Decision;
  /** The tools that loaded skills bring, as far as their scripts may run. */
  tools(): Promise<readonly SkillTool[]>;
  /** Whether a call of one of the agent's own tools is within what the active skills and the policy allow. */
  checkToolCall(call: ToolCall): Promise<Decision>;
  /** Asks once for everything that skills lack; what was asked for is not asked for again. */
  askForDependencies(names?: readonly string[]): Promise<DependencyAnswer>;
  /** The values that a skill's scripts get; never show them to a model. */
  secretsFor(skill: string): Readonly<Record<string, string>>;
  /** Sees which skills a command or a read of the agent's own tools belongs to, and records each once a turn. */
  observe(event: AgentEvent): Promise<readonly DetectedUse[]>;
  /** Records what came of a skill in this turn, for `skillet eval learn`; what the session sees itself need not be said. */
  outcome(outcome: SkillOutcome): Promise<void>;
  /** What must survive when the host compacts its context. */
  compact(options?: CompactOptions): Promise<Compaction>;
  /** Ends the turn: what skills narrowed in it holds no longer, and the artefacts of the run are written. */
  endTurn(): Promise<void>;
  /** A child session that has only what it is given. */
  fork(options: ForkOptions): Promise<ForkSession>;
}
