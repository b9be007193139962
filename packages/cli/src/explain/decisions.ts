import {
  narrowingOf,
  type PolicyMode,
  type ScriptRunner,
  type Session,
  type Skill,
  type Skills,
  type Vetting,
} from "@skillet/core";
import { tokenCost } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { CommandContext } from "../context/command-context.ts";
import { runCommandLine } from "../run/open-script-runner.ts";
import { type ShownVerdict, skillWarnings } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, hang, stripControl } from "../ui/text.ts";

/** One step on the way to offering a skill, and how it came out. */
export interface Decision {
  readonly what: string;
  readonly outcome: string;
  readonly reason: string;
}

/** Why a skill is or is not offered, step by step in the order the steps are taken. */
export function decisions(
  skill: Skill,
  skills: Skills,
  facts: {
    readonly shadows: readonly string[];
    readonly trust: Trust;
    readonly vetting?: Vetting | undefined;
  },
): readonly Decision[] {
  return [
    step("found", "yes", `among the ${skill.scope} skills`),
    loaded(skill),
    name(skill, facts.shadows),
    enabled(skill),
    trusted(skill, skills, facts.trust),
    scanned(skill, facts.vetting),
    available(skill),
    invocation(skill),
    offered(skill, facts.vetting),
  ];
}

function step(what: string, outcome: string, reason: string): Decision {
  return { what, outcome, reason };
}

function loaded(skill: Skill): Decision {
  const warnings = skillWarnings(skill).length;
  return step(
    "loaded",
    "yes",
    warnings === 0 ? "the header was understood" : `with ${count(warnings, "warning")}`,
  );
}

function name({ shadowedBy, name: bare, qualifiedName }: Skill, shadows: readonly string[]): Decision {
  if (shadowedBy !== undefined)
    return step(
      "name",
      "shadowed",
      `${shadowedBy} took the name '${bare}'; this one is called ${qualifiedName}`,
    );
  const reason = shadows.length === 0 ? "no other skill has it" : `it comes before ${shadows.join(", ")}`;
  return step("name", "kept", reason);
}

function enabled({ state, reason }: Skill): Decision {
  return state === "disabled"
    ? step("enabled", "no", reason ?? "disabled in the config")
    : step("enabled", "yes", "no config disables it");
}

type Trust = Awaited<ReturnType<Skills["reader"]["verifyTrust"]>>;

function trusted(skill: Skill, skills: Skills, trust: Trust): Decision {
  const root = skills.snapshot.roots.find(({ sourceId }) => sourceId === skill.source.id);
  const isUntrusted = skill.state === "untrusted";
  if (isUntrusted || root?.trusted === false)
    return step(
      "trusted",
      "no",
      (isUntrusted ? skill.reason : undefined) ?? "nobody has trusted the project's folder yet",
    );
  if (trust.outcome === "unneeded") return step("trusted", "yes", `${skill.scope} skills need no trust`);
  const but = trust.outcome === "unchanged" ? "" : `, but ${trust.reason}`;
  return step("trusted", "yes", `the project's folder is trusted${but}`);
}

function scanned(skill: Skill, vetting: Vetting | undefined): Decision {
  if (skill.scope === "bundled") return step("scanned", "no", "bundled skills are part of Skillet");
  if (vetting === undefined) return step("scanned", "no", "only what could be offered is scanned by itself");
  const note = vetting.diagnostics.find(({ code }) => code.startsWith("scan-"))?.message;
  return step("scanned", vetting.verdict, vetting.reason ?? (note && asClause(note)) ?? "no findings");
}

function asClause(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, "")}`;
}

function available({ missing }: Skill): Decision {
  if (missing.length === 0) return step("available", "yes", "nothing it needs is missing");
  return step("available", "no", missing.map(({ message }) => message).join("; "));
}

function invocation({ manifest, kind }: Skill): Decision {
  const { model, user } = manifest.invocation;
  if (model) return step("invocation", user ? "model and user" : "model only", "as its header says");
  const reason = kind === "command" ? "it is a command" : "its header keeps models from loading it";
  return step("invocation", user ? "user only" : "nobody", reason);
}

function offered(skill: Skill, vetting: Vetting | undefined): Decision {
  const { state, reason = state, manifest } = skill;
  if (state !== "enabled") return step("offered", "no", reason);
  if (vetting?.outcome === "withhold") return step("offered", "no", "what the scan says keeps it back");
  if (!manifest.invocation.model) return step("offered", "no", "only a user can invoke it");
  return step("offered", "yes", `for about ${tokenCost(skill).catalog} tokens in the catalogue`);
}

/** What a skill does in a session: which tools it narrows to, and which modes hide it from models. */
export interface SessionRows {
  readonly tools: {
    /** Rules as they were written; absent when the skill does not narrow. */
    readonly allowed?: readonly string[];
    readonly disallowed: readonly string[];
  };
  readonly modes: readonly ModeRow[];
  /** What the scan said; absent for bundled skills, which are not scanned. */
  readonly vetting?: Vetting;
  readonly diagnostics: readonly Diagnostic[];
}

interface ModeRow {
  readonly mode: PolicyMode;
  readonly outcome: "offered" | "hidden";
  readonly reason?: string;
}

const MODES: readonly PolicyMode[] = ["default", "plan", "locked"];

export async function sessionRows(skills: Skills, skill: Skill, workspace: string): Promise<SessionRows> {
  const project = skills.project?.root ?? workspace;
  const { narrowing, diagnostics } = narrowingOf(skill, { source: "user", project });
  const { allowed, disallowed } = narrowing;
  const sessions = await Promise.all(MODES.map((mode) => skills.session({ mode, interactive: true })));
  const vetting = sessions[0]?.vetting(skill);
  return {
    tools: {
      ...(allowed !== undefined && { allowed: allowed.map(({ text }) => text) }),
      disallowed: disallowed.map(({ text }) => text),
    },
    modes: sessions.map((session) => modeRow(session, skill)),
    ...(vetting !== undefined && { vetting }),
    diagnostics: [...diagnostics, ...(vetting?.diagnostics ?? [])],
  };
}

export function shownVerdict({ vetting }: Pick<SessionRows, "vetting">): ShownVerdict | undefined {
  if (vetting === undefined) return undefined;
  const { verdict, reason, diagnostics } = vetting;
  const approved = diagnostics.some(({ code }) => code === "scan-approved");
  return { verdict, withheld: reason, ...(approved && { approved }) };
}

function modeRow(session: Session, skill: Skill): ModeRow {
  const { mode } = session;
  const reason = session.hiddenFrom(skill, "model");
  return reason === undefined ? { mode, outcome: "offered" } : { mode, outcome: "hidden", reason };
}

/** An entry of `toolsets` in a skill's header, and which of its tools a model could be given. */
export interface ToolsetRow {
  readonly file: string;
  /** False for what only another system understands. */
  readonly supported: boolean;
  readonly tools: readonly ToolRow[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A declared tool: whether some profile of the configuration lets its script run, and why or why not. */
interface ToolRow {
  readonly name: string;
  readonly script: string;
  readonly allowed: boolean;
  readonly reason: string;
  /** The command that lets it run one time, where nothing but a list stands against it. */
  readonly once?: string;
}

/** What a skill's toolsets declare, held against the configuration; a host may allow more or less. */
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

// Asked about lists and rules alone; it never gets anything to run.
const NO_RUNNER: ScriptRunner = {
  allow: [],
  prepare: async () => ({
    status: "refused",
    code: "unknown",
    message: "Nothing is run to explain a skill.",
  }),
};

// Sessions themselves are asked, so that what is said here is what they will do.
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
  const { outcome, reason, rule } = plain.decideScript(skill, script);
  if (outcome === "deny")
    return { allowed: false, reason: rule === undefined ? reason : `${reason} (${rule})` };
  const question = outcome === "ask" ? "; somebody is asked first" : "";
  const reasons = profiles.flatMap(([name, session]) => {
    const { target } = session.decideScript(skill, script);
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
// Eight files of 32 tools are possible; `--json` has them all.
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
  const more = rest > 0 ? [colours.dim(`  and ${rest} more: --json lists all`)] : [];
  return [colours.bold("Declared tools"), ...shown, ...more];
}

function toolLines({ name, script, allowed, reason, once }: ToolRow, layout: Layout): string[] {
  const { dim, green, red } = layout.colours;
  const lead = `    ${allowed ? green("✓") : red("✗")} `;
  const verdict = `${allowed ? "allowed" : "not allowed"}: ${reason}`;
  return [
    ...hang(`${name}: ${script}`, layout, { indent: 6, lead, maxLines: MAX_LINES }),
    ...hang(verdict, layout, { indent: 6, maxLines: MAX_LINES }).map(dim),
    // A command stays on one line, to be copied.
    ...(once === undefined ? [] : [dim("      for one run:"), `        ${stripControl(once)}`]),
  ];
}
