import type { CallOptions } from "../ask.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { McpServer } from "../plugin/mcp-servers.ts";
import type { SkillResolution } from "../registry/find-skill.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { SkillsChange, SkillsWatch, WatchOptions } from "../registry/watch-skills.ts";
import type { SelectedSkill, SelectOptions, Selector } from "../selection.ts";
import type { JournalStore } from "../session/records/journal-store.ts";
import type { ResumedSession, ResumeOptions } from "../session/resume/resume-session.ts";
import type { Session, SessionOptions } from "../session/session.ts";
import type { SourceReader } from "../session/skill-reader.ts";
import type { Project } from "./locate-workspace.ts";
import type { SelectorRequest } from "./open-selection.ts";

/** The skills of a workspace: one snapshot at a time. */
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
  /** The MCP servers of plugins that a person allowed, for the host to start; only the variables given here are filled in. */
  mcpServers(options?: { readonly environment?: Readonly<Record<string, string>> }): readonly McpServer[];
  readonly reader: SourceReader;
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
  /** Opens a session over the snapshot of now: what a model is told, what it may load and do, and the record. */
  session(options?: SessionOptions): Promise<Session>;
  /** Goes on with a recorded run, after every skill that it had loaded was verified. */
  resume(records: string | JournalStore, options?: ResumeOptions): Promise<ResumedSession>;
  /** Searches again, with the config as it is now. */
  reload(options?: CallOptions): Promise<SkillsChange>;
  /**
   * Works out once, in slices, what sessions over the snapshot of now share: verdicts, what the rules offer, and the index
   * for selection. A server awaits it before it takes requests, and after a reload; without it the first sessions wait.
   */
  warm(options?: CallOptions): Promise<void>;
  /** Calls back with the difference after skills, configuration or trust settle; a burst is one call. */
  watch(listener: (change: SkillsChange) => unknown, options?: WatchOptions): SkillsWatch;
  /** Ends every watch and forgets the index of selection; sessions go on. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
