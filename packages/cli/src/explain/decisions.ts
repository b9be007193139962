import {
  narrowingOf,
  type PolicyMode,
  type ScriptRunner,
  type Session,
  type Skill,
  type Skills,
  type SkillUse,
  type UseReason,
  type UseStep,
} from "@skillet/core";
import { decideScript, insideOf } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { CommandContext } from "../context/command-context.ts";
import { factsOf, vetShown, withTrust } from "../context/vet-shown.ts";
import { runCommandLine } from "../run/open-script-runner.ts";
import type { SkillFacts } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import { hang, moreInJson, stripControl } from "../ui/text.ts";

export interface Decision extends Omit<UseReason, "step"> {
  readonly what: UseStep | "offered";
}

export interface SessionRows {
  readonly decisions: readonly Decision[];
  readonly tools: {
    /** The rules as written; absent if the skill does not narrow tools. */
    readonly allowed?: readonly string[];
    readonly disallowed: readonly string[];
  };
  readonly modes: readonly ModeRow[];
  /** Absent for bundled skills, which are not scanned. */
  readonly known?: SkillFacts | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

interface ModeRow {
  readonly mode: PolicyMode;
  readonly outcome: "offered" | "hidden";
  readonly reason?: string;
}

const MODES: readonly PolicyMode[] = ["default", "plan", "locked"];

export async function sessionRows(
  context: CommandContext,
  skills: Skills,
  skill: Skill,
  shadowed: readonly Skill[],
): Promise<SessionRows> {
  const project = skills.project?.root ?? context.workspace;
  const { narrowing, diagnostics } = narrowingOf(skill, { source: "user", project });
  const { allowed, disallowed } = narrowing;
  const open = (mode: PolicyMode): Promise<Session> => skills.session({ mode, interactive: true });
  const session = await open("default");
  const vetting = insideOf(session).vetted.get(skill);
  const trust = await skills.reader.verifyTrust(skill);
  const listed = session.catalog().report.skills.find(({ name }) => name === skill.qualifiedName)?.outcome;
  // Sessions vet only skills that they could offer.
  const known = vetting
    ? await withTrust(skills, skill, factsOf(vetting))
    : (await vetShown(context, skills, [skill])).get(skill);
  const shadows = shadowed.map(({ qualifiedName }) => qualifiedName);
  const use = session.mayUse(skill, { shadows, trust, listed, scan: known });
  const others = await Promise.all(MODES.slice(1).map(open));
  return {
    decisions: decisions(use),
    tools: {
      ...(allowed !== undefined && { allowed: allowed.map(({ text }) => text) }),
      disallowed: disallowed.map(({ text }) => text),
    },
    modes: [session, ...others].map((one) => modeRow(one, skill)),
    known,
    diagnostics: [...diagnostics, ...(vetting?.diagnostics ?? [])],
  };
}

export function decisions({ reasons, obstacle }: SkillUse): readonly Decision[] {
  const steps = reasons.map(({ step, ...rest }): Decision => ({ what: step, ...rest }));
  const isSafe = reasons.some(({ step, outcome }) => step === "scanned" && outcome === "safe");
  const isChanged = reasons.some(({ step, outcome }) => step === "trusted" && outcome === "changed");
  const why = isChanged
    ? `though it changed since you trusted it, because the scan ${isSafe ? "calls it safe" : "does not withhold it"}`
    : "no step above stops it";
  return [
    ...steps,
    obstacle === undefined
      ? { what: "offered", outcome: "yes", reason: why }
      : { what: "offered", cause: obstacle.cause, outcome: "no", reason: obstacle.reason },
  ];
}

function modeRow(session: Session, skill: Skill): ModeRow {
  const { mode } = session;
  const { hidden: reason } = session.mayUse(skill);
  return reason === undefined ? { mode, outcome: "offered" } : { mode, outcome: "hidden", reason };
}

export interface ToolsetRow {
  readonly file: string;
  /** False for toolsets that only another system understands. */
  readonly supported: boolean;
  readonly tools: readonly ToolRow[];
  readonly diagnostics: readonly Diagnostic[];
}

interface ToolRow {
  readonly name: string;
  readonly script: string;
  readonly allowed: boolean;
  readonly reason: string;
  /** The command that runs it once, if only the missing allowlist entry prevents it. */
  readonly once?: string;
}

/** Compares a skill's toolsets with the config; a host may allow more or less. */
export async function toolsetRows(
  skills: Skills,
  skill: Skill,
  context: Pick<CommandContext, "skillsRoots" | "givenWorkspace">,
): Promise<readonly ToolsetRow[]> {
  const toolsets = await skills.reader.toolsets(skill);
  if (toolsets.length === 0) return [];
  const sessions = await openSessions(skills);
  return toolsets.map(({ file, isSupported, tools, diagnostics }) => ({
    file,
    supported: isSupported,
    tools: tools.map(({ name, script }) => ({ name, script, ...judge(script, skill, sessions, context) })),
    diagnostics,
  }));
}

interface Sessions {
  readonly plain: Session;
  readonly profiles: readonly (readonly [name: string, session: Session])[];
}

// Sessions only ask it about lists and rules; it never runs anything.
const NO_RUNNER: ScriptRunner = {
  allow: [],
  prepare: async () => ({
    status: "refused",
    code: "unknown",
    message: "Nothing is run to explain a skill.",
  }),
};

// Asks real sessions, so that the explanation matches what they do.
async function openSessions(skills: Skills): Promise<Sessions> {
  const open = (profile?: string): Promise<Session> =>
    skills.session({ interactive: true, runner: NO_RUNNER, ...(profile !== undefined && { profile }) });
  const names = Object.keys(skills.config.config.profiles);
  return {
    plain: await open(),
    profiles: await Promise.all(names.map(async (name) => [name, await open(name)] as const)),
  };
}

function judge(
  script: string,
  skill: Skill,
  { plain, profiles }: Sessions,
  context: Pick<CommandContext, "skillsRoots" | "givenWorkspace">,
): Omit<ToolRow, "name" | "script"> {
  const { outcome, reason, rule } = decideScript(insideOf(plain), skill, script);
  if (outcome === "deny")
    return { allowed: false, reason: rule === undefined ? reason : `${reason} (${rule})` };
  const question = outcome === "ask" ? "; a person is asked first" : "";
  const reasons = profiles.flatMap(([name, session]) => {
    const target = insideOf(session).allowlist.targetOf(skill, script);
    if (target === "host") return [`by the profile ${name}, on the host without a sandbox`];
    return target === undefined ? [] : [`by the profile ${name}`];
  });
  if (reasons.length > 0) return { allowed: true, reason: `${reasons.join("; ")}${question}` };
  const { qualifiedName: name } = skill;
  const reference = `${name}:${script}`;
  const once = { name, path: script, args: [], allow: [reference] };
  return {
    allowed: false,
    reason: `no profile lists ${reference} under scripts`,
    once: runCommandLine({ ...context, json: false }, once),
  };
}

const MAX_LINES = 8;
// Eight files with 32 tools each are possible; `--json` lists them all.
const MAX_TOOLS = 30;

export function toolsetSection(toolsets: readonly ToolsetRow[], layout: Layout): string[] {
  if (toolsets.length === 0) return [];
  const { colours } = layout;
  let room = MAX_TOOLS;
  let rest = 0;
  const shown = toolsets.flatMap(({ file, supported, tools }) => {
    const listed = tools.slice(0, room);
    room -= listed.length;
    rest += tools.length - listed.length;
    return [
      ...hang(`${file}${supported ? "" : ": not supported here"}`, layout, {
        indent: 2,
        maxLines: MAX_LINES,
      }),
      ...listed.flatMap((tool) => toolLines(tool, layout)),
    ];
  });
  return [colours.bold("Declared tools"), ...shown, ...(rest > 0 ? [moreInJson(layout)(rest)] : [])];
}

function toolLines({ name, script, allowed, reason, once }: ToolRow, layout: Layout): string[] {
  const { dim, green, red } = layout.colours;
  const lead = `    ${allowed ? green("✓") : red("✗")} `;
  const verdict = `${allowed ? "allowed" : "not allowed"}: ${reason}`;
  return [
    ...hang(`${name}: ${script}`, layout, { indent: 6, lead, maxLines: MAX_LINES }),
    ...hang(verdict, layout, { indent: 6, maxLines: MAX_LINES }).map(dim),
    // A command stays on one line, so that it can be copied.
    ...(once === undefined ? [] : [dim("      for one run:"), `        ${stripControl(once)}`]),
  ];
}
