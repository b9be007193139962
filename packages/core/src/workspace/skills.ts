import type { LoadedConfig } from "../config/load-config.ts";
import type { SkillResolution } from "../registry/find-skill.ts";
import type { ContentBounds, SkillContent } from "../registry/read-skill-content.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { SkillsChange, SkillsWatch, WatchOptions } from "../registry/watch-skills.ts";
import type {
  SelectContext,
  SelectedSkill,
  SelectionDecision,
  SelectOptions,
  Selector,
} from "../selection.ts";
import type { ResumedSession, ResumeOptions } from "../session/resume/resume-session.ts";
import type { Session, SessionOptions } from "../session/session.ts";
import type { DeclaredToolset } from "../session/tools/declaration/declared-toolset.ts";
import type { TreeStamp } from "../source/skill-source.ts";
import type { Project } from "./locate-workspace.ts";
import type { SelectorRequest } from "./open-selection.ts";
import type { SkillText } from "./registry-reader.ts";
import type { TrustVerification } from "./trusted-skills.ts";

/** A registry of skills: one snapshot at a time. */
export interface Skills {
  readonly snapshot: Snapshot;
  /** The project that the workspace lies in; absent when explicit roots were given. */
  readonly project?: Project | undefined;
  readonly home: string;
  readonly config: LoadedConfig;
  /** The skills that may be used, by a model or only by the user; the options add the others. */
  list(options?: {
    readonly includeDisabled?: boolean;
    readonly includeUnavailable?: boolean;
  }): readonly Skill[];
  find(name: string): SkillResolution;
  /** Reads a SKILL.md again: its text, and whether it is still what the snapshot saw. */
  readText(skill: Skill, options?: CallOptions): Promise<SkillText>;
  /** Digests every file of a skill. */
  resources(skill: Skill, options?: CallOptions): Promise<ResourceIndex>;
  /** The tools that a skill declares, and what is wrong with them; whether one may run is for a session to say. */
  toolsets(skill: Skill, options?: CallOptions): Promise<readonly DeclaredToolset[]>;
  /** Reads every file of a project's skill: whether it is what was trusted at the last reload, not SKILL.md alone. */
  verifyTrust(skill: Skill, options?: CallOptions): Promise<TrustVerification>;
  /** The status of a skill's files, without reading them; undefined where its source cannot tell. */
  stamp(skill: Skill): TreeStamp | undefined;
  /** Everything that a skill holds, for a scan; what cannot be read is reported in its place. */
  content(skill: Skill, options: ContentBounds & CallOptions): Promise<SkillContent>;
  /**
   * Ranks the enabled skills against messages; made once for a snapshot, from an index that is kept in the cache.
   *
   * @example
   * const selector = await skills.selector();
   * selector.decide("merge these two PDFs").action; // "activate"
   */
  selector(options?: SelectorRequest): Promise<Selector>;
  /** The enabled skills that suit a message, the best first; `session.select` also applies policy and vetting. */
  select(message: string, options?: SelectOptions): Promise<readonly SelectedSkill[]>;
  /** What to do about a message: activate, suggest, or nothing. */
  decide(message: string, options?: { readonly context?: SelectContext }): Promise<SelectionDecision>;
  /** Opens a session over the snapshot of now: what a model is told, what it may load and do, and the record. */
  session(options?: SessionOptions): Promise<Session>;
  /** Goes on with a recorded run, after every skill that it had loaded was verified. */
  resume(runFolder: string, options?: ResumeOptions): Promise<ResumedSession>;
  /** Searches again, with the config as it is now. */
  reload(options?: CallOptions): Promise<SkillsChange>;
  /** Calls back with the difference after skills, configuration or trust settle; a burst is one call. */
  watch(listener: (change: SkillsChange) => void, options?: WatchOptions): SkillsWatch;
}

/** What every call that waits takes. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}
