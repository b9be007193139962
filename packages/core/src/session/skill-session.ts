import type { Question } from "../ask.ts";
import type { Catalog } from "../catalog/create-catalog.ts";
import { createAllowList } from "../catalog/visibility/allow-list.ts";
import type { PolicyMode } from "../config/config.ts";
import type { Decision } from "../policy/decision.ts";
import type { ToolCall } from "../policy/tool-call.ts";
import type { Resource, ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import { SkilletError } from "../skillet-error.ts";
import type { Vetting } from "../vetting/skill-vetter.ts";
import type { AdoptedActivation } from "./activate/active-skills.ts";
import { resolveSkill } from "./activate/resolve-skill.ts";
import { SkillActivations } from "./activate/skill-activations.ts";
import type { Activation } from "./activation.ts";
import type { ActivationSource } from "./activation-source.ts";
import { askPerson } from "./ask-person.ts";
import {
  type Compaction,
  type CompactOptions,
  DEFAULT_COMPACT_TOKENS,
  renderAfterCompaction,
} from "./compact/render-after-compaction.ts";
import { findNamed } from "./find-named.ts";
import type { ForkOptions, ForkSession } from "./fork/fork-session.ts";
import { FrozenSkills } from "./frozen-skills.ts";
import { type ResolvedMentions, resolveMentions } from "./mention/resolve-mentions.ts";
import type { ResourceRead } from "./read/resource-read.ts";
import { SkillFiles } from "./read/skill-files.ts";
import { describeCall } from "./records/describe-call.ts";
import { RefusalLog } from "./records/refusal-log.ts";
import type { Recorder } from "./records/session-record.ts";
import type { ScriptAllowlist } from "./run/script-allowlist.ts";
import type { RunOptions, ScriptRun } from "./run/script-run.ts";
import type { ScriptRunner, ScriptTarget } from "./run/script-runner.ts";
import { SkillScripts } from "./run/skill-scripts.ts";
import type { ActivateOptions, DependencyAnswer, Session, SessionCatalogOptions } from "./session.ts";
import type { SessionGate } from "./session-gate.ts";
import type { SessionOptions } from "./session-options.ts";
import type { SessionSecrets } from "./session-secrets.ts";
import type { SkillReader } from "./skill-reader.ts";
import { SessionTools } from "./tools/session-tools.ts";
import type { SkillTool } from "./tools/skill-tool.ts";
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
  renderCatalog(skills: readonly Skill[], options: SessionCatalogOptions): Catalog;
  /** Writes the artefacts of the run. */
  writeArtefacts(frozen: ReadonlyMap<string, ResourceIndex>): Promise<void>;
  /** The skills of a profile of the configuration, as names and patterns. */
  profileSkills(profile: string): readonly string[];
  openFork(options: ForkOptions, skills: readonly Skill[]): Promise<ForkSession>;
}

/** The session of a host; `openSession` makes one. */
export class SkillSession implements Session {
  readonly #parts: SkillSessionParts;
  readonly #frozen: FrozenSkills;
  readonly #activations: SkillActivations;
  readonly #files: SkillFiles;
  readonly #scripts: SkillScripts;
  readonly #tools: SessionTools;
  readonly #refusals: RefusalLog;
  #loading: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor(parts: SkillSessionParts) {
    this.#parts = parts;
    const { snapshot, reader, recorder, gate, vetting, options } = parts;
    const frozen = new FrozenSkills(reader);
    const resolve = (name: string): Skill => this.#resolve(name, "model");
    const findActive = (name: string): Skill | undefined => activations.find(name);
    const refusesDrift = (): boolean => this.#refusesDrift();
    const ask = (question: Omit<Question, "choices">): Promise<boolean> => this.#ask(question);
    const activations = new SkillActivations({
      snapshot,
      reader,
      gate,
      vetting,
      recorder,
      frozen,
      options,
      resolve: (name, source) => this.#resolve(name, source),
      refusesDrift,
      ask,
    });
    const isFree = (skill: Skill): boolean => gate.decideActivation(skill, "model").outcome === "allow";
    const scripts = new SkillScripts({
      ...parts.scripts,
      reader,
      recorder,
      frozen,
      gate,
      findActive,
      resolve,
      isActive: (skill) => activations.isActive(skill),
      isLoadedFrom: (skill, treeDigest) => activations.isLoadedFrom(skill, treeDigest),
      secretsFor: (name) => this.secretsFor(name),
      redact: (text) => parts.secrets.redact(text),
      ask,
      checkOpen: () => this.#checkOpen(),
    });
    this.#frozen = frozen;
    this.#activations = activations;
    this.#refusals = new RefusalLog(recorder);
    this.#files = new SkillFiles({
      reader,
      recorder,
      frozen,
      vetting,
      findActive,
      resolve,
      isFree,
      refusesDrift,
    });
    this.#scripts = scripts;
    this.#tools = new SessionTools({
      reader,
      frozen,
      activeSkills: () => activations.active(),
      isAllowed: (skill, path) => scripts.targetOf(skill, path) !== undefined,
      decide: (skill, path) => scripts.decide(skill, path),
      secretsFor: (skill) => parts.secrets.valuesFor(skill),
      refusals: this.#refusals,
      maxTimeoutMs: parts.scripts.defaultTimeoutMs,
      checkOpen: () => this.#checkOpen(),
      run: (script, args, given) => scripts.run(script.skill.qualifiedName, script.path, args, given, script),
    });
  }

  get runId(): string {
    return this.#parts.recorder.runId;
  }

  get mode(): PolicyMode {
    return this.#parts.mode;
  }

  get interactive(): boolean {
    return this.#parts.interactive;
  }

  get snapshot(): Snapshot {
    return this.#parts.snapshot;
  }

  catalog(options: SessionCatalogOptions = {}): Catalog {
    const catalog = this.#parts.renderCatalog(this.usable("model"), options);
    const hidden = this.snapshot.skills.flatMap((skill) => this.#parts.gate.describeHidden(skill));
    return { ...catalog, report: { ...catalog.report, hidden } };
  }

  usable(source: ActivationSource = "model"): readonly Skill[] {
    return this.snapshot.skills.filter((skill) => this.#parts.gate.hiddenFrom(skill, source) === undefined);
  }

  hiddenFrom(skill: Skill, source: ActivationSource = "model"): string | undefined {
    return this.#parts.gate.hiddenFrom(skill, source);
  }

  vetting(skill: Skill): Vetting | undefined {
    return this.#parts.vetting.of(skill);
  }

  mentions(message: string): ResolvedMentions {
    return resolveMentions(message, this.usable("user"));
  }

  // One at a time: two loads of the same text at once would both give it.
  activate(name: string, options: ActivateOptions = {}): Promise<Activation> {
    const next = this.#loading.then(() =>
      this.#refusals.watch("activate", name, async () => {
        this.#checkOpen();
        return this.#activations.activate(name, options);
      }),
    );
    this.#loading = next.then(
      () => undefined,
      () => undefined,
    );
    return next;
  }

  /** Takes up a skill whose text an earlier run gave; it is in the host's context, and nothing is recorded. */
  adopt(skill: Skill, adopted: AdoptedActivation): void {
    this.#activations.adopt(skill, adopted);
  }

  resources(name: string): Promise<readonly Resource[]> {
    return this.#refusals.watch("resources", name, () => {
      this.#checkOpen();
      return this.#files.list(name);
    });
  }

  async read(
    name: string,
    path: string,
    options: { readonly maxBytes?: number } = {},
  ): Promise<ResourceRead> {
    this.#checkOpen();
    return this.#files.read(name, path, options.maxBytes);
  }

  get scripts(): readonly string[] {
    return this.#scripts.allowed;
  }

  scriptTarget(skill: Skill, path: string): ScriptTarget | undefined {
    return this.#scripts.targetOf(skill, path);
  }

  decideScript(skill: Skill, path: string): Decision {
    return this.#scripts.decide(skill, path);
  }

  async run(
    name: string,
    path: string,
    args: readonly string[] = [],
    options: RunOptions = {},
  ): Promise<ScriptRun> {
    this.#checkOpen();
    return this.#scripts.run(name, path, args, options);
  }

  async tools(): Promise<readonly SkillTool[]> {
    this.#checkOpen();
    return this.#tools.list();
  }

  async checkToolCall(call: ToolCall): Promise<Decision> {
    this.#checkOpen();
    const decision = this.#parts.gate.decideToolCall(call);
    if (decision.outcome === "allow") return decision;
    const error = { code: `tool-${decision.outcome}`, message: decision.reason };
    const { rule } = decision;
    const subject = describeCall(call);
    await this.#refusals.add({ what: "tool", subject, error, ...(rule !== undefined && { rule }) });
    return decision;
  }

  askForDependencies(names?: readonly string[]): Promise<DependencyAnswer> {
    this.#checkOpen();
    const { secrets, options, gate } = this.#parts;
    const wanted = names && new Set(names);
    const skills = this.snapshot.skills.filter(
      (skill) =>
        gate.passesOn(skill) &&
        (skill.state === "enabled" || skill.state === "unavailable"
          ? wanted === undefined || wanted.has(skill.qualifiedName) || wanted.has(skill.name)
          : // By its full name it can be had, and leaves no doubt.
            skill.state === "shadowed" && wanted?.has(skill.qualifiedName) === true),
    );
    // Whoever names skills is about to use them: then what they can do without is worth a question, too.
    return secrets.askFor(skills, {
      ask: this.interactive ? options.ask : undefined,
      optional: names !== undefined,
    });
  }

  secretsFor(name: string): Readonly<Record<string, string>> {
    const { gate, secrets } = this.#parts;
    const own = this.snapshot.skills.filter(
      (skill) =>
        gate.passesOn(skill) &&
        (this.#activations.isActive(skill) ||
          SOURCES.some((source) => gate.hiddenFrom(skill, source, { byFullName: true }) === undefined)),
    );
    const skill = findNamed(name, own, this.snapshot);
    return skill === undefined ? {} : secrets.valuesFor(skill);
  }

  async compact({ budgetTokens = DEFAULT_COMPACT_TOKENS }: CompactOptions = {}): Promise<Compaction> {
    this.#checkOpen();
    const compaction = renderAfterCompaction(
      (tokens) => this.catalog({ budget: { tokens } }).text,
      await this.#activations.texts(),
      { budgetTokens },
    );
    const { kept, dropped } = compaction;
    await this.#parts.recorder.append({ kind: "compaction", kept, dropped });
    this.#activations.keepOnly(new Set(kept));
    return compaction;
  }

  async endTurn(): Promise<void> {
    this.#parts.gate.endTurn();
    await this.#parts.recorder.append({ kind: "turn-ended" });
    await this.writeArtefacts();
  }

  /** Derives the artefacts of the run from its journal, as the end of a turn does. */
  async writeArtefacts(): Promise<void> {
    await this.#parts.writeArtefacts(this.#frozen.indexes);
  }

  fork(options: ForkOptions): Promise<ForkSession> {
    const { skills = [], profile } = options;
    const subject = [...skills, ...(profile === undefined ? [] : [`profile ${profile}`])].join(", ");
    return this.#refusals.watch("fork", subject, async () => {
      this.#checkOpen();
      const named = skills.map((name) => this.#resolve(name, "parent"));
      return this.#parts.openFork(options, [...new Set([...named, ...this.#skillsOf(profile)])]);
    });
  }

  /** Nothing can be done with the session any more. */
  protected async end(): Promise<void> {
    await this.endTurn();
    this.#hasEnded = true;
  }

  #resolve(name: string, source: ActivationSource): Skill {
    const { snapshot, gate } = this.#parts;
    const wanted = name.trim().replace(/^[$/]/, "");
    return resolveSkill(name, {
      snapshot,
      source,
      hiddenFrom: (skill) =>
        gate.hiddenFrom(skill, source, {
          byFullName: skill.qualifiedName === wanted || skill.path === wanted,
        }),
      isForUsers: (skill) => gate.isForUsers(skill),
    });
  }

  #skillsOf(profile: string | undefined): readonly Skill[] {
    if (profile === undefined) return [];
    const isListed = createAllowList(this.#parts.profileSkills(profile));
    return this.usable("parent").filter(({ qualifiedName }) => isListed(qualifiedName));
  }

  #refusesDrift(): boolean {
    const isStrict = this.mode === "locked" || !this.interactive;
    return (this.#parts.options.onDrift ?? (isStrict ? "refuse" : "report")) === "refuse";
  }

  async #ask(question: Omit<Question, "choices">): Promise<boolean> {
    if (!this.interactive) return false;
    const answer = await askPerson(this.#parts.options.ask, { ...question, choices: ["allow", "deny"] });
    return answer?.choice === "allow";
  }

  #checkOpen(): void {
    if (!this.#hasEnded) return;
    throw new SkilletError("session-ended", "The session has ended; open another one.", {
      data: { runId: this.runId },
    });
  }
}

const SOURCES = ["model", "user", "parent"] as const;
