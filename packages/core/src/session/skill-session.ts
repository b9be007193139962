import { inspect } from "node:util";
import type { Diagnostic } from "@skillet/kit/diagnostics";
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
import { activateSkill, activeTexts, adoptSkill } from "./activate/activate-skill.ts";
import { type AdoptedActivation, keepActive } from "./active-skills.ts";
import { cleanSummary, type ForkLink, type ForkOptions, type ForkSession, openFork } from "./open-fork.ts";
import { observe, recordOutcome, type SkillOutcome } from "./outcome/session-outcomes.ts";
import type { ResourceRead } from "./read/read-resource.ts";
import { listFiles, readFile } from "./read/skill-files.ts";
import { writeArtefacts } from "./records/artefacts.ts";
import { recordIfRefused, recordRefusal } from "./records/recorder.ts";
import type { RefusalRecord } from "./records/session-record.ts";
import {
  type Compaction,
  type CompactOptions,
  DEFAULT_COMPACT_TOKENS,
  renderAfterCompaction,
} from "./render-after-compaction.ts";
import { runScript } from "./run/run-script.ts";
import { scriptTarget } from "./run/script-allowlist.ts";
import type { RunOptions, ScriptRun, ScriptTarget } from "./script-runner.ts";
import { catalogFor, catalogOf } from "./search/catalog-for.ts";
import { type ResolvedMentions, resolveMentions } from "./search/resolve-mentions.ts";
import { decideSkills, selectSkills } from "./search/session-search.ts";
import { askForDependencies, secretsFor } from "./secrets.ts";
import type {
  ActivateOptions,
  Activation,
  ActivationSource,
  ConversationCatalogOptions,
  DependencyAnswer,
  Session,
  SessionCatalogOptions,
} from "./session.ts";
import { hiddenFrom, usableSkills } from "./skill-access.ts";
import { checkOpen, newTurn, type SessionState } from "./state.ts";
import { decideScript, decideToolCall } from "./tool-rules.ts";
import { listTools } from "./tools/session-tools.ts";
import type { SkillTool } from "./tools/skill-tool.ts";

/** The session of a host: its state, and the functions that work on it. */
export class SkillSession implements Session {
  readonly #state: SessionState;
  #loading: Promise<unknown> = Promise.resolve();

  constructor(state: SessionState) {
    this.#state = state;
  }

  get runId(): string {
    return this.#state.recorder.runId;
  }

  get mode(): PolicyMode {
    return this.#state.mode;
  }

  get interactive(): boolean {
    return this.#state.interactive;
  }

  get snapshot(): Snapshot {
    return this.#state.snapshot;
  }

  get scripts(): readonly string[] {
    const { runner, allowlist } = this.#state;
    if (runner === undefined) return [];
    return [...new Set([...allowlist.written("sandbox"), ...allowlist.written("host")])];
  }

  catalog(options: SessionCatalogOptions = {}): Catalog {
    return catalogOf(this.#state, options);
  }

  async catalogFor(
    conversation: readonly string[],
    options: ConversationCatalogOptions = {},
  ): Promise<Catalog> {
    return catalogFor(this.#open(), conversation, options);
  }

  async select(message: string, options: SelectOptions = {}): Promise<readonly SelectedSkill[]> {
    return selectSkills(this.#open(), message, options);
  }

  async decide(
    message: string,
    options: { readonly context?: SelectContext } = {},
  ): Promise<SelectionDecision> {
    return decideSkills(this.#open(), message, options);
  }

  usable(source: ActivationSource = "model"): readonly Skill[] {
    return usableSkills(this.#state, source);
  }

  hiddenFrom(skill: Skill, source: ActivationSource = "model"): string | undefined {
    return hiddenFrom(this.#state, skill, source);
  }

  vetting(skill: Skill): Vetting | undefined {
    return this.#state.vetted.get(skill);
  }

  mentions(message: string): ResolvedMentions {
    return resolveMentions(message, this.usable("user"));
  }

  // One at a time: two loads of the same text at once would both give it.
  activate(name: string, options: ActivateOptions = {}): Promise<Activation> {
    const next = this.#loading.then(() =>
      this.#recordIfRefused("activate", name, (state) => activateSkill(state, name, options)),
    );
    this.#loading = next.catch(() => undefined);
    return next;
  }

  /** Takes up a skill whose text an earlier run gave. */
  adopt(skill: Skill, adopted: AdoptedActivation): void {
    adoptSkill(this.#state, skill, adopted);
  }

  resources(name: string): Promise<readonly Resource[]> {
    return this.#recordIfRefused("resources", name, (state) => listFiles(state, name));
  }

  async read(
    name: string,
    path: string,
    options: { readonly maxBytes?: number } = {},
  ): Promise<ResourceRead> {
    return readFile(this.#open(), name, path, options.maxBytes);
  }

  scriptTarget(skill: Skill, path: string): ScriptTarget | undefined {
    return scriptTarget(this.#state, skill, path);
  }

  decideScript(skill: Skill, path: string): Decision {
    return decideScript(this.#state, skill, path);
  }

  async run(
    name: string,
    path: string,
    args: readonly string[] = [],
    options: RunOptions = {},
  ): Promise<ScriptRun> {
    return runScript(this.#open(), { name, path, args, options });
  }

  async tools(): Promise<readonly SkillTool[]> {
    return listTools(this.#open());
  }

  async checkToolCall(call: ToolCall): Promise<Decision> {
    const decision = decideToolCall(this.#open(), call);
    const { outcome, reason, rule } = decision;
    if (outcome !== "allow")
      await recordRefusal(this.#state.recorder, {
        what: "tool",
        subject: describeCall(call),
        error: { code: `tool-${outcome}`, message: reason },
        ...(rule !== undefined && { rule }),
      });
    return decision;
  }

  async askForDependencies(names?: readonly string[]): Promise<DependencyAnswer> {
    const state = this.#open();
    const answer = await askForDependencies(state, names);
    // What was given may have made skills usable.
    state.usable = undefined;
    state.named = undefined;
    return answer;
  }

  secretsFor(name: string): Readonly<Record<string, string>> {
    return secretsFor(this.#state, name);
  }

  async observe(event: AgentEvent): Promise<readonly DetectedUse[]> {
    return observe(this.#open(), event);
  }

  async outcome(said: SkillOutcome): Promise<void> {
    await recordOutcome(this.#open(), said);
  }

  async compact({ budgetTokens = DEFAULT_COMPACT_TOKENS }: CompactOptions = {}): Promise<Compaction> {
    const state = this.#open();
    const catalog = (tokens: number): string => this.catalog({ budget: { tokens } }).text;
    const compaction = renderAfterCompaction(catalog, await activeTexts(state), { budgetTokens });
    const { kept, dropped } = compaction;
    await state.recorder.append({ kind: "compaction", kept, dropped });
    keepActive(state, kept);
    return compaction;
  }

  async endTurn(): Promise<void> {
    const { parent, turn, recorder } = this.#state;
    // What was narrowed in the turn holds no longer; in a fork it holds to its end.
    this.#state.turn = newTurn(parent === undefined ? [] : turn.narrowing);
    await recorder.append({ kind: "turn-ended" });
    await this.writeArtefacts();
  }

  async writeArtefacts(): Promise<void> {
    const { recorder, snapshot, frozen } = this.#state;
    if (recorder.runFolder !== undefined)
      await writeArtefacts(recorder.runFolder, { snapshot, resources: frozen });
  }

  fork(options: ForkOptions): Promise<ForkSession> {
    const { skills = [], profile } = options;
    const subject = [...skills, ...(profile === undefined ? [] : [`profile ${profile}`])].join(", ");
    return this.#recordIfRefused("fork", subject, async (state) => {
      const { child, link } = await openFork(state, options);
      return new ForkedSession(child, link);
    });
  }

  protected async end(): Promise<void> {
    await this.endTurn();
    this.#state.hasEnded = true;
  }

  #open(): SessionState {
    checkOpen(this.#state);
    return this.#state;
  }

  #recordIfRefused<Result>(
    what: RefusalRecord["what"],
    subject: string,
    action: (state: SessionState) => Promise<Result>,
  ): Promise<Result> {
    return recordIfRefused(this.#state.recorder, { what, subject }, async () => action(this.#open()));
  }
}

class ForkedSession extends SkillSession implements ForkSession {
  readonly #link: ForkLink;

  constructor(state: SessionState, link: ForkLink) {
    super(state);
    this.#link = link;
  }

  get parentRunId(): string {
    return this.#link.parent.runId;
  }

  get context(): string | undefined {
    return this.#link.record.context;
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#link.diagnostics;
  }

  async finish(summary: string): Promise<string> {
    const { parent, record } = this.#link;
    const cleaned = cleanSummary(summary);
    await this.end();
    await parent.append({ ...record, event: "returned", summaryCharacters: cleaned.length });
    return cleaned;
  }
}

/** A tool call on one line, whatever the host passes: not every value is JSON. */
function describeCall({ tool, input }: ToolCall): string {
  if (input === undefined) return tool;
  const text =
    typeof input === "string" ? input : inspect(input, { depth: 3, breakLength: Number.POSITIVE_INFINITY });
  return `${tool} ${text}`;
}
