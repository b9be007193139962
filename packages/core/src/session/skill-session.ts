import { SkilletError } from "@skillet/kit/errors";
import type { AgentEvent, DetectedUse } from "../behaviour/use-detector.ts";
import type { Catalog } from "../catalog/create-catalog.ts";
import type { PolicyMode } from "../config/config.ts";
import type { ToolCall } from "../policy/check-tool-call.ts";
import type { Decision } from "../policy/decision.ts";
import type { Resource } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { SelectContext, SelectedSkill, SelectionDecision, SelectOptions } from "../select/selector.ts";
import type { Vetting } from "../vetting/skill-vetter.ts";
import type { AdoptedActivation } from "./activate/skill-activations.ts";
import { equipSession, type SessionEquipment, type SkillSessionParts } from "./equip-session.ts";
import type { ForkOptions, ForkSession } from "./open-fork.ts";
import type { SkillOutcome } from "./outcome/session-outcomes.ts";
import type { ResourceRead } from "./read/read-resource.ts";
import { describeCall } from "./records/refusal-log.ts";
import {
  type Compaction,
  type CompactOptions,
  DEFAULT_COMPACT_TOKENS,
  renderAfterCompaction,
} from "./render-after-compaction.ts";
import type { RunOptions, ScriptRun, ScriptTarget } from "./script-runner.ts";
import { type ResolvedMentions, resolveMentions } from "./search/resolve-mentions.ts";
import type {
  ActivateOptions,
  Activation,
  ActivationSource,
  ConversationCatalogOptions,
  DependencyAnswer,
  Session,
  SessionCatalogOptions,
} from "./session.ts";
import type { SkillTool } from "./tools/skill-tool.ts";

/** The session of a host; `openSession` makes one. */
export class SkillSession implements Session {
  readonly #parts: SkillSessionParts;
  readonly #equipment: SessionEquipment;
  #loading: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor(parts: SkillSessionParts) {
    this.#parts = parts;
    this.#equipment = equipSession(parts, { checkOpen: () => this.#checkOpen() });
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

  async catalogFor(
    conversation: readonly string[],
    options: ConversationCatalogOptions = {},
  ): Promise<Catalog> {
    this.#checkOpen();
    return this.#equipment.search.catalogFor(conversation, options);
  }

  async select(message: string, options: SelectOptions = {}): Promise<readonly SelectedSkill[]> {
    this.#checkOpen();
    return this.#equipment.search.select(message, options);
  }

  async decide(
    message: string,
    options: { readonly context?: SelectContext } = {},
  ): Promise<SelectionDecision> {
    this.#checkOpen();
    return this.#equipment.search.decide(message, options);
  }

  usable(source: ActivationSource = "model"): readonly Skill[] {
    return this.#equipment.skills.usable(source);
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
      this.#equipment.refusals.watch("activate", name, async () => {
        this.#checkOpen();
        return this.#equipment.activations.activate(name, options);
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
    this.#equipment.activations.adopt(skill, adopted);
  }

  resources(name: string): Promise<readonly Resource[]> {
    return this.#equipment.refusals.watch("resources", name, () => {
      this.#checkOpen();
      return this.#equipment.files.list(name);
    });
  }

  async read(
    name: string,
    path: string,
    options: { readonly maxBytes?: number } = {},
  ): Promise<ResourceRead> {
    this.#checkOpen();
    return this.#equipment.files.read(name, path, options.maxBytes);
  }

  get scripts(): readonly string[] {
    return this.#equipment.scripts.allowed;
  }

  scriptTarget(skill: Skill, path: string): ScriptTarget | undefined {
    return this.#equipment.scripts.targetOf(skill, path);
  }

  decideScript(skill: Skill, path: string): Decision {
    return this.#equipment.scripts.decide(skill, path);
  }

  async run(
    name: string,
    path: string,
    args: readonly string[] = [],
    options: RunOptions = {},
  ): Promise<ScriptRun> {
    this.#checkOpen();
    return this.#equipment.scripts.run(name, path, args, options);
  }

  async tools(): Promise<readonly SkillTool[]> {
    this.#checkOpen();
    return this.#equipment.tools.list();
  }

  async checkToolCall(call: ToolCall): Promise<Decision> {
    this.#checkOpen();
    const decision = this.#parts.gate.decideToolCall(call);
    if (decision.outcome === "allow") return decision;
    const error = { code: `tool-${decision.outcome}`, message: decision.reason };
    const { rule } = decision;
    const subject = describeCall(call);
    await this.#equipment.refusals.add({ what: "tool", subject, error, ...(rule !== undefined && { rule }) });
    return decision;
  }

  async askForDependencies(names?: readonly string[]): Promise<DependencyAnswer> {
    this.#checkOpen();
    const { dependencies, search } = this.#equipment;
    const answer = await dependencies.askFor(names);
    // What was given may have made skills usable.
    search.forget();
    return answer;
  }

  secretsFor(name: string): Readonly<Record<string, string>> {
    return this.#equipment.dependencies.valuesFor(name);
  }

  async observe(event: AgentEvent): Promise<readonly DetectedUse[]> {
    this.#checkOpen();
    return this.#equipment.outcomes.observe(event);
  }

  async outcome(said: SkillOutcome): Promise<void> {
    this.#checkOpen();
    const { skills, outcomes } = this.#equipment;
    await outcomes.say(said, (name) => skills.resolveForAnyone(name));
  }

  async compact({ budgetTokens = DEFAULT_COMPACT_TOKENS }: CompactOptions = {}): Promise<Compaction> {
    this.#checkOpen();
    const compaction = renderAfterCompaction(
      (tokens) => this.catalog({ budget: { tokens } }).text,
      await this.#equipment.activations.texts(),
      { budgetTokens },
    );
    const { kept, dropped } = compaction;
    await this.#parts.recorder.append({ kind: "compaction", kept, dropped });
    this.#equipment.activations.keepOnly(new Set(kept));
    return compaction;
  }

  async endTurn(): Promise<void> {
    this.#parts.gate.endTurn();
    this.#equipment.outcomes.endTurn();
    await this.#parts.recorder.append({ kind: "turn-ended" });
    await this.writeArtefacts();
  }

  async writeArtefacts(): Promise<void> {
    await this.#parts.writeArtefacts(this.#equipment.frozen.indexes);
  }

  fork(options: ForkOptions): Promise<ForkSession> {
    const { skills = [], profile } = options;
    const subject = [...skills, ...(profile === undefined ? [] : [`profile ${profile}`])].join(", ");
    return this.#equipment.refusals.watch("fork", subject, async () => {
      this.#checkOpen();
      const own = this.#equipment.skills;
      const named = skills.map((name) => own.resolve(name, "parent"));
      const listed = profile === undefined ? [] : own.usableOf(this.#parts.profileSkills(profile));
      return this.#parts.openFork(options, [...new Set([...named, ...listed])]);
    });
  }

  protected async end(): Promise<void> {
    await this.endTurn();
    this.#hasEnded = true;
  }

  #checkOpen(): void {
    if (!this.#hasEnded) return;
    throw new SkilletError("session-ended", "The session has ended; open another one.", {
      data: { runId: this.runId },
    });
  }
}
