import type { Diagnostic } from "@skillet/kit/diagnostics";
import {
  createAllowList,
  createObstacles,
  type HiddenSkill,
  type Obstacle,
} from "../catalog/visible-skills.ts";
import type { PolicyMode } from "../config/config.ts";
import type { ConfigLayer } from "../config/config-layer.ts";
import type { ToolRule } from "../config/tool-rule/tool-rule.ts";
import { SCRIPT_TOOL } from "../config/tool-rule/tool-rule.ts";
import type { Manifest } from "../format/manifest.ts";
import { checkSubject, checkToolCall, type ToolCall } from "../policy/check-tool-call.ts";
import { type Decision, decideActivation } from "../policy/decision.ts";
import { type Narrowing, narrowingOf } from "../policy/narrowing.ts";
import type { Skill } from "../registry/skill.ts";
import type { ParentSession } from "./open-fork.ts";
import type { ActivationSource, SessionOptions } from "./session.ts";
import type { SessionSecrets } from "./session-secrets.ts";
import type { SessionVetting } from "./session-vetting.ts";

export interface GateParts {
  readonly mode: PolicyMode;
  readonly interactive: boolean;
  readonly layers: readonly ConfigLayer[];
  readonly userHome: string;
  readonly options: SessionOptions;
  /** What may be used in locked mode: names and patterns. */
  readonly allowed: readonly string[];
  readonly secrets: SessionSecrets;
  readonly vetting: SessionVetting;
  /** For plan mode: the skills that bring scripts. */
  readonly scripted: ReadonlySet<Skill> | undefined;
  readonly parent: ParentSession | undefined;
}

/** Everything that decides in a session: who sees which skill, what may be loaded, what may be done. */
export class SessionGate {
  readonly #parts: GateParts;
  readonly #isAllowed: (qualifiedName: string) => boolean;
  readonly #obstacles: Readonly<Record<"model" | "user", (skill: Skill) => readonly Obstacle[]>>;
  #turn: Narrowing[] = [];
  readonly #activated = new Map<string, Narrowing>();

  constructor(parts: GateParts) {
    this.#parts = parts;
    this.#isAllowed = createAllowList(parts.allowed);
    this.#obstacles = { model: this.#createObstacles("model"), user: this.#createObstacles("user") };
  }

  /**
   * Why a skill is not to be had by a source, or undefined when it is.
   *
   * A skill whose bare name another one took can be had by its full name, which leaves no doubt.
   */
  hiddenFrom(
    skill: Skill,
    source: ActivationSource,
    { byFullName = false }: { readonly byFullName?: boolean } = {},
  ): string | undefined {
    const { parent } = this.#parts;
    if (!this.passesOn(skill)) return "the parent did not pass it on";
    if (parent !== undefined && source !== "model" && source !== "parent")
      return "a fork takes skills from its parent and its model only";
    if (!this.#isUsable(skill, byFullName))
      return skill.reason === undefined ? `it is ${skill.state}` : `it is ${skill.state}: ${skill.reason}`;
    const withheld = this.#parts.vetting.withheld(skill);
    if (withheld !== undefined) return withheld;
    const { outcome, reason } = this.decideActivation(skill, source);
    return outcome === "deny" ? reason : this.obstacles(skill, source)[0]?.reason;
  }

  passesOn(skill: Skill): boolean {
    return this.#parts.parent === undefined || this.#parts.parent.skills.has(skill);
  }

  /** What a catalogue's report says about a skill that a model cannot have; nothing about one that it can. */
  describeHidden(skill: Skill): readonly HiddenSkill[] {
    const reason = this.hiddenFrom(skill, "model");
    if (reason === undefined) return [];
    const obstacle = this.obstacles(skill, "model").find((one) => one.reason === reason);
    const other = this.#parts.vetting.withheld(skill) === reason ? "verdict" : "policy";
    return [{ skill, cause: obstacle?.cause ?? (this.#isUsable(skill, false) ? other : "state"), reason }];
  }

  isForUsers(skill: Skill): boolean {
    const [only, another] = this.obstacles(skill, "model");
    const isOnlyThat = only?.cause === "invocation" && another === undefined;
    return (
      isOnlyThat &&
      this.hiddenFrom(skill, "user") === undefined &&
      this.decideActivation(skill, "model").outcome !== "deny"
    );
  }

  obstacles(skill: Skill, source: ActivationSource): readonly Obstacle[] {
    if (source === "model" || source === "user") return this.#obstacles[source](skill);
    // Preloads and parents are operators: who invokes a skill, on what and for whom does not bind them; a mode does.
    return this.#obstacles.model(skill).filter(({ cause }) => cause === "plan-mode");
  }

  decideActivation(skill: Skill, source: ActivationSource): Decision {
    const { mode, interactive, layers } = this.#parts;
    const named = this.#isAllowed(skill.qualifiedName);
    return decideActivation({ skill, source, mode, interactive, layers, named });
  }

  decideToolCall(call: ToolCall): Decision {
    return checkToolCall(call, { ...this.#check(), narrowing: this.narrowing() });
  }

  /**
   * Whether a skill may run a command for dynamic context: its origin is let, a rule of the configuration allows the
   * command, and nothing else objects. What the skill itself says only narrows, and nobody is asked.
   */
  decideCommand(skill: Skill, manifest: Manifest, command: string, source: ActivationSource): Decision {
    const { options, mode } = this.#parts;
    const deny = (reason: string): Decision => ({ outcome: "deny", reason });
    if (options.dynamicContext?.includes(skill.origin) !== true)
      return deny(`skills of the origin ${skill.origin} may not run commands here`);
    if (mode !== "default") return deny(`no command is run in ${mode} mode`);
    const shell = manifest.execution.shell ?? "bash";
    if (!JUDGED_SHELLS.has(shell)) return deny(`commands for ${JSON.stringify(shell)} cannot be judged`);
    const call = { tool: "Bash", input: command };
    const byRules = checkToolCall(call, { ...this.#check(), narrowing: [] });
    if (byRules.outcome !== "allow") return { ...byRules, outcome: "deny" };
    if (byRules.rule === undefined) return deny("no rule of the configuration allows it");
    const own = this.#narrowingOf(skill, manifest, source).narrowing;
    // What other active skills forbid holds here too; what they allow is no business of this one.
    const forbidden = this.#turn.map(({ allowed: _allowed, ...rest }) => [rest]);
    const narrowing = [...this.#outer(), [own], ...forbidden];
    const narrowed = checkToolCall(call, { ...this.#check(), narrowing });
    return narrowed.outcome === "allow" ? byRules : { ...narrowed, outcome: "deny" };
  }

  /**
   * Whether a script of an activated skill may run, once it is on the operator's list; `own` are all names that mean it
   * alone, `shared` those by which a rule may mean another one too.
   *
   * A skill's `allowed-tools` need not cover its own scripts: they are what it was loaded for. Whatever else narrows does.
   */
  decideScript(
    skill: Skill,
    names: { readonly own: readonly [string, ...string[]]; readonly shared: readonly string[] },
  ): Decision {
    if (this.#parts.mode === "plan") return { outcome: "deny", reason: "no script is run in plan mode" };
    const [value, ...aliases] = names.own;
    const { shared } = names;
    const isOwn = ({ by, skill: owner }: Narrowing): boolean =>
      owner !== undefined && by === skill.qualifiedName;
    const levels = this.narrowing().map((level) =>
      level.map((one) => (isOwn(one) ? { ...one, allowed: [...(one.allowed ?? []), OWN_SCRIPTS] } : one)),
    );
    const narrowing = this.#turn.some(isOwn) ? levels : [...levels, [this.#ofEarlierTurn(skill)]];
    const subject = { tool: SCRIPT_TOOL, kind: "value", value, aliases, shared } as const;
    return checkSubject(subject, { ...this.#check(), narrowing });
  }

  /** What is known of a skill that was activated in an earlier turn; it narrows nothing but its own scripts. */
  remember(skill: Skill, source: ActivationSource): void {
    this.#activated.set(skill.qualifiedName, this.#narrowingOf(skill, skill.manifest, source).narrowing);
  }

  /** From now to the end of the turn, the skill's own rules for tools hold. */
  narrow(skill: Skill, manifest: Manifest, source: ActivationSource): readonly Diagnostic[] {
    const { narrowing, diagnostics } = this.#narrowingOf(skill, manifest, source);
    this.#activated.set(narrowing.by, narrowing);
    this.#turn = [...this.#turn.filter(({ by }) => by !== narrowing.by), narrowing];
    return diagnostics;
  }

  /** What was narrowed in the turn holds no longer; in a fork it holds to its end. */
  endTurn(): void {
    if (this.#parts.parent === undefined) this.#turn = [];
  }

  narrowing(): readonly (readonly Narrowing[])[] {
    return [...this.#outer(), this.#turn];
  }

  #isUsable(skill: Skill, byFullName: boolean): boolean {
    if (skill.state === "enabled" || this.#parts.secrets.satisfies(skill)) return true;
    return byFullName && skill.state === "shadowed" && skill.missing.length === 0;
  }

  // It covers nothing any more, but what it disallows, and rules about it, hold for its scripts.
  #ofEarlierTurn(skill: Skill): Narrowing {
    const source = skill.manifest.invocation.user ? "user" : "model";
    const known = this.#activated.get(skill.qualifiedName);
    // Asked about before it is activated, it is judged by what it would bring.
    const own = known ?? this.#narrowingOf(skill, skill.manifest, source).narrowing;
    const { allowed: _allowed, ...rest } = own;
    return rest;
  }

  #outer(): readonly (readonly Narrowing[])[] {
    return this.#parts.parent?.narrowing ?? [];
  }

  #check(): Omit<Parameters<typeof checkToolCall>[1], "narrowing"> {
    const { mode, interactive, layers, userHome } = this.#parts;
    return { mode, interactive, layers, directories: { project: this.#project(), home: userHome } };
  }

  #narrowingOf(skill: Skill, manifest: Manifest, source: ActivationSource): ReturnType<typeof narrowingOf> {
    const { name, qualifiedName, scope, origin, directory, path } = skill;
    const seen = { name, qualifiedName, scope, origin, directory, path, manifest };
    return narrowingOf(seen, { source, project: this.#project(), home: this.#parts.userHome });
  }

  #project(): string {
    return this.#parts.options.projectDirectory ?? "/";
  }

  #createObstacles(viewer: "model" | "user"): (skill: Skill) => readonly Obstacle[] {
    const { mode, options, scripted } = this.#parts;
    return createObstacles({
      viewer,
      // Locked mode is decided with the rules, skill by skill.
      mode: mode === "plan" ? "plan" : "default",
      ...(scripted !== undefined && { hasScripts: (skill: Skill) => scripted.has(skill) }),
      ...(options.files !== undefined && { files: options.files }),
      ...(options.product !== undefined && { product: options.product }),
    });
  }
}

// Added to a skill's own rules when one of its own scripts is judged, and only then.
const OWN_SCRIPTS: ToolRule = {
  kind: "tool",
  text: "its own scripts",
  tool: { name: SCRIPT_TOOL, match: "exact" },
};

// The policy reads commands as these do.
const JUDGED_SHELLS: ReadonlySet<string> = new Set(["bash", "sh"]);
