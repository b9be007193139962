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
  /** The project that contains the workspace; absent if explicit roots were given. */
  readonly project?: Project | undefined;
  readonly home: string;
  readonly config: LoadedConfig;
  /** The skills that a model or the user may use; the options add the others. */
  list(options?: {
    readonly includeDisabled?: boolean;
    readonly includeUnavailable?: boolean;
  }): readonly Skill[];
  find(name: string): SkillResolution;
  /** The MCP servers of allowed plugins, for the host to start; only variables given here are filled in. */
  mcpServers(options?: { readonly environment?: Readonly<Record<string, string>> }): readonly McpServer[];
  readonly reader: SourceReader;
  /**
   * Ranks the enabled skills against messages; created once per snapshot, from a cached index.
   *
   * @example
   * const selector = await skills.selector();
   * selector.decide("merge these two PDFs").action; // "activate"
   */
  selector(options?: SelectorRequest): Promise<Selector>;
  /** The enabled skills that suit a message, best first; `session.select` also applies policy and vetting. */
  select(message: string, options?: SelectOptions): Promise<readonly SelectedSkill[]>;
  /** Opens a session over the current snapshot: what a model is told, may load and may do, and the record. */
  session(options?: SessionOptions): Promise<Session>;
  /** Continues a recorded run, after verifying every skill that it had loaded. */
  resume(records: string | JournalStore, options?: ResumeOptions): Promise<ResumedSession>;
  /** Searches again, with the current config. */
  reload(options?: CallOptions): Promise<SkillsChange>;
  /**
   * Computes once, in slices, what sessions over the current snapshot share: verdicts, offers and the index
   * for selection. A server awaits it before taking requests and after a reload, or the first sessions wait.
   */
  warm(options?: CallOptions): Promise<void>;
  /** Reports the difference after skills, configuration or trust settle; a burst is one call. */
  watch(listener: (change: SkillsChange) => unknown, options?: WatchOptions): SkillsWatch;
  /** Ends every watch and drops the index for selection; sessions continue. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
