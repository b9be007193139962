import { askPerson, type Question } from "../ask.ts";
import type { Catalog } from "../catalog/create-catalog.ts";
import type { PolicyMode } from "../config/config.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { Selector } from "../select/selector.ts";
import { SkillActivations } from "./activate/skill-activations.ts";
import type { ForkOptions, ForkSession } from "./open-fork.ts";
import { SessionOutcomes } from "./outcome/session-outcomes.ts";
import type { OutcomeMemory } from "./outcome/turn-reader.ts";
import { SkillFiles } from "./read/skill-files.ts";
import type { Recorder } from "./records/recorder.ts";
import type { ScriptAllowlist } from "./run/script-allowlist.ts";
import { SkillScripts } from "./run/skill-scripts.ts";
import type { ScriptRunner } from "./script-runner.ts";
import { SessionSearch } from "./search/session-search.ts";
import type { SessionCatalogOptions, SessionOptions } from "./session.ts";
import type { SessionGate } from "./session-gate.ts";
import { SessionDependencies, type SessionSecrets } from "./session-secrets.ts";
import { SessionSkills } from "./session-skills.ts";
import type { SessionVetting } from "./session-vetting.ts";
import { FrozenSkills, type SkillReader } from "./skill-reader.ts";
import { SessionTools } from "./tools/session-tools.ts";

/** Everything that one session is made of; its parts ask each other through it. */
export interface SessionCore extends SkillSessionParts {
  readonly skills: SessionSkills;
  readonly frozen: FrozenSkills;
  readonly activations: SkillActivations;
  readonly dependencies: SessionDependencies;
  readonly files: SkillFiles;
  readonly scripts: SkillScripts;
  readonly tools: SessionTools;
  readonly outcomes: SessionOutcomes;
  readonly search: SessionSearch;
  /** Throws when the session has ended. */
  checkOpen(): void;
  refusesDrift(): boolean;
  /** Whether a person allows something; nobody there, a failure or no answer in time means no. */
  ask(question: Omit<Question, "choices">): Promise<boolean>;
}

/** Puts the parts of a session together; none of them asks another one before all are there. */
export function equipSession(parts: SkillSessionParts, checkOpen: () => void): SessionCore {
  const { snapshot, reader, gate, mode, interactive, options } = parts;
  const core = {
    ...parts,
    checkOpen,
    refusesDrift: () => {
      const isStrict = mode === "locked" || !interactive;
      return (options.onDrift ?? (isStrict ? "refuse" : "report")) === "refuse";
    },
    ask: async (question) => {
      if (!interactive) return false;
      const answer = await askPerson(options.ask, { ...question, choices: ["allow", "deny"] });
      return answer?.choice === "allow";
    },
    skills: new SessionSkills(snapshot, gate),
    frozen: new FrozenSkills(reader),
  } as { -readonly [Part in keyof SessionCore]: SessionCore[Part] };
  core.activations = new SkillActivations(core);
  core.dependencies = new SessionDependencies(core);
  core.files = new SkillFiles(core);
  core.scripts = new SkillScripts(core);
  core.tools = new SessionTools(core);
  core.outcomes = new SessionOutcomes(core);
  core.search = new SessionSearch(core);
  return core;
}

export interface SkillSessionParts {
  readonly mode: PolicyMode;
  readonly interactive: boolean;
  readonly snapshot: Snapshot;
  readonly reader: SkillReader;
  readonly gate: SessionGate;
  readonly vetting: SessionVetting;
  readonly secrets: SessionSecrets;
  readonly recorder: Recorder;
  readonly memory: OutcomeMemory;
  readonly options: SessionOptions;
  readonly scriptFrame: {
    readonly runner: ScriptRunner | undefined;
    readonly allowlist: ScriptAllowlist;
    readonly workspace: string;
    /** Folders that no script may write. */
    readonly protect: readonly string[];
    readonly defaultTimeoutMs: number;
  };
  readonly preferred: readonly string[];
  renderCatalog(
    skills: readonly Skill[],
    options: SessionCatalogOptions & { readonly unlisted?: number },
  ): Catalog;
  openSelector(): Promise<Selector>;
  writeArtefacts(frozen: ReadonlyMap<string, ResourceIndex>): Promise<void>;
  /** The skills of a profile of the configuration, as names and patterns. */
  profileSkills(profile: string): readonly string[];
  openFork(options: ForkOptions, skills: readonly Skill[]): Promise<ForkSession>;
}
