import type { Decision } from "../../policy/decision.ts";
import type { Skill } from "../../registry/skill.ts";
import type { SelectedSkill, SelectOptions } from "../../selection.ts";
import type { Vetting } from "../../vetting/skill-vetter.ts";
import { insideOf } from "../create-session.ts";
import type { ScriptTarget } from "../script-runner.ts";
import { selectSkills } from "../search/session-search.ts";
import type { ActivationSource, Session } from "../session.ts";
import { presentSkill } from "../skill-access.ts";
import { usableSkills } from "../skill-view.ts";
import { checkOpen, type SessionState } from "../state.ts";
import { decideScript } from "../tool-rules.ts";

function stateOf(session: Session): SessionState {
  const state = insideOf(session);
  checkOpen(state);
  return state;
}

export function usableIn(session: Session, source: ActivationSource = "model"): readonly Skill[] {
  return usableSkills(stateOf(session), source);
}

export async function selectIn(
  session: Session,
  message: string,
  options: SelectOptions = {},
): Promise<readonly SelectedSkill[]> {
  return selectSkills(stateOf(session), message, options);
}

export function vettingIn(session: Session, skill: Skill): Vetting | undefined {
  const state = stateOf(session);
  return state.vetted.get(presentSkill(state, skill) ?? skill);
}

/** The decision about a script before the user is asked, and its target on the operator's list, if any. */
export function decideScriptIn(
  session: Session,
  given: Skill,
  path: string,
): Decision & { readonly target?: ScriptTarget } {
  const state = stateOf(session);
  const skill = presentSkill(state, given) ?? given;
  const target = state.runner && state.allowlist.targetOf(skill, path);
  return { ...decideScript(state, skill, path), ...(target !== undefined && { target }) };
}

/** The scripts that may run, `skill:scripts/path`. */
export function scriptsIn(session: Session): readonly string[] {
  const { runner, allowlist } = stateOf(session);
  return runner === undefined ? [] : [...allowlist.written("sandbox"), ...allowlist.written("host")];
}
