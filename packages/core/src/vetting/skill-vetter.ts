import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Answer, Question } from "../ask.ts";
import type { ContentBounds, SkillContent } from "../registry/read-skill-content.ts";
import type { Origin, Scope } from "../registry/skill.ts";
import type { TreeStamp } from "../source/skill-source.ts";

/** Judges skills by their content before they are offered; `createVetter` of `@skillet/scan` makes one. */
export interface SkillVetter {
  /** Identifies the rules that judge, for the record. */
  readonly ruleSet: string;
  /**
   * Gives one answer per skill, in order; a skill that cannot be judged is withheld and does not hold up
   * others. Sessions over a snapshot share what is allowed without a question or an approval.
   */
  vet(skills: readonly SkillToVet[], options?: VetOptions): Promise<readonly Vetting[]>;
}

/** Options for vetting skills. */
export interface VetOptions {
  /** Asks the user; absent if there is no user to ask. */
  readonly ask?: (question: Question) => Promise<Answer | undefined>;
  readonly signal?: AbortSignal | undefined;
  /** Where these skills come in a longer list, for progress alone. */
  readonly among?: { readonly before: number; readonly total: number };
}

/** A skill that is to be judged. */
export interface SkillToVet {
  /** The qualified name. */
  readonly name: string;
  readonly scope: Scope;
  readonly origin?: Origin;
  /** The path of SKILL.md on this machine, or as its source names it. */
  readonly path: string;
  /** The SKILL.md in the snapshot; if the one on disk differs now, what is shown was not judged. */
  readonly shown?: Digest;
  /** The exact content to judge, because it is about to be shown; without it, the content on disk now. */
  readonly frozen?: FrozenContent;
  /** The status of the skill's files, without reading them; undefined if the source cannot tell. */
  stamp(): TreeStamp | undefined;
  read(bounds: ContentBounds & { readonly signal?: AbortSignal | undefined }): Promise<SkillContent>;
}

export interface FrozenContent {
  /** Covers all files; absent if the tree could not be inspected. */
  readonly digest?: Digest;
  /** `readDigest` of the index. */
  readonly read: Digest | undefined;
  /** The SKILL.md that was read; absent if it is not the one shown. */
  readonly skill?: Digest | undefined;
}

/** Whether a skill may be offered, and why not. */
export interface Vetting {
  readonly outcome: "allow" | "withhold";
  /** Such as `safe`; `unknown` if nothing could be judged. */
  readonly verdict: string;
  /** Allowed only because the user approved it, which can be withdrawn: every session asks anew. */
  readonly approved?: boolean;
  /** A clause for display, with the command that helps; present if the skill is withheld. */
  readonly reason?: string;
  /** Covers what was judged; absent if the content could not be read in full. */
  readonly digest?: Digest;
  /** Notes about a skill that is offered all the same. */
  readonly diagnostics: readonly Diagnostic[];
}
