import {
  narrowingOf,
  type PolicyMode,
  type Session,
  type Skill,
  type Skills,
  type Vetting,
} from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { ShownVerdict } from "../scan/known-verdicts.ts";

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
