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
import { ActiveSkills, type AdoptedActivation, digestArguments } from "./activate/active-skills.ts";
import {
  type ActivationContext,
  loadActivation,
  noteActivation,
  renderActivation,
} from "./activate/render-activation.ts";
import { resolveSkill } from "./activate/resolve-skill.ts";
import type { Activation } from "./activation.ts";
import { type ActivationSource, checkSource } from "./activation-source.ts";
import { askPerson } from "./ask-person.ts";
import {
  type Compaction,
  type CompactOptions,
  DEFAULT_COMPACT_TOKENS,
  renderAfterCompaction,
} from "./compact/render-after-compaction.ts";
import type { ForkOptions, ForkSession } from "./fork/fork-session.ts";
import { FrozenSkills } from "./frozen-skills.ts";
import { type ResolvedMentions, resolveMentions } from "./mention/resolve-mentions.ts";
import type { ResourceRead } from "./read/resource-read.ts";
import { SkillFiles } from "./read/skill-files.ts";
import { describeCall } from "./records/describe-call.ts";
import { placeOf } from "./records/place-of.ts";
import { RefusalLog } from "./records/refusal-log.ts";
import type { Recorder } from "./records/session-record.ts";
import type { ActivateOptions, DependencyAnswer, Session, SessionCatalogOptions } from "./session.ts";
import type { SessionGate } from "./session-gate.ts";
import type { SessionOptions } from "./session-options.ts";
import type { SessionSecrets } from "./session-secrets.ts";
import type { SkillReader } from "./skill-reader.ts";

/** What a session works with. */
export interface SkillSessionParts {
  readonly mode: PolicyMode;
  readonly interactive: boolean;
  readonly snapshot: Snapshot;
  readonly reader: SkillReader;
  readonly gate: SessionGate;
  readonly secrets: SessionSecrets;
  readonly recorder: Recorder;
  readonly options: SessionOptions;
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
  readonly #active = new ActiveSkills();
  readonly #frozen: FrozenSkills;
  readonly #files: SkillFiles;
  readonly #refusals: RefusalLog;
  #loading: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor(parts: SkillSessionParts) {
    this.#parts = parts;
    const { reader, recorder, gate } = parts;
    this.#frozen = new FrozenSkills(reader);
    this.#refusals = new RefusalLog(recorder);
    this.#files = new SkillFiles({
      reader,
      recorder,
      frozen: this.#frozen,
      findActive: (name) => this.#findActive(name),
      resolve: (name) => this.#resolve(name, "model"),
      isFree: (skill) => gate.decideActivation(skill, "model").outcome === "allow",
      refusesDrift: () => this.#refusesDrift(),
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

  mentions(message: string): ResolvedMentions {
    return resolveMentions(message, this.usable("user"));
  }

  // One at a time: two loads of the same text at once would both give it.
  activate(name: string, options: ActivateOptions = {}): Promise<Activation> {
    const next = this.#loading.then(() =>
      this.#refusals.watch("activate", name, () => this.#activate(name, options)),
    );
    this.#loading = next.then(
      () => undefined,
      () => undefined,
    );
    return next;
  }

  /** Takes up a skill whose text an earlier run gave; it is in the host's context, and nothing is recorded. */
  adopt(skill: Skill, adopted: AdoptedActivation): void {
    const { key, source, isOfThisTurn, isInContext } = adopted;
    const { gate } = this.#parts;
    if (isOfThisTurn) gate.narrow(skill, skill.manifest, source);
    // What may no longer be had is narrowed by, but neither read nor given again.
    if (isInContext && gate.hiddenFrom(skill, source, { byFullName: true }) === undefined)
      this.#active.adopt(skill.qualifiedName, key, adopted);
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
        (skill.state === "enabled" || skill.state === "unavailable") &&
        gate.passesOn(skill) &&
        (wanted === undefined || wanted.has(skill.qualifiedName) || wanted.has(skill.name)),
    );
    return secrets.askFor(skills, this.interactive ? options.ask : undefined);
  }

  secretsFor(name: string): Readonly<Record<string, string>> {
    const { gate, secrets } = this.#parts;
    const own = this.snapshot.skills.filter(
      (skill) =>
        gate.passesOn(skill) &&
        (this.#active.isActive(skill.qualifiedName) ||
          SOURCES.some((source) => gate.hiddenFrom(skill, source, { byFullName: true }) === undefined)),
    );
    const skill =
      own.find(({ qualifiedName }) => qualifiedName === name) ??
      own.find((candidate) => candidate.name === name);
    return skill === undefined ? {} : secrets.valuesFor(skill);
  }

  async compact({ budgetTokens = DEFAULT_COMPACT_TOKENS }: CompactOptions = {}): Promise<Compaction> {
    this.#checkOpen();
    const compaction = renderAfterCompaction(
      (tokens) => this.catalog({ budget: { tokens } }).text,
      await this.#textsInContext(),
      { budgetTokens },
    );
    const { kept, dropped } = compaction;
    await this.#parts.recorder.append({ kind: "compaction", kept, dropped });
    this.#active.keepOnly(new Set(kept));
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

  async #activate(name: string, options: ActivateOptions): Promise<Activation> {
    this.#checkOpen();
    const source = checkSource(options.source ?? "model");
    const skill = this.#resolve(name, source);
    await this.#permit(skill, source);
    const context = this.#contextOf(source, options.arguments);
    const loaded = await loadActivation(skill, context);
    this.#frozen.keep(skill, loaded.index);
    const { digest, index, manifest } = loaded;
    const argumentsDigest = digestArguments(options.arguments);
    const key = { digest, treeDigest: index.treeDigest, argumentsDigest };
    const isKnown = this.#active.has(skill.qualifiedName, key);
    const duplicate = isKnown && options.repeat !== true;
    const rendered = duplicate
      ? noteActivation(skill, loaded, source)
      : await renderActivation(skill, loaded, context);
    const unclear = this.#parts.gate.narrow(skill, manifest, source);
    const activation = { ...rendered, diagnostics: [...rendered.diagnostics, ...unclear] };
    await this.#record(skill, { ...activation, duplicate: isKnown }, options.arguments);
    if (!duplicate) this.#active.add(activation, key);
    return activation;
  }

  // What an earlier run gave is written again from the same files; commands are not run for it a second time.
  async #textsInContext(): Promise<readonly { readonly name: string; readonly text: string | undefined }[]> {
    const texts: { name: string; text: string | undefined }[] = [];
    for (const { name, text, adopted } of this.#active.latest()) {
      const skill = adopted && this.snapshot.skills.find(({ qualifiedName }) => qualifiedName === name);
      texts.push({ name, text: text ?? (skill && (await this.#renderAgain(skill, adopted))) });
    }
    return texts;
  }

  async #renderAgain(
    skill: Skill,
    { source, arguments: given }: AdoptedActivation,
  ): Promise<string | undefined> {
    if (given === undefined) return undefined;
    const context = { ...this.#contextOf(source, given.text), exec: undefined };
    try {
      return (await renderActivation(skill, await loadActivation(skill, context), context)).text;
    } catch (error) {
      // It changed meanwhile: the model is told to load it again.
      if (SkilletError.isInstance(error)) return undefined;
      throw error;
    }
  }

  #contextOf(source: ActivationSource, given: string | undefined): ActivationContext {
    const { reader, gate, options } = this.#parts;
    return {
      source,
      arguments: given,
      reader,
      gate,
      freeze: (skill) => this.#frozen.look(skill),
      refusesDrift: this.#refusesDrift(),
      runId: this.runId,
      exec: options.exec,
      projectDirectory: options.projectDirectory,
    };
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

  #findActive(name: string): Skill | undefined {
    const active = this.snapshot.skills.filter(
      (skill) =>
        this.#active.isActive(skill.qualifiedName) && (skill.qualifiedName === name || skill.name === name),
    );
    return active.length === 1 ? active[0] : undefined;
  }

  async #permit(skill: Skill, source: ActivationSource): Promise<void> {
    const decision = this.#parts.gate.decideActivation(skill, source);
    if (decision.outcome === "allow") return;
    const { reason } = decision;
    if (decision.outcome === "ask" && (await this.#ask({ kind: "activate", ...about(skill), reason })))
      return;
    throw new SkilletError("skill-denied", `${skill.qualifiedName} was not loaded: ${reason}.`, {
      data: { skill: skill.qualifiedName, ...decision },
    });
  }

  #record(skill: Skill, activation: Activation, given: string | undefined): Promise<void> {
    const { name, source, digest, treeDigest, duplicate, drifted, diagnostics } = activation;
    return this.#parts.recorder.append({
      kind: "activation",
      ...placeOf(skill),
      name,
      source,
      digest,
      ...(treeDigest !== undefined && { treeDigest }),
      ...(given !== undefined && { arguments: given }),
      argumentsDigest: digestArguments(given),
      duplicate,
      drifted,
      diagnostics,
    });
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

function about({ qualifiedName, digest }: Skill): Pick<Question, "skill" | "digest"> {
  return { skill: qualifiedName, digest };
}
