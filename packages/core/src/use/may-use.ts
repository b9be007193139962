import type { Diagnostic } from "@skillet/kit/diagnostics";
import { fitsPaths } from "@skillet/kit/glob";
import { listFirst } from "@skillet/kit/text";
import { tokenCost } from "../catalog/catalog-budget.ts";
import type { HiddenSkill, ReportedSkill } from "../catalog/create-catalog.ts";
import type { PolicyMode, PolicySource } from "../config/config.ts";
import type { ConfigLayer } from "../config/config-layer.ts";
import { booleanOf } from "../format/field.ts";
import type { Manifest } from "../format/manifest.ts";
import { type Decision, decideActivation } from "../policy/decision.ts";
import type { Skill, SkillState } from "../registry/skill.ts";
import type { Vetting } from "../vetting/skill-vetter.ts";

/** The checks before a skill may be used, in this order. */
export type UseStep =
  | ("found" | "loaded" | "name" | "enabled" | "trusted")
  | ("scanned" | "available" | "invocation" | "policy" | "budget");

/** The result of one step. */
export interface UseReason {
  readonly step: UseStep;
  /** The code of the obstacle; absent if the skill passed. */
  readonly cause?: HiddenSkill["cause"];
  /** The outcome in a word or two, such as `no` or `model and user`. */
  readonly outcome: string;
  /** A clause for display, such as `only the user can invoke it`. */
  readonly reason: string;
}

/** A step that a skill does not pass. */
export interface UseObstacle extends UseReason {
  readonly cause: HiddenSkill["cause"];
}

/** Whether a skill may be used, and why. */
export interface SkillUse {
  /** Its state in the snapshot, or `withheld` if only its scan keeps it from being offered. */
  readonly state: SkillState | "withheld";
  /** The first objection; undefined if the skill may be used. */
  readonly obstacle: UseObstacle | undefined;
  /** The obstacle as a clause that stands alone, such as `it is disabled: …`. */
  readonly hidden: string | undefined;
  /** One per step, or one per objection if a step has several. */
  readonly reasons: readonly UseReason[];
}

export interface UseRules {
  readonly mode: PolicyMode;
  readonly interactive: boolean;
  readonly layers: readonly ConfigLayer[];
  /** Whether the host named the skill when it opened the session, which locked mode requires. */
  readonly isAllowed: (qualifiedName: string) => boolean;
  /** Whether the session was opened for the skill; default: every skill. */
  readonly isChosen?: ((qualifiedName: string) => boolean) | undefined;
  /** Ids of sources that locked mode does not use: roots outside the workspace. */
  readonly outside?: ReadonlySet<string> | undefined;
  /** Called in plan mode only. */
  readonly hasScripts: (skill: Skill) => boolean;
  /** If undefined, the `products` of skills are ignored. */
  readonly product: string | undefined;
}

export interface UseQuestion {
  /** Default: a model. */
  readonly source?: PolicySource;
  /** The caller used the full name, so it does not matter which skill has the bare name. */
  readonly byFullName?: boolean;
  /** How the skill's files compare with the trusted ones; see `skills.verifyTrust`. */
  readonly trust?: {
    readonly outcome: string;
    readonly reason: string;
    readonly isPlaced?: boolean;
    readonly isOwn?: boolean;
  };
  /** The skills that lost this name, and the skill's catalogue row; both affect the wording only. */
  readonly shadows?: readonly string[];
  readonly listed?: ReportedSkill["outcome"] | undefined;
  /** The scan of the skill's present content, if there was one; a session's own scan takes precedence. */
  readonly scan?: KnownScan | undefined;
}

/** What is known when a skill is asked for; facts that are left out are not checked. */
export interface UseFacts extends UseQuestion {
  /** The skill is from an earlier snapshot and missing from the current one. */
  readonly isGone?: boolean;
  /** A header that was read after discovery; default: the snapshot's. */
  readonly manifest?: Manifest;
  /** A fork has only the skills that its parent passed on and may still use itself. */
  readonly parent?:
    | { readonly skills: ReadonlySet<Skill>; readonly session?: UseRules & Pick<UseFacts, "parent"> }
    | undefined;
  /** The skill was given the variables that it lacks. */
  readonly isSatisfied?: boolean;
  readonly rules?: UseRules | undefined;
  /** Files in play, as path segments; if undefined, the `paths` of skills are ignored. */
  readonly files?: readonly (readonly string[])[] | undefined;
}

export interface KnownScan {
  readonly verdict: string;
  /** Absent if the skill is offered. */
  readonly withheld?: string | undefined;
  readonly diagnostics?: readonly Diagnostic[];
}

export function scanOf(vetting: Vetting | undefined): KnownScan | undefined {
  if (vetting === undefined) return undefined;
  const { outcome, verdict, reason = "it was not scanned", diagnostics } = vetting;
  return { verdict, withheld: outcome === "withhold" ? reason : undefined, diagnostics };
}

/** Answers "may this skill be used?" for catalogues, sessions and every command alike. */
export function mayUse(skill: Skill, facts: UseFacts = {}): SkillUse {
  const reasons = STEPS.flatMap(({ step, checks, passed }): readonly UseReason[] => {
    const against = checks.flatMap((check) => stopped(step, check(skill, facts)) ?? []);
    if (against.length > 0) return against;
    const [outcome, reason] = passed(skill, facts);
    return [{ step, outcome, reason }];
  });
  const obstacle = reasons.find(isObstacle);
  const hidden = obstacle && obstacleText(skill, obstacle);
  return { state: stateOf(skill, facts.scan), obstacle, hidden, reasons };
}

export function stateOf({ state }: Pick<Skill, "state">, scan: KnownScan | undefined): SkillUse["state"] {
  return state === "enabled" && scan?.withheld !== undefined ? "withheld" : state;
}

/** The first objection, without the wording of all other steps: this is called for 100,000 skills. */
export function findObstacle(skill: Skill, facts: UseFacts = {}): UseObstacle | undefined {
  for (const { step, checks } of STEPS)
    for (const check of checks) {
      const obstacle = check(skill, facts);
      if (obstacle !== undefined) return stopped(step, obstacle);
    }
  return undefined;
}

export function obstacleText({ state }: Skill, { cause, reason }: UseObstacle): string {
  return cause === "state" ? `it is ${state}: ${reason}` : reason;
}

export function isObstacle(reason: UseReason): reason is UseObstacle {
  return reason.cause !== undefined;
}

type Obstacle = Omit<UseObstacle, "step" | "outcome"> & Partial<Pick<UseObstacle, "outcome">>;

type Check = (skill: Skill, facts: UseFacts) => Obstacle | undefined;

interface Step {
  readonly step: UseStep;
  readonly checks: readonly Check[];
  /** Outcome and reason if no check objects. */
  readonly passed: (skill: Skill, facts: UseFacts) => readonly [outcome: string, reason: string];
}

function stopped(step: UseStep, obstacle: Obstacle | undefined): UseObstacle | undefined {
  return obstacle && { step, outcome: "no", ...obstacle };
}

const STEPS: readonly Step[] = [
  {
    step: "found",
    checks: [checkFound],
    passed: ({ scope }) => ["yes", `among the ${scope} skills`],
  },
  { step: "loaded", checks: [], passed: describeLoading },
  {
    step: "name",
    checks: [checkName],
    passed: ({ name, qualifiedName, plugin }, { shadows = [] }) => {
      if (shadows.length > 0) return ["kept", `it comes before ${shadows.join(", ")}`];
      if (plugin !== undefined || qualifiedName === name) return ["kept", "no other skill has it"];
      return ["qualified", `it goes by ${qualifiedName}, because another skill uses the short name`];
    },
  },
  {
    step: "enabled",
    checks: [({ state, reason = "disabled in the config" }) => inState(state === "disabled", reason)],
    passed: () => ["yes", "no config disables it"],
  },
  { step: "trusted", checks: [checkTrusted], passed: describeTrust },
  { step: "scanned", checks: [checkScan], passed: describeScan },
  {
    step: "available",
    checks: [checkAvailable],
    passed: () => ["yes", "nothing it needs is missing"],
  },
  {
    step: "invocation",
    checks: [checkInvocation, checkProduct, checkPaths],
    passed: ({ manifest: { invocation }, diagnostics }) => [
      invocation.model ? (invocation.user ? "model and user" : "model only") : "user only",
      diagnostics.some(({ code }) => code === "missing-frontmatter")
        ? "it has no header that says otherwise"
        : "as its header says",
    ],
  },
  { step: "policy", checks: [checkRules, checkPlanMode], passed: describePolicy },
  {
    step: "budget",
    checks: [],
    passed: (skill, { listed = "not measured" }) => [
      listed,
      listed === "shown"
        ? "it fits the catalogue's budget"
        : `about ${tokenCost(skill).catalog} tokens in the catalogue at full length`,
    ],
  },
];

function inState(holds: boolean, reason: string, outcome = "no"): Obstacle | undefined {
  return holds ? { cause: "state", reason, outcome } : undefined;
}

function checkFound(skill: Skill, facts: UseFacts): Obstacle | undefined {
  const { isGone, parent, source = "model", rules: own } = facts;
  if (isGone === true) return { cause: "policy", reason: "it is no longer among the skills" };
  if (own?.isChosen?.(skill.qualifiedName) === false)
    return { cause: "policy", reason: "the session was opened for other skills" };
  if (parent === undefined) return undefined;
  if (!parent.skills.has(skill)) return { cause: "policy", reason: "the parent did not pass it on" };
  const { session: rules } = parent;
  const asked = { rules, parent: rules?.parent, source: "parent" } as const;
  const lost = checkFound(skill, asked) ?? checkRules(skill, asked) ?? checkPlanMode(skill, asked);
  if (lost !== undefined || source === "model" || source === "parent") return lost;
  return { cause: "policy", reason: "a fork takes skills from its parent and its model only" };
}

function describeLoading({ diagnostics }: Skill): readonly [string, string] {
  // A name conflict is reported in the next step.
  const warnings = diagnostics.filter(
    ({ severity, code }) => severity === "warning" && code !== "name-conflict",
  ).length;
  if (warnings === 0) return ["yes", "the header was understood"];
  return ["yes", `with ${warnings} ${warnings === 1 ? "warning" : "warnings"}`];
}

function checkName(skill: Skill, { byFullName = false }: UseFacts): Obstacle | undefined {
  const { state, reason = `${skill.shadowedBy} has the name` } = skill;
  return inState(state === "shadowed" && !byFullName, reason, "shadowed");
}

function checkTrusted({ state, reason }: Skill, { trust }: UseFacts): Obstacle | undefined {
  if (state === "untrusted") return { cause: "state", reason: reason ?? "its folder is not trusted" };
  return trust?.outcome === "untrusted" ? { cause: "state", reason: trust.reason } : undefined;
}

function describeTrust({ scope }: Skill, { trust }: UseFacts): readonly [string, string] {
  if (trust === undefined || trust.outcome === "unneeded") return ["yes", `${scope} skills need no trust`];
  if (trust.isOwn === true) return ["yes", trust.reason];
  const but = trust.outcome === "unchanged" ? "" : `, but ${trust.reason}`;
  return [
    trust.outcome === "changed" ? "changed" : "yes",
    `${trust.isPlaced === true ? "you put it there" : "the project's folder is trusted"}${but}`,
  ];
}

function checkScan(_: Skill, { scan }: UseFacts): Obstacle | undefined {
  if (scan?.withheld === undefined) return undefined;
  return { cause: "verdict", outcome: scan.verdict, reason: scan.withheld };
}

function describeScan({ scope, path }: Skill, { scan }: UseFacts): readonly [string, string] {
  if (scope === "bundled") return ["no", "bundled skills are part of Skillet"];
  if (scan === undefined && path.startsWith("mcp://"))
    return ["no", "its files are fetched and scanned when it is loaded"];
  if (scan === undefined) return ["no", "sessions scan only skills that they could offer"];
  const note = scan.diagnostics?.find(({ code }) => code.startsWith("scan-"))?.message;
  return [scan.verdict, note === undefined ? "no findings" : asClause(note)];
}

function asClause(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, "")}`;
}

function checkAvailable({ state, missing, reason }: Skill, facts: UseFacts): Obstacle | undefined {
  if (facts.isSatisfied === true || (state !== "unavailable" && missing.length === 0)) return undefined;
  const lacking = missing.map(({ message }) => message).join("; ");
  return { cause: "state", reason: lacking === "" ? (reason ?? "something it needs is missing") : lacking };
}

// Preloads and parents act for the operator: invocation, paths and product do not bind them; the mode does.
function isOperator({ source }: UseFacts): boolean {
  return source === "preload" || source === "parent";
}

function checkInvocation(skill: Skill, facts: UseFacts): Obstacle | undefined {
  const { model, user } = (facts.manifest ?? skill.manifest).invocation;
  if (isOperator(facts) || (facts.source === "user" ? user : model)) return undefined;
  const outcome = user ? "user only" : model ? "model only" : "no one";
  const forModels = user ? "only the user can invoke it" : "neither models nor the user can invoke it";
  const reason = facts.source === "user" ? "the user cannot invoke it" : forModels;
  return { cause: "invocation", outcome, reason };
}

function checkProduct(skill: Skill, facts: UseFacts): Obstacle | undefined {
  const product = facts.rules?.product;
  const { products } = (facts.manifest ?? skill.manifest).invocation;
  if (product === undefined || products.length === 0 || isOperator(facts)) return undefined;
  if (products.some((name) => name.toLowerCase() === product.toLowerCase())) return undefined;
  return { cause: "product", reason: `it is for ${listFirst(products, MAX_LISTED)} and not for ${product}` };
}

// A user knows what to ask for, so the files in play do not limit a user.
function checkPaths(skill: Skill, facts: UseFacts): Obstacle | undefined {
  const { files, source = "model" } = facts;
  if (files === undefined || source !== "model") return undefined;
  const { paths } = (facts.manifest ?? skill.manifest).invocation;
  const fits = paths.length === 0 || fitsPaths(paths, files);
  if (fits === true) return undefined;
  const reason =
    fits === "too-complex"
      ? "its paths are too many or too long to compare"
      : `no file in play fits its paths: ${listFirst(paths, MAX_LISTED)}`;
  return { cause: "paths", reason };
}

const MAX_LISTED = 3;

/** What the rules and the mode decide about loading the skill. */
export function decideUse(skill: Skill, rules: UseRules, source: PolicySource = "model"): Decision {
  const { mode, interactive, layers } = rules;
  const named = rules.isAllowed(skill.qualifiedName);
  return decideActivation({ skill, source, mode, interactive, layers, named });
}

function checkRules(skill: Skill, facts: UseFacts): Obstacle | undefined {
  const { mode, outside } = facts.rules ?? {};
  if (mode === "locked" && outside?.has(skill.source.id) === true)
    return {
      cause: "locked-mode",
      reason: "its root is outside the workspace, and locked mode uses none of those",
    };
  const decision = facts.rules && decideUse(skill, facts.rules, facts.source);
  if (decision?.outcome !== "deny") return undefined;
  const isLocked = facts.rules?.mode === "locked" && decision.rule === undefined;
  return { cause: isLocked ? "locked-mode" : "policy", reason: decision.reason };
}

function checkPlanMode(skill: Skill, { rules, manifest = skill.manifest }: UseFacts): Obstacle | undefined {
  if (rules?.mode !== "plan") return undefined;
  const why = whyMutates(manifest, () => rules.hasScripts(skill));
  return why === undefined
    ? undefined
    : { cause: "plan-mode", reason: `nothing is changed in plan mode, and ${why}` };
}

function describePolicy(skill: Skill, facts: UseFacts): readonly [string, string] {
  const decision = facts.rules && decideUse(skill, facts.rules, facts.source);
  if (decision === undefined) return ["yes", "no rule was asked"];
  return [decision.outcome === "ask" ? "asks" : "yes", decision.reason];
}

/**
 * Why plan mode hides a skill: it declares that it changes things, asks for tools that write or run commands,
 * or has scripts. Undefined if none of these is true.
 */
function whyMutates({ metadata, tools }: Manifest, hasScripts: () => boolean): string | undefined {
  const declared = booleanOf(Object.hasOwn(metadata, "mutates") ? metadata.mutates : undefined);
  if (declared !== undefined) return declared ? "it says that it changes things" : undefined;
  const tool = tools.allowed.find(isMutatingTool);
  if (tool !== undefined) return `it asks for the tool ${tool}`;
  return hasScripts() ? "it has scripts" : undefined;
}

// Hosts name their tools freely and MCP servers add their own, so telling words in the name decide.
const MUTATING_WORDS: ReadonlySet<string> = new Set(
  (
    "bash sh zsh shell powershell pwsh cmd terminal command exec execute run script " +
    "write edit multiedit patch replace insert append create update delete remove move rename upload push deploy"
  ).split(" "),
);

/** It keeps a list for the model and touches nothing else. */
const HARMLESS_TOOL = "TodoWrite";

// A wildcard may match a tool that writes.
function isMutatingTool(tool: string): boolean {
  const name = tool.split("(", 1)[0] ?? "";
  if (name === HARMLESS_TOOL) return false;
  if (name.includes("*")) return true;
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.split(/[^a-z0-9]+/).some((word) => MUTATING_WORDS.has(word));
}
