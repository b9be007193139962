import { inspect } from "node:util";
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
import { equipSession, type SessionCore, type SkillSessionParts } from "./equip-session.ts";
import type { ForkOptions, ForkSession } from "./open-fork.ts";
import type { SkillOutcome } from "./outcome/session-outcomes.ts";
import type { ResourceRead } from "./read/read-resource.ts";
import { recordIfRefused, recordRefusal } from "./records/recorder.ts";
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
  readonly #core: SessionCore;
  #loading: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor(parts: SkillSessionParts) {
    this.#core = equipSession(parts, () => this.#checkOpen());
  }

  get runId(): string {
    return this.#core.recorder.runId;
  }

  get mode(): PolicyMode {
    return this.#core.mode;
  }

  get interactive(): boolean {
    return this.#core.interactive;
  }

  get snapshot(): Snapshot {
    return this.#core.snapshot;
  }

  catalog(options: SessionCatalogOptions = {}): Catalog {
    const catalog = this.#core.renderCatalog(this.usable("model"), options);
    const hidden = this.snapshot.skills.flatMap((skill) => this.#core.gate.describeHidden(skill));
    return { ...catalog, report: { ...catalog.report, hidden } };
  }

  async catalogFor(
    conversation: readonly string[],
    options: ConversationCatalogOptions = {},
  ): Promise<Catalog> {
    this.#checkOpen();
    return this.#core.search.catalogFor(conversation, options);
  }

  async select(message: string, options: SelectOptions = {}): Promise<readonly SelectedSkill[]> {
    this.#checkOpen();
    return this.#core.search.select(message, options);
  }

  async decide(
    message: string,
    options: { readonly context?: SelectContext } = {},
  ): Promise<SelectionDecision> {
    this.#checkOpen();
    return this.#core.search.decide(message, options);
  }

  usable(source: ActivationSource = "model"): readonly Skill[] {
    return this.#core.skills.usable(source);
  }

  hiddenFrom(skill: Skill, source: ActivationSource = "model"): string | undefined {
    return this.#core.gate.hiddenFrom(skill, source);
  }

  vetting(skill: Skill): Vetting | undefined {
    return this.#core.vetting.of(skill);
  }

  mentions(message: string): ResolvedMentions {
    return resolveMentions(message, this.usable("user"));
  }

  // One at a time: two loads of the same text at once would both give it.
  activate(name: string, options: ActivateOptions = {}): Promise<Activation> {
    const next = this.#loading.then(() =>
      recordIfRefused(this.#core.recorder, { what: "activate", subject: name }, async () => {
        this.#checkOpen();
        return this.#core.activations.activate(name, options);
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
    this.#core.activations.adopt(skill, adopted);
  }

  resources(name: string): Promise<readonly Resource[]> {
    return recordIfRefused(this.#core.recorder, { what: "resources", subject: name }, async () => {
      this.#checkOpen();
      return this.#core.files.list(name);
    });
  }

  async read(
    name: string,
    path: string,
    options: { readonly maxBytes?: number } = {},
  ): Promise<ResourceRead> {
    this.#checkOpen();
    return this.#core.files.read(name, path, options.maxBytes);
  }

  get scripts(): readonly string[] {
    return this.#core.scripts.allowed;
  }

  scriptTarget(skill: Skill, path: string): ScriptTarget | undefined {
    return this.#core.scripts.targetOf(skill, path);
  }

  decideScript(skill: Skill, path: string): Decision {
    return this.#core.scripts.decide(skill, path);
  }

  async run(
    name: string,
    path: string,
    args: readonly string[] = [],
    options: RunOptions = {},
  ): Promise<ScriptRun> {
    this.#checkOpen();
    return this.#core.scripts.run(name, path, args, options);
  }

  async tools(): Promise<readonly SkillTool[]> {
    this.#checkOpen();
    return this.#core.tools.list();
  }

  async checkToolCall(call: ToolCall): Promise<Decision> {
    this.#checkOpen();
    const decision = this.#core.gate.decideToolCall(call);
    if (decision.outcome === "allow") return decision;
    const error = { code: `tool-${decision.outcome}`, message: decision.reason };
    const { rule } = decision;
    const subject = describeCall(call);
    await recordRefusal(this.#core.recorder, {
      what: "tool",
      subject,
      error,
      ...(rule !== undefined && { rule }),
    });
    return decision;
  }

  async askForDependencies(names?: readonly string[]): Promise<DependencyAnswer> {
    this.#checkOpen();
    const { dependencies, search } = this.#core;
    const answer = await dependencies.askFor(names);
    // What was given may have made skills usable.
    search.forget();
    return answer;
  }

  secretsFor(name: string): Readonly<Record<string, string>> {
    return this.#core.dependencies.valuesFor(name);
  }

  async observe(event: AgentEvent): Promise<readonly DetectedUse[]> {
    this.#checkOpen();
    return this.#core.outcomes.observe(event);
  }

  async outcome(said: SkillOutcome): Promise<void> {
    this.#checkOpen();
    const { skills, outcomes } = this.#core;
    await outcomes.say(said, (name) => skills.resolveForAnyone(name));
  }

  async compact({ budgetTokens = DEFAULT_COMPACT_TOKENS }: CompactOptions = {}): Promise<Compaction> {
    this.#checkOpen();
    const compaction = renderAfterCompaction(
      (tokens) => this.catalog({ budget: { tokens } }).text,
      await this.#core.activations.texts(),
      { budgetTokens },
    );
    const { kept, dropped } = compaction;
    await this.#core.recorder.append({ kind: "compaction", kept, dropped });
    this.#core.activations.keepOnly(new Set(kept));
    return compaction;
  }

  async endTurn(): Promise<void> {
    this.#core.gate.endTurn();
    this.#core.outcomes.endTurn();
    await this.#core.recorder.append({ kind: "turn-ended" });
    await this.writeArtefacts();
  }

  async writeArtefacts(): Promise<void> {
    await this.#core.writeArtefacts(this.#core.frozen.indexes);
  }

  fork(options: ForkOptions): Promise<ForkSession> {
    const { skills = [], profile } = options;
    const subject = [...skills, ...(profile === undefined ? [] : [`profile ${profile}`])].join(", ");
    return recordIfRefused(this.#core.recorder, { what: "fork", subject }, async () => {
      this.#checkOpen();
      const own = this.#core.skills;
      const named = skills.map((name) => own.resolve(name, "parent"));
      const listed = profile === undefined ? [] : own.usableOf(this.#core.profileSkills(profile));
      return this.#core.openFork(options, [...new Set([...named, ...listed])]);
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

/** A tool call on one line, whatever the host passes: not every value is JSON. */
function describeCall({ tool, input }: ToolCall): string {
  if (input === undefined) return tool;
  const text =
    typeof input === "string" ? input : inspect(input, { depth: 3, breakLength: Number.POSITIVE_INFINITY });
  return `${tool} ${text}`;
}
