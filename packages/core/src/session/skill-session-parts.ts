import type { Catalog } from "../catalog/create-catalog.ts";
import type { PolicyMode } from "../config/config.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { Selector } from "../select/selector.ts";
import type { ForkOptions, ForkSession } from "./fork/fork-session.ts";
import type { OutcomeMemory } from "./outcome/outcome-memory.ts";
import type { Recorder } from "./records/session-record.ts";
import type { ScriptAllowlist } from "./run/script-allowlist.ts";
import type { ScriptRunner } from "./run/script-runner.ts";
import type { SessionCatalogOptions } from "./session.ts";
import type { SessionGate } from "./session-gate.ts";
import type { SessionOptions } from "./session-options.ts";
import type { SessionSecrets } from "./session-secrets.ts";
import type { SkillReader } from "./skill-reader.ts";
import type { SessionVetting } from "./vetting/session-vetting.ts";

/** What a session works with. */
export interface SkillSessionParts {
  readonly mode: PolicyMode;
  readonly interactive: boolean;
  readonly snapshot: Snapshot;
  readonly reader: SkillReader;
  readonly gate: SessionGate;
  readonly vetting: SessionVetting;
  readonly secrets: SessionSecrets;
  readonly recorder: Recorder;
  /** What the turns so far say about skills. */
  readonly memory: OutcomeMemory;
  readonly options: SessionOptions;
  /** The scripts that may run, and what with. */
  readonly scripts: {
    readonly runner: ScriptRunner | undefined;
    readonly allowlist: ScriptAllowlist;
    readonly workspace: string;
    /** Folders that no script may write. */
    readonly protect: readonly string[];
    readonly defaultTimeoutMs: number;
  };
  /** Skills that come before others in catalogues, by name. */
  readonly preferred: readonly string[];
  renderCatalog(
    skills: readonly Skill[],
    options: SessionCatalogOptions & { readonly unlisted?: number },
  ): Catalog;
  /** The selector over everything that a session of the snapshot could have. */
  openSelector(): Promise<Selector>;
  /** Writes the artefacts of the run. */
  writeArtefacts(frozen: ReadonlyMap<string, ResourceIndex>): Promise<void>;
  /** The skills of a profile of the configuration, as names and patterns. */
  profileSkills(profile: string): readonly string[];
  openFork(options: ForkOptions, skills: readonly Skill[]): Promise<ForkSession>;
}
