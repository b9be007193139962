import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import type { TriggerExample } from "./learned/example-tables.ts";
import type { ModelPrompt } from "./learned/generate-samples.ts";
import type { Learned } from "./learned/learned.ts";
import type { SelectableSkill } from "./selectable-skill.ts";

/** A skill that a message may be about. */
export interface SelectedSkill<Skill = SelectableSkill> {
  readonly skill: Skill;
  /** How likely it is that the skill is wanted, between 0 and 1; comparable between skills and messages. */
  readonly score: number;
  /** In words, the strongest first. */
  readonly reasons: readonly string[];
}

/** When skills were used, and the time to compare that with, in milliseconds since 1970. */
export interface RecentUse {
  readonly now: number;
  readonly uses: ReadonlyMap<string, { readonly lastUsedAt: number; readonly count?: number }>;
}

/** The circumstances of a message; everything is optional and counts less than the message. */
export interface SelectContext {
  /** Files at hand, relative to the workspace, with `/`. */
  readonly files?: readonly string[];
  readonly recentUse?: RecentUse;
  /** By qualified name: how often the skill was offered and ignored, or wrong. */
  readonly ignored?: ReadonlyMap<string, number>;
  /** The message's vector, where the host has one; see `SelectorOptions.vectorOf`. */
  readonly vector?: Float32Array;
}

export interface SelectOptions {
  readonly limit?: number;
  readonly context?: SelectContext;
}

/** The decision about a message: use these skills, name those, or nothing. */
export interface SelectionDecision<Skill = SelectableSkill> {
  readonly action: "activate" | "suggest" | "nothing";
  /** Sure enough to be used without asking: must-trigger. */
  readonly activate: readonly SelectedSkill<Skill>[];
  /** Worth a line in a prompt or a question to the user: may-trigger. */
  readonly suggest: readonly SelectedSkill<Skill>[];
}

/** Ranks skills against messages. */
export interface Selector<Skill = SelectableSkill> {
  /** The skills that suit a message, the best first. */
  select(message: string, options?: SelectOptions): readonly SelectedSkill<Skill>[];
  /** Decides about a message; skills that forbid the model to invoke them are never activated. */
  decide(message: string, options?: { readonly context?: SelectContext }): SelectionDecision<Skill>;
  /**
   * Decides as `decide` does, and where it is unsure and the host has a model, by what that says; the reasons say who decided.
   * Without a model, or without its answer, it is the same as `decide`.
   */
  consult(
    message: string,
    options?: { readonly context?: SelectContext; readonly signal?: AbortSignal | undefined },
  ): Promise<SelectionDecision<Skill>>;
  /** The words of a message that no skill has, in any form: what is not understood of it. */
  unknownWords(message: string): readonly string[];
  /** The same for some of the skills, as if there were no others; nothing is indexed again. */
  among(isAsked: (skill: Skill) => boolean): Selector<Skill>;
  /** The same with something else learned, to see what that changes; nothing is indexed again. */
  taught(learned: Learned): Selector<Skill>;
  /** Faults of the kept index, which was then built again, and declared patterns that never match. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A model of the host that is asked which skill is meant; it gets the message and a line of each of twenty skills. */
export interface AskedModel {
  /** For reasons, such as the model's name. */
  readonly by: string;
  /** The text of its answer; undefined where none came. */
  readonly ask: (prompt: ModelPrompt, signal?: AbortSignal) => Promise<string | undefined>;
}

export interface SelectorOptions<Skill = SelectableSkill> {
  /** The text below a skill's header; undefined where it cannot be read, which leaves the header to go by. */
  readonly readBody?: (skill: Skill) => Promise<string | undefined> | string | undefined;
  /** Where the index is kept between runs; nothing is kept without it. */
  readonly cacheFile?: string;
  /** By qualified name: what authors say should and should not call a skill. */
  readonly examples?: ReadonlyMap<string, readonly TriggerExample[]>;
  readonly learned?: Learned;
  /** The vector of a skill's description, for hosts that have an embedding; of unit length. */
  readonly vectorOf?: (skill: Skill) => Float32Array | undefined;
  /** Asked by `consult`, and only where the ranking is unsure. */
  readonly model?: AskedModel;
  readonly signal?: AbortSignal | undefined;
}

/** Refuses what is not a context: hosts put it together from what they were given, and types are gone by then. */
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

/** No more skills are given for one message. */
const MAX_LIMIT = 50;

/** How many skills are given where a caller wants so many; none where that is not a number. */
export function clampLimit(limit: number): number {
  return limit > 0 ? Math.min(Math.floor(limit), MAX_LIMIT) : 0;
}
