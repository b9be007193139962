import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { callInvalid } from "@skillet/kit/errors";
import { isJsonObject } from "@skillet/kit/json";

/** Those options of `query` that are looked at or added to; all others are passed on as they are. */
export interface ClaudeHostOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly plugins?: readonly { readonly type: "local"; readonly path: string }[] | undefined;
  readonly skills?: readonly string[] | "all" | undefined;
  readonly agents?: Readonly<Record<string, { readonly skills?: readonly string[] | undefined }>> | undefined;
  /** Default: none, so that no settings, hooks or skills of the machine take part. */
  readonly settingSources?: readonly ("user" | "project" | "local")[] | undefined;
  /** As an object: the switches that keep skills from running commands are added to it. */
  readonly settings?: string | object | undefined;
  readonly hooks?: object | undefined;
  readonly mcpServers?: object | undefined;
  /** Asked where a rule asks and the session was opened with `interactive: true` and without `ask`. */
  readonly canUseTool?: ((tool: string, input: never, options: never) => Promise<unknown>) | undefined;
}

/** The first skills that Claude Code would load by itself, past trust, scan and policy. */
export function findNativeSkills(given: ClaudeHostOptions): string | undefined {
  const { cwd = process.cwd(), env = process.env, plugins = [], skills, agents = {} } = given;
  const { settingSources = [] } = given;
  if (skills === "all" || (skills !== undefined && skills.length > 0)) return "The option skills";
  for (const [name, agent] of Object.entries(agents))
    if ((agent.skills?.length ?? 0) > 0) return `The option agents.${name}.skills`;
  for (const { path } of plugins)
    if (existsSync(resolve(cwd, path, "skills"))) return `The plugin ${path}, which has skills,`;
  if (settingSources.includes("user")) {
    const home = env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), ".claude");
    if (existsSync(join(home, "skills"))) return '"user" in settingSources, with skills,';
  }
  if (settingSources.includes("project"))
    for (let folder = resolve(cwd); ; folder = dirname(folder)) {
      if (existsSync(join(folder, ".claude/skills"))) return '"project" in settingSources, with skills,';
      if (dirname(folder) === folder) break;
    }
  return undefined;
}

/** Claude Code runs commands in the bodies of skills when it loads them, and ships skills of its own. */
export function settingsOf({ settings = {} }: ClaudeHostOptions): typeof SWITCHES {
  if (!isJsonObject(settings)) throw callInvalid("`settings`", "an object, because switches are added to it");
  return { ...settings, ...SWITCHES };
}

const SWITCHES = { disableSkillShellExecution: true, disableBundledSkills: true };
