import type { Diagnostic } from "@skillet/kit/diagnostics";
import { policyNames } from "../config/policy-matcher.ts";
import { SCRIPT_TOOL, type ToolRule } from "../config/tool-rule/tool-rule.ts";
import type { Manifest } from "../format/manifest.ts";
import { checkSubject, checkToolCall, type ToolCall, type ToolCheck } from "../policy/check-tool-call.ts";
import type { Decision } from "../policy/decision.ts";
import { type Narrowing, type NarrowingReading, narrowingOf } from "../policy/narrowing.ts";
import type { Skill } from "../registry/skill.ts";
import { givenOptions } from "./model-input.ts";
import { showScript } from "./run/script-allowlist.ts";
import type { ActivationSource } from "./session.ts";
import type { SessionState } from "./state.ts";

/** Each served skill is a level of its own: its `allowed-tools` must not lift what a local skill narrows. */
export function narrowingLevels({ parent, turn, served }: SessionState): ToolCheck["narrowing"] {
  const own = turn.narrowing.filter(({ isServed }) => isServed !== true);
  const foreign = turn.narrowing.filter(({ isServed }) => isServed === true);
  return [...(parent?.narrowing ?? []), own, ...foreign.map((one) => [one]), [...served.values()]];
}

export function decideToolCall(
  session: SessionState,
  call: ToolCall,
  how: { readonly isHostTool?: boolean | undefined } = {},
): Decision {
  if (typeof givenOptions(call).tool !== "string")
    return { outcome: "deny", reason: "the call does not name a tool" };
  return checkToolCall(call, checkWith(session, levelsFor(session, call.tool, how)));
}

// The tools that give a model skills, each with checks of its own.
const GIVES_SKILLS: ReadonlySet<string> = new Set(["load_skill", "read_skill_resource", "search_skills"]);

/** A skill that lists its tools does not mean to remove the tools that skills need, nor the host's own. */
function levelsFor(
  session: SessionState,
  tool: string,
  {
    isHostTool = session.options.hostTools?.includes(tool) === true,
  }: { readonly isHostTool?: boolean | undefined },
): ToolCheck["narrowing"] {
  const levels = narrowingLevels(session);
  const isOfSkills = GIVES_SKILLS.has(tool);
  if (!isOfSkills && !isHostTool) return levels;
  // The tools that a fork was given are its parent's limit, for the host's tools too.
  return levels.map((level) =>
    level.map((one) => (isOfSkills || one.skill !== undefined ? withoutAllowed(one) : one)),
  );
}

function checkWith(session: SessionState, narrowing: ToolCheck["narrowing"]): ToolCheck {
  const { mode, interactive, layers, userHome: home } = session;
  return { mode, interactive, layers, directories: { project: projectOf(session), home }, narrowing };
}

function projectOf({ options }: SessionState): string {
  return options.projectDirectory ?? "/";
}

// The policy parses commands the way these shells do.
const JUDGED_SHELLS: ReadonlySet<string> = new Set(["bash", "sh"]);

/** Needs an allowed origin and a configured rule; the skill's own rules only narrow. Never asks the user. */
export function decideCommand(
  session: SessionState,
  skill: Skill,
  asked: { readonly manifest: Manifest; readonly source: ActivationSource; readonly command: string },
): Decision {
  const { options, mode, parent, turn, served } = session;
  const { manifest, source, command } = asked;
  const deny = (reason: string): Decision => ({ outcome: "deny", reason });
  if (options.dynamicContext?.includes(skill.origin) !== true)
    return deny(`skills of the origin ${skill.origin} may not run commands here`);
  if (mode !== "default") return deny(`no command is run in ${mode} mode`);
  const shell = manifest.execution.shell ?? "bash";
  if (!JUDGED_SHELLS.has(shell)) return deny(`commands for ${JSON.stringify(shell)} cannot be judged`);
  const call = { tool: "Bash", input: command };
  const byRules = checkToolCall(call, checkWith(session, []));
  if (byRules.outcome !== "allow") return { ...byRules, outcome: "deny" };
  if (byRules.rule === undefined) return deny("no rule of the configuration allows it");
  const own = readNarrowing(session, skill, manifest, source).narrowing;
  // The denials of other active skills hold here too; their permissions do not.
  const forbidden = turn.narrowing.map((one) => [withoutAllowed(one)]);
  const levels = [...(parent?.narrowing ?? []), [own], ...forbidden, [...served.values()]];
  const narrowed = checkToolCall(call, checkWith(session, levels));
  return narrowed.outcome === "allow" ? byRules : { ...narrowed, outcome: "deny" };
}

/** For scripts on the operator's list. `allowed-tools` need not cover them; all other narrowing applies. */
export function decideScript(session: SessionState, skill: Skill, path: string): Decision {
  if (session.mode === "plan") return { outcome: "deny", reason: "no script is run in plan mode" };
  const isOwn = ({ by, skill: owner }: Narrowing): boolean =>
    owner !== undefined && by === skill.qualifiedName;
  const levels = narrowingLevels(session).map((level) =>
    level.map((one) => (isOwn(one) ? { ...one, allowed: [...(one.allowed ?? []), OWN_SCRIPTS] } : one)),
  );
  const isOfThisTurn = session.turn.narrowing.some(isOwn);
  const narrowing = isOfThisTurn ? levels : [...levels, [narrowingOfEarlierTurn(session, skill)]];
  const toValue = (name: string): string => showScript({ skill: name, path });
  const [value, ...aliases] = session.allowlist.namesOf(skill).map(toValue);
  // Under its other names, a rule may mean another skill too: enough to deny or ask, not to allow.
  const shared = policyNames(skill).map(toValue);
  const subject = { tool: SCRIPT_TOOL, kind: "value", value: value ?? "", aliases, shared } as const;
  return checkSubject(subject, checkWith(session, narrowing));
}

// Added to a skill's own rules when one of its own scripts is judged, and only then.
export const OWN_SCRIPTS: ToolRule = {
  kind: "tool",
  text: "its own scripts",
  tool: { name: SCRIPT_TOOL, match: "exact" },
};

// Its `allowed-tools` no longer apply, but its `disallowed-tools` do for its own scripts. A skill that was
// never activated is judged by the rules that it would bring.
function narrowingOfEarlierTurn(session: SessionState, skill: Skill): Narrowing {
  const source = skill.manifest.invocation.user ? "user" : "model";
  const known = session.narrowings.get(skill.qualifiedName);
  return withoutAllowed(known ?? readNarrowing(session, skill, skill.manifest, source).narrowing);
}

function withoutAllowed({ allowed: _allowed, ...rest }: Narrowing): Narrowing {
  return rest;
}

export function narrowTurn(
  session: SessionState,
  skill: Skill,
  manifest: Manifest,
  source: ActivationSource,
): readonly Diagnostic[] {
  const { narrowing, diagnostics } = remember(session, readNarrowing(session, skill, manifest, source));
  session.turn.narrowing = [...session.turn.narrowing.filter(({ by }) => by !== narrowing.by), narrowing];
  return diagnostics;
}

/** Notes a skill that was activated in an earlier turn; it narrows only its own scripts. */
export function rememberNarrowing(session: SessionState, skill: Skill, source: ActivationSource): void {
  remember(session, readNarrowing(session, skill, skill.manifest, source));
}

function remember({ narrowings, served }: SessionState, reading: NarrowingReading): NarrowingReading {
  const { narrowing } = reading;
  narrowings.set(narrowing.by, narrowing);
  if (narrowing.isServed) served.set(narrowing.by, { ...withoutAllowed(narrowing), disallowed: [] });
  return reading;
}

function readNarrowing(
  session: SessionState,
  skill: Skill,
  manifest: Manifest,
  source: ActivationSource,
): NarrowingReading {
  const { name, qualifiedName, scope, origin, directory, path } = skill;
  const seen = { name, qualifiedName, scope, origin, directory, path, manifest };
  const isServed = session.reader.isRemote(skill);
  return narrowingOf(seen, { source, isServed, project: projectOf(session), home: session.userHome });
}
