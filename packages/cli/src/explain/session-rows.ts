import { type Diagnostic, narrowingOf, type PolicyMode, type Skill, type Skills } from "@skillet/core";

/** What a skill does in a session: which tools it narrows to, and which modes hide it from models. */
export interface SessionRows {
  readonly tools: {
    /** Rules as they were written; absent when the skill does not narrow. */
    readonly allowed?: readonly string[];
    readonly disallowed: readonly string[];
  };
  readonly modes: readonly ModeRow[];
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
  return {
    tools: {
      ...(allowed !== undefined && { allowed: allowed.map(({ text }) => text) }),
      disallowed: disallowed.map(({ text }) => text),
    },
    modes: await Promise.all(MODES.map((mode) => modeRow(skills, skill, mode))),
    diagnostics,
  };
}

async function modeRow(skills: Skills, skill: Skill, mode: PolicyMode): Promise<ModeRow> {
  const session = await skills.session({ mode, interactive: true });
  const reason = session.hiddenFrom(skill, "model");
  return reason === undefined ? { mode, outcome: "offered" } : { mode, outcome: "hidden", reason };
}
