import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Answer, Question } from "../ask.ts";
import type { ContentBounds, SkillContent } from "../registry/read-skill-content.ts";
import type { Origin, Scope } from "../registry/skill.ts";
import type { TreeStamp } from "../source/skill-source.ts";

/** Judges skills by what they hold, before anything of them is offered; `createVetter` of `@skillet/scan` makes one. */
export interface SkillVetter {
  /** Which rules judge, for the record. */
  readonly ruleSet: string;
  /**
   * One answer a skill, in their order; one that cannot be judged is withheld, and holds up no other. Sessions over a snapshot
   * share what is allowed without a question or an approval.
   */
  vet(skills: readonly SkillToVet[], options?: VetOptions): Promise<readonly Vetting[]>;
}

/** Options for vetting skills. */
export interface VetOptions {
  /** Asks a person; absent where there is none to ask. */
  readonly ask?: (question: Question) => Promise<Answer | undefined>;
  readonly signal?: AbortSignal | undefined;
  /** These skills are a part of so many, which come after so many others: for progress alone. */
  readonly among?: { readonly before: number; readonly total: number };
}

/** A skill that is to be judged. */
export interface SkillToVet {
  /** Qualified. */
  readonly name: string;
  readonly scope: Scope;
  readonly origin?: Origin;
  /** Where SKILL.md lies on this machine, or as its source shows it. */
  readonly path: string;
  /** Of SKILL.md as the snapshot shows it: where another lies there now, what is shown was not judged. */
  readonly shown?: Digest;
  /** The exact content to judge, because it is about to be shown; absent: the content on disk now. */
  readonly frozen?: FrozenContent;
  /** The status of its files, without reading them; undefined where the source cannot tell. */
  stamp(): TreeStamp | undefined;
  read(bounds: ContentBounds & { readonly signal?: AbortSignal | undefined }): Promise<SkillContent>;
}

export interface FrozenContent {
  /** Of all of it; absent where the look at its tree could not tell. */
  readonly digest?: Digest;
  /** `readDigest` of the index. */
  readonly read: Digest | undefined;
  /** Of SKILL.md as it was read; absent where it is not what is shown. */
  readonly skill?: Digest | undefined;
}

/** Whether a skill may be offered, and why not. */
export interface Vetting {
  readonly outcome: "allow" | "withhold";
  /** Such as `safe`; `unknown` where nothing could be judged. */
  readonly verdict: string;
  /** It is allowed only because a person approved it, which can be withdrawn: every session asks anew. */
  readonly approved?: boolean;
  /** A clause for people, with the command that helps; there when it is withheld. */
  readonly reason?: string;
  /** Of what was judged; absent where it could not be read whole. */
  readonly digest?: Digest;
  /** Notes about a skill that is offered all the same. */
  readonly diagnostics: readonly Diagnostic[];
}
