import { existsSync, lstatSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { callInvalid } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { isJsonObject, parseJson, textsOf } from "@skillet/kit/json";

/** The options of `query` that are read or extended; all others are passed on unchanged. */
export interface ClaudeHostOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly plugins?: readonly { readonly type: "local"; readonly path: string }[] | undefined;
  readonly skills?: readonly string[] | "all" | undefined;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly agents?: Readonly<Record<string, { readonly skills?: readonly string[] | undefined }>> | undefined;
  /** Default: none, so that no settings, hooks or skills of the machine apply. */
  readonly settingSources?: readonly ("user" | "project" | "local")[] | undefined;
  /** As an object, since the switches that keep skills from running commands are added to it. */
  readonly settings?: string | object | undefined;
  readonly hooks?: object | undefined;
  readonly mcpServers?: object | undefined;
  /** Called if a rule asks and the session was opened with `interactive: true` and without `ask`. */
  readonly canUseTool?: ((tool: string, input: never, options: never) => Promise<unknown>) | undefined;
}

/** The first skills that Claude Code would load by itself, bypassing trust, scan and policy. */
export function findNativeSkills(given: ClaudeHostOptions): string | undefined {
  const { cwd = process.cwd(), env = process.env, plugins = [], skills, agents = {} } = given;
  const { settingSources = [] } = given;
  if (skills === "all" || (skills !== undefined && skills.length > 0)) return "The option skills";
  for (const [name, agent] of Object.entries(agents))
    if ((agent.skills?.length ?? 0) > 0) return `The option agents.${name}.skills`;
  for (const { path } of plugins)
    if (hasSkills(resolve(cwd, path))) return `The plugin ${path}, which has skills,`;
  const home = resolve(env.HOME || homedir());
  const settings = env.CLAUDE_CONFIG_DIR || join(home, ".claude");
  if (settingSources.includes("user") && existsSync(join(settings, "skills")))
    return '"user" in settingSources, with skills,';
  const folders = [...foldersAbove(resolve(cwd), home), ...(given.additionalDirectories ?? [])];
  const hasOwn = folders.some((folder) => existsSync(resolve(cwd, folder, ".claude/skills")));
  return settingSources.includes("project") && hasOwn
    ? '"project" in settingSources, with skills,'
    : undefined;
}

/** Looks in the manifest's list too, and for a plugin that is a single skill. */
function hasSkills(plugin: string): boolean {
  const manifest = parseJson(readText(join(plugin, ".claude-plugin/plugin.json")));
  const isListed = textsOf(manifest, "skills").length > 0;
  return isListed || ["skills", "SKILL.md"].some((name) => existsSync(join(plugin, name)));
}

const MAX_BYTES = 1024 * 1024;
const readText = (path: string): string =>
  new TextDecoder().decode(readBoundedFile(path, { maxBytes: MAX_BYTES }));
const WORKTREE = /^gitdir: (.+)[\\/]\.git[\\/]worktrees[\\/]/;

/** Climbs like Claude Code: to the repository root (of a worktree: both), never into the user's home. */
function foldersAbove(start: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = start; folder !== home && !folders.includes(folder); folder = dirname(folder)) {
    folders.push(folder);
    const git = lstatSync(join(folder, ".git"), { throwIfNoEntry: false });
    if (git === undefined) continue;
    const [, main] = (git.isFile() && WORKTREE.exec(readText(join(folder, ".git")))) || [];
    return main === undefined ? folders : [...folders, resolve(folder, main)];
  }
  return folders;
}

/** Claude Code runs commands in the bodies of skills when it loads them, and ships skills of its own. */
export function settingsOf({ settings = {} }: ClaudeHostOptions): typeof SWITCHES {
  if (!isJsonObject(settings)) throw callInvalid("`settings`", "an object, because switches are added to it");
  return { ...settings, ...SWITCHES };
}

const SWITCHES = { disableSkillShellExecution: true, disableBundledSkills: true };
