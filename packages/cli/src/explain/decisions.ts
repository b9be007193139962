import {
  narrowingOf,
  type PolicyMode,
  type Session,
  type Skill,
  type Skills,
  type Vetting,
} from "@skillet/core";
import { tokenCost } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type ShownVerdict, skillWarnings } from "../ui/skill-state.ts";
import { count } from "../ui/text.ts";

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
    { what: "found", outcome: "yes", reason: `among the ${skill.scope} skills` },
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

function loaded(skill: Skill): Decision {
  const warnings = skillWarnings(skill).length;
  const reason = warnings === 0 ? "the header was understood" : `with ${count(warnings, "warning")}`;
  return { what: "loaded", outcome: "yes", reason };
}

function name(skill: Skill, shadows: readonly string[]): Decision {
  if (skill.shadowedBy !== undefined) {
    return {
      what: "name",
      outcome: "shadowed",
      reason: `${skill.shadowedBy} took the name '${skill.name}'; this one is called ${skill.qualifiedName}`,
    };
  }
  const reason = shadows.length === 0 ? "no other skill has it" : `it comes before ${shadows.join(", ")}`;
  return { what: "name", outcome: "kept", reason };
}

function enabled(skill: Skill): Decision {
  if (skill.state === "disabled")
    return { what: "enabled", outcome: "no", reason: skill.reason ?? "disabled in the config" };
  return { what: "enabled", outcome: "yes", reason: "no config disables it" };
}

type Trust = Awaited<ReturnType<Skills["verifyTrust"]>>;

function trusted(skill: Skill, skills: Skills, trust: Trust): Decision {
  if (skill.state === "untrusted") {
    return {
      what: "trusted",
      outcome: "no",
      reason: skill.reason ?? "nobody has trusted the project's folder yet",
    };
  }
  const root = skills.snapshot.roots.find(({ sourceId }) => sourceId === skill.source.id);
  if (root?.trusted === false)
    return { what: "trusted", outcome: "no", reason: "nobody has trusted the project's folder yet" };
  if (trust.outcome === "unneeded")
    return { what: "trusted", outcome: "yes", reason: `${skill.scope} skills need no trust` };
  const isAsTrusted = trust.outcome === "unchanged";
  const reason = `the project's folder is trusted${isAsTrusted ? "" : `, but ${trust.reason}`}`;
  return { what: "trusted", outcome: "yes", reason };
}

function scanned(skill: Skill, vetting: Vetting | undefined): Decision {
  if (skill.scope === "bundled")
    return { what: "scanned", outcome: "no", reason: "bundled skills are part of Skillet" };
  if (vetting === undefined)
    return { what: "scanned", outcome: "no", reason: "only what could be offered is scanned by itself" };
  const note = vetting.diagnostics.find(({ code }) => code.startsWith("scan-"))?.message;
  const reason = vetting.reason ?? (note && asClause(note)) ?? "no findings";
  return { what: "scanned", outcome: vetting.verdict, reason };
}

function asClause(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, "")}`;
}

function available(skill: Skill): Decision {
  const missing = skill.missing.map(({ message }) => message);
  if (missing.length === 0)
    return { what: "available", outcome: "yes", reason: "nothing it needs is missing" };
  return { what: "available", outcome: "no", reason: missing.join("; ") };
}

function invocation(skill: Skill): Decision {
  const { model, user } = skill.manifest.invocation;
  if (model)
    return {
      what: "invocation",
      outcome: user ? "model and user" : "model only",
      reason: "as its header says",
    };
  const reason = skill.kind === "command" ? "it is a command" : "its header keeps models from loading it";
  return { what: "invocation", outcome: user ? "user only" : "nobody", reason };
}

function offered(skill: Skill, vetting: Vetting | undefined): Decision {
  if (skill.state !== "enabled")
    return { what: "offered", outcome: "no", reason: skill.reason ?? skill.state };
  if (vetting?.outcome === "withhold")
    return { what: "offered", outcome: "no", reason: "what the scan says keeps it back" };
  if (!skill.manifest.invocation.model)
    return { what: "offered", outcome: "no", reason: "only a user can invoke it" };
  return {
    what: "offered",
    outcome: "yes",
    reason: `for about ${tokenCost(skill).catalog} tokens in the catalogue`,
  };
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
  /** Rules that cannot be understood. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Whether models are told about a skill in a mode, and why not. */
interface ModeRow {
  readonly mode: PolicyMode;
  readonly outcome: "offered" | "hidden";
  readonly reason?: string;
}

const MODES: readonly PolicyMode[] = ["default", "plan", "locked"];

/** Asks sessions of every mode about a skill. */
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

/** What the scan said of the skill, as lists of skills show it. */
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
