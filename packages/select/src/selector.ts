import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import type { TriggerExample } from "./learned/example-tables.ts";
import type { ModelPrompt } from "./learned/generate-samples.ts";
import type { Learned } from "./learned/learned.ts";
import type { SelectableSkill } from "./selectable-skill.ts";

/** A skill that a message may be about. */
export interface SelectedSkill<Skill = SelectableSkill> {
  readonly skill: Skill;
  /** The probability that the skill is wanted, from 0 to 1; comparable between skills and messages. */
  readonly score: number;
  /** For humans, strongest first. */
  readonly reasons: readonly string[];
}

/** When skills were last used, and the current time, in milliseconds since 1970. */
export interface RecentUse {
  readonly now: number;
  readonly uses: ReadonlyMap<string, { readonly lastUsedAt: number; readonly count?: number }>;
}

/** The circumstances of a message; everything is optional and counts less than the message. */
export interface SelectContext {
  /** Files at hand, relative to the workspace, with `/`. */
  readonly files?: readonly string[];
  readonly recentUse?: RecentUse;
  /** By qualified name: how often the skill was ignored or wrong when offered. */
  readonly ignored?: ReadonlyMap<string, number>;
  /** The message's embedding, if the host has one; see `SelectorOptions.vectorOf`. */
  readonly vector?: Float32Array;
}

export interface SelectOptions {
  readonly limit?: number;
  readonly context?: SelectContext;
}

/** The decision about a message: activate skills, suggest some, or do nothing. */
export interface SelectionDecision<Skill = SelectableSkill> {
  readonly action: "activate" | "suggest" | "nothing";
  /** Sure enough to be used without asking: must-trigger. */
  readonly activate: readonly SelectedSkill<Skill>[];
  /** Worth a line in a prompt or a question to the user: may-trigger. */
  readonly suggest: readonly SelectedSkill<Skill>[];
}

/** Ranks skills against messages. */
export interface Selector<Skill = SelectableSkill> {
  /** The skills that suit a message, best first. */
  select(message: string, options?: SelectOptions): readonly SelectedSkill<Skill>[];
  /** Decides about a message; skills that the model must not invoke are never activated. */
  decide(message: string, options?: { readonly context?: SelectContext }): SelectionDecision<Skill>;
  /**
   * Like `decide`, but if that is unsure and the host has a model, the model decides; the reasons say so.
   * Without a model or an answer, the result is that of `decide`.
   */
  consult(
    message: string,
    options?: { readonly context?: SelectContext; readonly signal?: AbortSignal | undefined },
  ): Promise<SelectionDecision<Skill>>;
  /** The words of a message that no skill has in any form, so that they are not understood. */
  unknownWords(message: string): readonly string[];
  /** A selector for some of the skills, as if there were no others; nothing is indexed again. */
  among(isAsked: (skill: Skill) => boolean): Selector<Skill>;
  /** A selector with other learned data, to compare the results; nothing is indexed again. */
  taught(learned: Learned): Selector<Skill>;
  /** Damage to the cached index, which was rebuilt, and declared patterns that never match. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A model of the host that decides between skills; it gets the message and a line on each of 20 skills. */
export interface AskedModel {
  /** Shown in reasons, for example the model's name. */
  readonly by: string;
  /** The text of the answer; undefined if there was none. */
  readonly ask: (prompt: ModelPrompt, signal?: AbortSignal) => Promise<string | undefined>;
}

export interface SelectorOptions<Skill = SelectableSkill> {
  /** The text below a skill's header; undefined if it is unreadable, so that only the header counts. */
  readonly readBody?: (skill: Skill) => Promise<string | undefined> | string | undefined;
  /** Where the index is cached between runs; without it nothing is cached. */
  readonly cacheFile?: string;
  /** By qualified name: the authors' examples of what should and should not call a skill. */
  readonly examples?: ReadonlyMap<string, readonly TriggerExample[]>;
  readonly learned?: Learned;
  /** The unit-length embedding of a skill's description, for hosts that have embeddings. */
  readonly vectorOf?: (skill: Skill) => Float32Array | undefined;
  /** Asked by `consult`, only if the ranking is unsure. */
  readonly model?: AskedModel;
  readonly signal?: AbortSignal | undefined;
}

/** Refuses an invalid context: hosts build it from untyped input. */
export function checkSelectContext(context: SelectContext | undefined): void {
  if (context === undefined) return;
  if (typeof context !== "object" || context === null || Array.isArray(context))
    throw invalid("The context", "an object such as { files }");
  const { files, recentUse, ignored, vector } = context as {
    readonly [Key in keyof SelectContext]?: unknown;
  };
  if (files !== undefined && !(Array.isArray(files) && files.every((file) => typeof file === "string")))
    throw invalid("`files` of the context", "a list of paths");
  if (recentUse !== undefined && !((recentUse as Partial<RecentUse> | null)?.uses instanceof Map))
    throw invalid("`recentUse` of the context", "{ now, uses }, `uses` a map from qualified names");
  if (ignored !== undefined && !(ignored instanceof Map))
    throw invalid("`ignored` of the context", "a map from qualified names to numbers");
  if (vector !== undefined && !(vector instanceof Float32Array))
    throw invalid("`vector` of the context", "a Float32Array");
}

function invalid(what: string, wanted: string): SkilletError {
  return new SkilletError(
    "select-context-invalid",
    `${what} is not what selection takes; pass ${wanted}, or leave it out.`,
    { data: { what } },
  );
}

/** The most skills that one message can select. */
const MAX_LIMIT = 50;

/** A valid limit; 0 if it is not a positive number. */
export function clampLimit(limit: number): number {
  return limit > 0 ? Math.min(Math.floor(limit), MAX_LIMIT) : 0;
}
