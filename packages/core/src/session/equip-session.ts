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
import { RefusalLog } from "./records/refusal-log.ts";
import type { Recorder } from "./records/session-record.ts";
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

export interface SessionEquipment {
  readonly skills: SessionSkills;
  readonly frozen: FrozenSkills;
  readonly activations: SkillActivations;
  readonly dependencies: SessionDependencies;
  readonly files: SkillFiles;
  readonly scripts: SkillScripts;
  readonly tools: SessionTools;
  readonly outcomes: SessionOutcomes;
  readonly search: SessionSearch;
  readonly refusals: RefusalLog;
}

/**
 * Puts the parts of a session together: which of them may ask which other for what.
 *
 * @param session.checkOpen Throws when the session has ended.
 */
export function equipSession(
  parts: SkillSessionParts,
  session: { readonly checkOpen: () => void },
): SessionEquipment {
  const { snapshot, reader, recorder, gate, vetting, secrets, options, interactive } = parts;
  const { checkOpen } = session;
  const frozen = new FrozenSkills(reader);
  const refusals = new RefusalLog(recorder);
  const skills = new SessionSkills(snapshot, gate);
  const resolve = (name: string): Skill => skills.resolve(name, "model");
  const redact = (text: string): string => secrets.redact(text);
  const refusesDrift = (): boolean => shouldRefuseDrift(parts);
  const ask = (question: Omit<Question, "choices">): Promise<boolean> => askToAllow(parts, question);
  const activations = new SkillActivations({
    ...{ snapshot, reader, gate, vetting, recorder, frozen, options, refusesDrift, ask },
    resolve: (name, source) => skills.resolve(name, source),
  });
  const findActive = (name: string): Skill | undefined => activations.find(name);
  const isActive = (skill: Skill): boolean => activations.isActive(skill);
  const dependencies = new SessionDependencies({
    ...{ snapshot, gate, secrets, isActive },
    ask: interactive ? options.ask : undefined,
  });
  const files = new SkillFiles({
    ...{ reader, recorder, frozen, vetting, findActive, resolve, refusesDrift },
    isFree: (skill) => gate.decideActivation(skill, "model").outcome === "allow",
  });
  const scripts = new SkillScripts({
    ...parts.scripts,
    ...{ reader, recorder, frozen, gate, findActive, resolve, isActive, redact, ask, checkOpen },
    isLoadedFrom: (skill, treeDigest) => activations.isLoadedFrom(skill, treeDigest),
    secretsFor: (name) => dependencies.valuesFor(name),
  });
  const tools = new SessionTools({
    ...{ reader, frozen, refusals, checkOpen },
    activeSkills: () => activations.active(),
    isAllowed: (skill, path) => scripts.targetOf(skill, path) !== undefined,
    decide: (skill, path) => scripts.decide(skill, path),
    secretsFor: (skill) => secrets.valuesFor(skill),
    maxTimeoutMs: parts.scripts.defaultTimeoutMs,
    run: (script, args, given) => scripts.run(script.skill.qualifiedName, script.path, args, given, script),
  });
  const outcomes = new SessionOutcomes({
    recorder,
    redact,
    messages: options.recordMessages === true ? "text" : "digest",
    skills: () => skills.usableByAnyone(),
  });
  const search = new SessionSearch({
    ...parts,
    context: () => ({ ...parts.memory.context(), ...(options.files && { files: options.files }) }),
    offer: (message, offered) => outcomes.offer(message, offered),
  });
  return { skills, frozen, activations, dependencies, files, scripts, tools, outcomes, search, refusals };
}

function shouldRefuseDrift({ mode, interactive, options }: SkillSessionParts): boolean {
  const isStrict = mode === "locked" || !interactive;
  return (options.onDrift ?? (isStrict ? "refuse" : "report")) === "refuse";
}

async function askToAllow(
  { interactive, options }: SkillSessionParts,
  question: Omit<Question, "choices">,
): Promise<boolean> {
  if (!interactive) return false;
  const answer = await askPerson(options.ask, { ...question, choices: ["allow", "deny"] });
  return answer?.choice === "allow";
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
  readonly scripts: {
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
