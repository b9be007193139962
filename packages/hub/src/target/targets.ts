import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { suggestNames } from "@skillet/core/internal";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { type HubScope, scopeRoot } from "../hub-limits.ts";
import type { LockedTarget } from "../lock/lock-entry.ts";

interface TargetRequest extends AgentPlaces {
  readonly scope: HubScope;
  readonly name: string;
  readonly agents: readonly string[];
  readonly how: "link" | "copy";
}

/** Where a skill goes: Skillet's own copy first, then the folders of agents, each place once. */
export function targetsFor(request: TargetRequest): readonly LockedTarget[] {
  const { scope, name, agents, how } = request;
  const root = scopeRoot(scope);
  const canonical = scope.kind === "user" ? scope.pluginsDirectory : join(root, ".agents/skills");
  const targets: LockedTarget[] = [{ path: pathFrom(root, join(canonical, name)), how: "copy" }];
  for (const id of agents) {
    const agent = agentOf(id);
    const folder = agentFolder(agent, request);
    const path = pathFrom(root, join(folder, name));
    if (targets.every((target) => target.path !== path))
      targets.push({ path, how: agent.copies === true ? "copy" : how, agent: id });
  }
  return targets;
}

const MAX_NAMED = 8;

function agentOf(id: string): Agent {
  const agent = AGENTS.find((one) => one.id === id);
  if (agent !== undefined) return agent;
  const ids = AGENTS.map((one) => one.id);
  const near = suggestNames(id, ids);
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : `Known are ${ids.slice(0, MAX_NAMED).join(", ")} and ${ids.length - MAX_NAMED} more.`;
  throw new SkilletError("agent-unknown", `There is no agent called ${id}. ${hint}`, { data: { agent: id } });
}

function agentFolder(agent: Agent, { scope, userHome, environment }: TargetRequest): string {
  const folder =
    scope.kind === "user"
      ? agent.user?.({ userHome, environment })
      : agent.project && join(scope.root, agent.project);
  if (folder !== undefined) return folder;
  const where = scope.kind === "user" ? "for a user; pass --project" : "in a project; leave --project away";
  throw new SkilletError("agent-without-folder", `${agent.id} has no folder of skills ${where}.`, {
    data: { agent: agent.id, scope: scope.kind },
  });
}

// Inside the lock's folder paths are relative, so that a project can lie anywhere.
function pathFrom(root: string, path: string): string {
  const below = relative(root, path);
  const isInside = below !== "" && !below.startsWith("..") && !isAbsolute(below);
  return isInside ? below.split("\\").join("/") : path;
}

export const AGENTS: readonly Agent[] = byId([
  ...shared(
    ["cline", "dexto", "fx", "kimi-code-cli", "loaf", "pi", "sarvam-code", "warp", "zed"],
    ({ userHome }) => join(userHome, ".agents/skills"),
  ),
  {
    id: "codex",
    project: ".agents/skills",
    user: ({ userHome }) => join(userHome, ".agents/skills"),
    marks: ({ userHome, environment }) => [
      folderOf(environment, "CODEX_HOME") ?? join(userHome, ".codex"),
      "/etc/codex",
    ],
  },
  ...shared(["amp", "replit", "universal"], (places) => join(configHome(places), "agents/skills")),
  ...[
    ["antigravity", ".gemini/antigravity/skills"],
    ["antigravity-cli", ".gemini/antigravity-cli/skills"],
    ["cursor", ".cursor/skills"],
    ["deepagents", ".deepagents/agent/skills"],
    ["droid", ".factory/skills"],
    ["firebender", ".firebender/skills"],
    ["gemini-cli", ".gemini/skills"],
    ["github-copilot", ".copilot/skills"],
    ["kilo", ".kilo/skills"],
  ].flatMap(([id = "", folder = ""]) => shared([id], ({ userHome }) => join(userHome, folder))),
  ...shared(["opencode"], (places) => join(configHome(places), "opencode/skills")),
  { id: "promptscript", project: ".agents/skills" },
  {
    id: "claude-code",
    project: ".claude/skills",
    user: ({ userHome, environment }) =>
      join(folderOf(environment, "CLAUDE_CONFIG_DIR") ?? join(userHome, ".claude"), "skills"),
  },
  {
    id: "openclaw",
    project: "skills",
    // It was renamed twice, and goes on with the folder that is there.
    user: (places) =>
      join(
        openclawFolders(places).find((folder) => existsSync(folder)) ?? openclawFolders(places)[0],
        "skills",
      ),
    marks: openclawFolders,
  },
  { id: "astrbot", project: "data/skills", user: ({ userHome }) => join(userHome, ".astrbot/data/skills") },
  own("cortex", ".cortex", ({ userHome }) => join(userHome, ".snowflake/cortex/skills")),
  own("crush", ".crush", ({ userHome }) => join(userHome, ".config/crush/skills")),
  own("devin", ".devin", (places) => join(configHome(places), "devin/skills")),
  own("goose", ".goose", (places) => join(configHome(places), "goose/skills")),
  own("kimchi", ".kimchi", ({ userHome }) => join(userHome, ".config/kimchi/harness/skills")),
  own("windsurf", ".windsurf", ({ userHome }) => join(userHome, ".codeium/windsurf/skills")),
  own("qoder-cn", ".qoder", ({ userHome }) => join(userHome, ".qoder-cn/skills")),
  own("trae-cn", ".trae", ({ userHome }) => join(userHome, ".trae-cn/skills")),
  // It reads copies only.
  { id: "eve", project: "agent/skills", copies: true },
  own("kiro-cli", ".kiro"),
  own("autohand-code", ".autohand", homed("AUTOHAND_HOME", ".autohand")),
  own("codearts-agent", ".codeartsdoer"),
  own("command-code", ".commandcode"),
  own("forgecode", ".forge"),
  own("hermes-agent", ".hermes", homed("HERMES_HOME", ".hermes")),
  own("inference-sh", ".inferencesh"),
  own("iflow-cli", ".iflow"),
  own("minimax-code", ".minimax"),
  own("mistral-vibe", ".vibe", homed("VIBE_HOME", ".vibe")),
  own("posit-assistant", ".posit/assistant"),
  own("qwen-code", ".qwen"),
  own("tabnine-cli", ".tabnine/agent"),
  own("grok", ".grok", homed("GROK_HOME", ".grok")),
  ...(
    "aider-desk augment bob codebuddy codemaker codestudio continue jazz junie kode lingma mcpjam moxby mux openhands " +
    "ona qoder reasonix rovodev roo terramind tinycloud trae zcode zencoder zenflow neovate pochi adal"
  )
    .split(" ")
    .map((id) => own(id, `.${id}`)),
]);

type UserFolder = (places: AgentPlaces) => string;

function byId(agents: readonly Agent[]): readonly Agent[] {
  return agents.toSorted((left, right) => compareByteOrder(left.id, right.id));
}

function shared(ids: readonly string[], user: UserFolder): readonly Agent[] {
  return ids.map((id) => ({ id, project: ".agents/skills", user }));
}

function own(
  id: string,
  folder: string,
  user: UserFolder = ({ userHome }) => join(userHome, folder, "skills"),
): Agent {
  return { id, project: `${folder}/skills`, user };
}

function openclawFolders({ userHome }: AgentPlaces): readonly [string, ...string[]] {
  return [join(userHome, ".openclaw"), join(userHome, ".clawdbot"), join(userHome, ".moltbot")];
}

function homed(variable: string, folder: string): UserFolder {
  return ({ userHome, environment }) =>
    join(folderOf(environment, variable) ?? join(userHome, folder), "skills");
}

function configHome({ userHome, environment }: AgentPlaces): string {
  return folderOf(environment, "XDG_CONFIG_HOME") ?? join(userHome, ".config");
}

// An empty or a relative one means nothing, as it does for the agents themselves.
function folderOf(environment: AgentPlaces["environment"], variable: string): string | undefined {
  const folder = environment[variable];
  return folder !== undefined && isAbsolute(folder) ? folder : undefined;
}

export interface AgentPlaces {
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface Agent {
  readonly id: string;
  readonly project?: string;
  user?(places: AgentPlaces): string;
  /** It does not follow links. */
  readonly copies?: true;
  /** Folders of which one exists where the agent is in use; default: the parent of its user's folder. */
  marks?(places: AgentPlaces): readonly string[];
}

/** The agents that someone uses here: those of which a folder exists. */
export function detectAgents(places: AgentPlaces): readonly string[] {
  return AGENTS.filter((agent) => marksOf(agent, places).some(isFolder)).map(({ id }) => id);
}

// `~/.agents` belongs to no one in particular; those who share it have a folder of their own name besides.
function marksOf(agent: Agent, places: AgentPlaces): readonly string[] {
  if (agent.marks !== undefined) return agent.marks(places);
  const folder = agent.user?.(places);
  if (folder === undefined) return [];
  const isShared = /[\\/]\.?agents[\\/]skills$/.test(folder);
  return isShared
    ? [join(places.userHome, `.${agent.id}`), join(configHome(places), agent.id)]
    : [dirname(folder)];
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return false;
    throw error;
  }
}

/** A project's lock comes with its repository; whatever it names outside the project is someone else's. */
export function outsideFolders({
  scope,
  ...places
}: AgentPlaces & { readonly scope: HubScope }): readonly string[] {
  if (scope.kind === "project") return [];
  const folders = AGENTS.map((agent) => agent.user?.(places)).filter((folder) => folder !== undefined);
  return [...new Set([scope.pluginsDirectory, ...folders])];
}
