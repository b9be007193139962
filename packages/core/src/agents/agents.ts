import { existsSync, readdirSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, sep } from "node:path";
import { leadsNowhere } from "@skillet/kit/files";
import { compareByteOrder } from "@skillet/kit/order";

/** Where agents keep their folders on this machine. */
export interface AgentPlaces {
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A program that reads skills. */
export interface Agent {
  /** As `--agent` takes it. */
  readonly id: string;
  readonly title: string;
  /** Where a skill is linked that is installed for the user. */
  userFolder?(places: AgentPlaces): string;
  /** The same in a project, relative to its root. */
  readonly projectFolder?: string;
  /** Every folder of the user's that it reads skills from, its own first. */
  userReads(places: AgentPlaces): readonly string[];
  /** Every folder of a project that it reads skills from, relative to the root. */
  readonly projectReads: readonly string[];
  /** Undefined where no source says so; such an agent gets links, as other installers give it. */
  readonly followsLinks: boolean | undefined;
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

// Folders that an agent's documentation or source says it reads besides the one that we install into.
const ALSO_READS: Readonly<Record<string, readonly [user: string, project: string]>> = {
  amp: ["$XDG_CONFIG_HOME/amp/skills ~/.agents/skills ~/.claude/skills", ".claude/skills"],
  antigravity: ["", ".agent/skills"],
  cline: ["~/.cline/skills", ".cline/skills"],
  codex: ["$CODEX_HOME/skills", ".codex/skills"],
  continue: ["~/.claude/skills", ".claude/skills"],
  cursor: [
    "~/.agents/skills ~/.claude/skills ~/.codex/skills",
    ".cursor/skills .claude/skills .codex/skills",
  ],
  deepagents: ["~/.agents/skills ~/.claude/skills", ".deepagents/skills .claude/skills"],
  devin: ["~/.agents/skills", ".agents/skills .windsurf/skills"],
  droid: ["", ".factory/skills .agent/skills"],
  "gemini-cli": ["~/.agents/skills", ".gemini/skills"],
  "github-copilot": ["~/.agents/skills ~/.claude/skills", ".github/skills .claude/skills"],
  goose: [
    "~/.agents/skills ~/.claude/skills $XDG_CONFIG_HOME/agents/skills",
    ".claude/skills .agents/skills",
  ],
  "hermes-agent": ["", ".agents/skills"],
  junie: ["~/.agents/skills", ".agents/skills"],
  kilo: ["~/.kilocode/skills", ".kilocode/skills"],
  openclaw: ["~/.agents/skills", ".agents/skills"],
  opencode: ["~/.claude/skills ~/.agents/skills", ".opencode/skills .claude/skills"],
  pi: ["~/.pi/agent/skills", ".pi/skills"],
  roo: ["~/.agents/skills", ".agents/skills"],
  windsurf: ["~/.agents/skills", ".agents/skills"],
};

const FOLDERS: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: ".config",
  CLAUDE_CONFIG_DIR: ".claude",
  CODEX_HOME: ".codex",
  AUTOHAND_HOME: ".autohand",
  HERMES_HOME: ".hermes",
  VIBE_HOME: ".vibe",
  GROK_HOME: ".grok",
};

function placed(folder: string, { userHome, environment }: AgentPlaces): string {
  const end = folder.indexOf("/");
  const [head, rest] = end < 0 ? [folder, ""] : [folder.slice(0, end), folder.slice(end)];
  const variable = head.slice(1);
  const moved = environment[variable];
  // An empty or a relative one means nothing, as it does for the agents themselves.
  const isMoved = head !== "~" && moved !== undefined && isAbsolute(moved);
  return isMoved ? normalize(`${moved}${rest}`) : join(userHome, FOLDERS[variable] ?? "", rest);
}

/** The folder that an agent's variable names, or its default one. */
export function agentHome(
  variable: "CLAUDE_CONFIG_DIR" | "CODEX_HOME" | "GEMINI_CLI_HOME" | "XDG_CONFIG_HOME",
  places: AgentPlaces,
): string {
  return placed(`$${variable}`, places);
}

function openclawFolders({ userHome }: AgentPlaces): readonly [string, ...string[]] {
  return [join(userHome, ".openclaw"), join(userHome, ".clawdbot"), join(userHome, ".moltbot")];
}

// Seen in their source or documentation: a skill's folder may be a link.
const FOLLOW_LINKS: ReadonlySet<string> = new Set(
  "claude-code codex gemini-cli goose hermes-agent opencode pi".split(" "),
);

const EXCEPTIONS: ReadonlyMap<string, Partial<Agent>> = new Map([
  ["codex", { marks: (places: AgentPlaces) => [placed("$CODEX_HOME", places), "/etc/codex"] }],
  ["eve", { followsLinks: false }],
  ["github-copilot", { title: "GitHub Copilot" }],
  ["opencode", { title: "OpenCode" }],
  [
    "openclaw",
    {
      title: "OpenClaw",
      // It was renamed twice, and goes on with the folder that is there.
      userFolder: (places: AgentPlaces) => {
        const folders = openclawFolders(places);
        return join(folders.find((folder) => existsSync(folder)) ?? folders[0], "skills");
      },
      marks: openclawFolders,
    },
  ],
  ["pi", { title: "pi" }],
]);

/** Every agent that Skillet knows, by id in byte order: the one table of them. */
export const AGENTS: readonly Agent[] = TABLE.flatMap(([project, user, agents]) =>
  agents.split(" ").map((agent): Agent => {
    const [id = "", name = id] = agent.split(":");
    const [alsoUser = "", alsoProject = ""] = ALSO_READS[id] ?? [];
    const projectFolder = project.replace("*", name);
    const described: Agent = {
      id,
      title: titleOf(id),
      projectFolder,
      ...(user !== undefined && {
        userFolder: (places: AgentPlaces) => placed(user.replace("*", name), places),
      }),
      projectReads: [...new Set([projectFolder, ...listed(alsoProject)])],
      userReads: (places) => {
        const own = described.userFolder?.(places);
        const others = listed(alsoUser).map((folder) => placed(folder, places));
        return [...new Set([...(own === undefined ? [] : [own]), ...others])];
      },
      followsLinks: FOLLOW_LINKS.has(id) || undefined,
      ...EXCEPTIONS.get(id),
    };
    return described;
  }),
).sort((left, right) => compareByteOrder(left.id, right.id));

function listed(folders: string): readonly string[] {
  return folders === "" ? [] : folders.split(" ");
}

function titleOf(id: string): string {
  return id
    .replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
    .replace(/-/g, " ")
    .replace(/\bCli\b/, "CLI");
}

// What lies in a project under a name without a dot is the project's own as often as an agent's.
const PROJECT_FOLDERS = [...new Set(AGENTS.flatMap(({ projectReads }) => projectReads))]
  .filter((folder) => folder.startsWith("."))
  .map(normalize);
// Below the home, where no variable moves them.
const NOWHERE: AgentPlaces = { userHome: ".", environment: {} };
const USER_FOLDERS = [
  ...new Set(AGENTS.flatMap((agent) => agent.userReads(NOWHERE))),
  ...openclawFolders(NOWHERE).map((folder) => join(folder, "skills")),
];

/** The folders of agents that exist in a project's folder; what is not there costs nothing but one listing. */
export function agentProjectFolders(directory: string): readonly string[] {
  return existing(directory, PROJECT_FOLDERS);
}

/** The user's folders that exist and that an agent reads. */
export function agentUserFolders(places: AgentPlaces): readonly string[] {
  const isMoved = Object.keys(FOLDERS).some((variable) => places.environment[variable] !== undefined);
  const moved = isMoved ? AGENTS.flatMap((agent) => agent.userReads(places)).filter(isFolder) : [];
  return [...new Set([...existing(places.userHome, USER_FOLDERS), ...moved])];
}

function existing(directory: string, folders: readonly string[]): readonly string[] {
  const names = namesIn(directory);
  return folders
    .filter((folder) => names?.has(folder.slice(0, folder.indexOf(sep))) !== false)
    .map((folder) => join(directory, folder))
    .filter(isFolder);
}

function namesIn(directory: string): ReadonlySet<string> | undefined {
  try {
    return new Set(readdirSync(directory));
  } catch (error) {
    // A folder that may be entered, but not listed.
    if (leadsNowhere(error)) return undefined;
    throw error;
  }
}

/** The agents in use on this machine: those of which a folder exists. */
export function detectAgents(places: AgentPlaces): readonly Agent[] {
  return AGENTS.filter((agent) => marksOf(agent, places).some(isFolder));
}

// `~/.agents` belongs to no agent in particular; those who share it have a folder of their own name besides.
function marksOf(agent: Agent, places: AgentPlaces): readonly string[] {
  if (agent.marks !== undefined) return agent.marks(places);
  const folder = agent.userFolder?.(places);
  if (folder === undefined) return [];
  const isShared = /[\\/]\.?agents[\\/]skills$/.test(folder);
  return isShared
    ? [join(places.userHome, `.${agent.id}`), join(placed("$XDG_CONFIG_HOME", places), agent.id)]
    : [dirname(folder)];
}

// With the dot a file is none, and nothing is thrown.
function isFolder(path: string): boolean {
  return existsSync(`${path}/.`);
}
