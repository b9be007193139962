import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, relative } from "node:path";
import { suggestNames } from "@skillet/core/internal";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { listFirst } from "@skillet/kit/text";
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
    near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `Known are ${listFirst(ids, MAX_NAMED)}.`;
  throw new SkilletError("agent-unknown", `There is no agent called ${id}. ${hint}`, { data: { agent: id } });
}

function agentFolder(agent: Agent, { scope, userHome, environment }: TargetRequest): string {
  const folder =
    scope.kind === "user"
      ? agent.user?.({ userHome, environment })
      : agent.project && join(scope.root, agent.project);
  if (folder !== undefined) return folder;
  const where = scope.kind === "user" ? "for a user; pass --project" : "in a project; leave out --project";
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

// Folder in a project, the user's folder, agents. `~` is the user's home, a variable one of FOLDERS, `*` the agent's id,
// or the name after its colon.
const TABLE: readonly (readonly [project: string, user: string | undefined, agents: string])[] = [
  [".agents/skills", "~/.agents/skills", "cline codex dexto fx kimi-code-cli loaf pi sarvam-code warp zed"],
  [".agents/skills", "$XDG_CONFIG_HOME/agents/skills", "amp replit universal"],
  [".agents/skills", "$XDG_CONFIG_HOME/opencode/skills", "opencode"],
  [".agents/skills", "~/.gemini/*/skills", "antigravity antigravity-cli"],
  [
    ".agents/skills",
    "~/.*/skills",
    "cursor droid:factory firebender gemini-cli:gemini github-copilot:copilot kilo",
  ],
  [".agents/skills", "~/.deepagents/agent/skills", "deepagents"],
  [".agents/skills", undefined, "promptscript"],
  [".claude/skills", "$CLAUDE_CONFIG_DIR/skills", "claude-code"],
  ["skills", "~/.openclaw/skills", "openclaw"],
  ["data/skills", "~/.astrbot/data/skills", "astrbot"],
  ["agent/skills", undefined, "eve"],
  [".cortex/skills", "~/.snowflake/cortex/skills", "cortex"],
  [".crush/skills", "~/.config/crush/skills", "crush"],
  [".*/skills", "$XDG_CONFIG_HOME/*/skills", "devin goose"],
  [".kimchi/skills", "~/.config/kimchi/harness/skills", "kimchi"],
  [".windsurf/skills", "~/.codeium/windsurf/skills", "windsurf"],
  [".qoder/skills", "~/.qoder-cn/skills", "qoder-cn"],
  [".trae/skills", "~/.trae-cn/skills", "trae-cn"],
  [".autohand/skills", "$AUTOHAND_HOME/skills", "autohand-code"],
  [".hermes/skills", "$HERMES_HOME/skills", "hermes-agent"],
  [".vibe/skills", "$VIBE_HOME/skills", "mistral-vibe"],
  [".grok/skills", "$GROK_HOME/skills", "grok"],
  [
    ".*/skills",
    "~/.*/skills",
    "adal aider-desk augment bob codearts-agent:codeartsdoer codebuddy codemaker codestudio command-code:commandcode " +
      "continue forgecode:forge iflow-cli:iflow inference-sh:inferencesh jazz junie kiro-cli:kiro kode lingma mcpjam " +
      "minimax-code:minimax moxby mux neovate ona openhands pochi posit-assistant:posit/assistant qoder qwen-code:qwen " +
      "reasonix roo rovodev tabnine-cli:tabnine/agent terramind tinycloud trae zcode zencoder zenflow",
  ],
];

const FOLDERS: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: ".config",
  CLAUDE_CONFIG_DIR: ".claude",
  CODEX_HOME: ".codex",
  AUTOHAND_HOME: ".autohand",
  HERMES_HOME: ".hermes",
  VIBE_HOME: ".vibe",
  GROK_HOME: ".grok",
};

function userFolder(folder: string, { userHome, environment }: AgentPlaces): string {
  const found = folder.replace(/^(?:~|\$(\w+))/, (_, variable: string = "") => {
    const moved = environment[variable];
    // An empty or a relative one means nothing, as it does for the agents themselves.
    return moved !== undefined && isAbsolute(moved) ? moved : join(userHome, FOLDERS[variable] ?? "");
  });
  return normalize(found);
}

function openclawFolders({ userHome }: AgentPlaces): readonly [string, ...string[]] {
  return [join(userHome, ".openclaw"), join(userHome, ".clawdbot"), join(userHome, ".moltbot")];
}

const EXCEPTIONS: ReadonlyMap<string, Partial<Agent>> = new Map([
  ["codex", { marks: (places: AgentPlaces) => [userFolder("$CODEX_HOME", places), "/etc/codex"] }],
  ["eve", { copies: true }],
  [
    "openclaw",
    {
      // It was renamed twice, and goes on with the folder that is there.
      user: (places: AgentPlaces) => {
        const folders = openclawFolders(places);
        return join(folders.find((folder) => existsSync(folder)) ?? folders[0], "skills");
      },
      marks: openclawFolders,
    },
  ],
]);

export const AGENTS: readonly Agent[] = TABLE.flatMap(([project, user, agents]) =>
  agents.split(" ").map((agent) => {
    const [id = "", name = id] = agent.split(":");
    return {
      id,
      project: project.replace("*", name),
      ...(user !== undefined && {
        user: (places: AgentPlaces) => userFolder(user.replace("*", name), places),
      }),
      ...EXCEPTIONS.get(id),
    };
  }),
).sort((left, right) => compareByteOrder(left.id, right.id));

/** The agents that are in use here: those of which a folder exists. */
export function detectAgents(places: AgentPlaces): readonly string[] {
  return AGENTS.filter((agent) => marksOf(agent, places).some(isFolder)).map(({ id }) => id);
}

// `~/.agents` belongs to no agent in particular; those who share it have a folder of their own name besides.
function marksOf(agent: Agent, places: AgentPlaces): readonly string[] {
  if (agent.marks !== undefined) return agent.marks(places);
  const folder = agent.user?.(places);
  if (folder === undefined) return [];
  const isShared = /[\\/]\.?agents[\\/]skills$/.test(folder);
  return isShared
    ? [join(places.userHome, `.${agent.id}`), join(userFolder("$XDG_CONFIG_HOME", places), agent.id)]
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
