import type { Skill } from "../registry/skill.ts";

/** The values of `${NAME}` and `{baseDir}` in a skill's text, in every dialect's spelling. */
export function sessionVariables(
  skill: Skill,
  session: { readonly runId: string; readonly projectDirectory: string | undefined },
): Readonly<Record<string, string | undefined>> {
  const { directory } = skill;
  return {
    CLAUDE_SKILL_DIR: directory,
    HERMES_SKILL_DIR: directory,
    SKILL_DIR: directory,
    baseDir: directory,
    CLAUDE_SESSION_ID: session.runId,
    HERMES_SESSION_ID: session.runId,
    CLAUDE_PROJECT_DIR: session.projectDirectory,
    CLAUDE_PLUGIN_ROOT: skill.plugin === undefined ? undefined : directory,
  };
}
