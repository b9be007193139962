import { existsSync, readdirSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";
import { leadsNowhere } from "@skillet/kit/files";
import { compareByteOrder } from "@skillet/kit/order";

/** Where agents keep their folders on this machine. */
export interface AgentPlaces {
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A program that reads skills. */
export interface Agent {
  /** The value of `--agent`. */
  readonly id: string;
  readonly title: string;
  /** Where a skill installed for the user is linked. */
  userFolder?(places: AgentPlaces): string;
  /** Where a skill installed for a project is linked, relative to its root. */
  readonly projectFolder?: string;
  /** Every user-level folder that it reads skills from, its own first. */
  userReads(places: AgentPlaces): readonly string[];
  /** Every folder that it reads skills from in a project, relative to the root. */
  readonly projectReads: readonly string[];
  /** Undefined if no source says so; such an agent gets links, as from other installers. */
  readonly followsLinks: boolean | undefined;
  /** What its loader demands of a skill. If unknown, the agent is assumed to load every skill it finds. */
  readonly loader?: AgentLoader | undefined;
  /** `reads` is `userReads` with variables unexpanded; the agent is in use if a folder of `marks` exists. */
  readonly reads: readonly string[];
  readonly marks: readonly string[];
}

/** Taken from the agent's source or documentation. */
interface AgentLoader {
  /** How many levels below a folder that it reads a SKILL.md may be. */
  readonly depth?: number;
  /** Codes of the diagnostics for which it skips a skill. */
  readonly refuses: readonly string[];
}

// Folder in a project, the user's folder, agents. `~` is the user's home, `$X` a variable of FOLDERS, and `*`
// the agent's id, or the name after its colon.
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
  GEMINI_CLI_HOME: ".",
  AUTOHAND_HOME: ".autohand",
  HERMES_HOME: ".hermes",
  VIBE_HOME: ".vibe",
  GROK_HOME: ".grok",
};

function placed(folder: string, { userHome, environment }: AgentPlaces): string {
  const below = belowHome(folder, environment);
  if (below !== undefined) return join(userHome, below);
  return normalize(folder.replace(/^\$(\w+)/, (_, variable: string) => environment[variable] ?? ""));
}

/** Undefined for a folder that a variable moves elsewhere, or that is not below the user's home. */
function belowHome(folder: string, environment: AgentPlaces["environment"] = {}): string | undefined {
  if (!folder.startsWith("$")) return folder.startsWith("~/") ? folder.slice("~/".length) : undefined;
  const end = folder.indexOf("/");
  const [head, rest] = end < 0 ? [folder, ""] : [folder.slice(0, end), folder.slice(end)];
  const variable = head.slice(1);
  // Agents themselves ignore an empty or relative value too.
  return isAbsolute(environment[variable] ?? "") ? undefined : `${FOLDERS[variable]}${rest}`;
}

/** The folder that an agent's variable names, or its default one. */
export function agentHome(
  variable: "CLAUDE_CONFIG_DIR" | "CODEX_HOME" | "GEMINI_CLI_HOME" | "XDG_CONFIG_HOME",
  places: AgentPlaces,
): string {
  return placed(`$${variable}`, places);
}

/** The agent folders that variables move elsewhere. */
export function movedAgentHomes({ userHome, environment }: AgentPlaces): readonly string[] {
  return Object.entries(FOLDERS).flatMap(([variable, usual]) => {
    const folder = environment[variable] ?? "";
    return isAbsolute(folder) && normalize(folder) !== join(userHome, usual) ? [normalize(folder)] : [];
  });
}

// OpenClaw was renamed twice, and keeps using the folder that exists.
const OPENCLAW = ["~/.openclaw", "~/.clawdbot", "~/.moltbot"] as const;

// According to their source or documentation, a skill's folder may be a link.
const FOLLOW_LINKS: ReadonlySet<string> = new Set(
  "claude-code codex gemini-cli goose hermes-agent opencode pi".split(" "),
);

const DESCRIBED = ["missing-frontmatter", "unclosed-frontmatter", "missing-description"];
const NAMED = [...DESCRIBED, "missing-name"];

const LOADERS: Readonly<Record<string, AgentLoader>> = {
  "claude-code": { depth: 1, refuses: [] },
  codex: { depth: 6, refuses: DESCRIBED },
  "gemini-cli": { depth: 1, refuses: NAMED },
  opencode: { refuses: NAMED },
  pi: { refuses: DESCRIBED },
};

const EXCEPTIONS: ReadonlyMap<string, Partial<Agent>> = new Map([
  ["codex", { marks: ["$CODEX_HOME", "/etc/codex"] }],
  ["eve", { followsLinks: false }],
  ["github-copilot", { title: "GitHub Copilot" }],
  ["opencode", { title: "OpenCode" }],
  [
    "openclaw",
    {
      title: "OpenClaw",
      userFolder: (places: AgentPlaces) => {
        const found = OPENCLAW.find((folder) => existsSync(placed(folder, places)));
        return placed(`${found ?? OPENCLAW[0]}/skills`, places);
      },
      marks: OPENCLAW,
    },
  ],
  ["pi", { title: "pi" }],
]);

/** Every agent that Skillet knows, in byte order of id. */
export const AGENTS: readonly Agent[] = TABLE.flatMap(([project, user, agents]) =>
  agents.split(" ").map((agent): Agent => {
    const [id = "", name = id] = agent.split(":");
    const [alsoUser = "", alsoProject = ""] = ALSO_READS[id] ?? [];
    const projectFolder = project.replace("*", name);
    const own = user?.replace("*", name);
    const others = listed(alsoUser);
    const described: Agent = {
      id,
      get title() {
        return titleOf(id);
      },
      projectFolder,
      ...(own !== undefined && { userFolder: (places: AgentPlaces) => placed(own, places) }),
      projectReads: [projectFolder, ...listed(alsoProject)],
      userReads: (places) => {
        const folder = described.userFolder?.(places);
        const folders = others.map((other) => placed(other, places));
        return [...new Set(folder === undefined ? folders : [folder, ...folders])];
      },
      reads: own === undefined ? others : [own, ...others],
      marks: own === undefined ? [] : marksOf(id, own),
      followsLinks: FOLLOW_LINKS.has(id) || undefined,
      loader: LOADERS[id],
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

// Several agents share `~/.agents`, so it proves none of them; each also has a folder under its own name.
function marksOf(id: string, userFolder: string): readonly string[] {
  const isShared = /\/\.?agents\/skills$/.test(userFolder);
  return isShared
    ? [`~/.${id}`, `$XDG_CONFIG_HOME/${id}`]
    : [userFolder.slice(0, userFolder.lastIndexOf("/"))];
}

/** The agent folders that exist in a project folder; all missing ones together cost one listing. */
export function agentProjectFolders(directory: string): readonly string[] {
  const folders = [...new Set(AGENTS.flatMap(({ projectReads }) => projectReads))];
  // A folder without a leading dot is as likely the project's own as an agent's.
  const dotted = folders.filter((folder) => folder.startsWith("."));
  return existing(directory, dotted);
}

/** The user's existing folders that an agent reads. */
export function agentUserFolders(places: AgentPlaces): readonly string[] {
  const isMoved = Object.keys(FOLDERS).some((variable) => places.environment[variable] !== undefined);
  const moved = isMoved ? AGENTS.flatMap((agent) => agent.userReads(places)).filter(isFolder) : [];
  const folders = [...AGENTS.flatMap(({ reads }) => reads), ...OPENCLAW.map((folder) => `${folder}/skills`)];
  const unmoved = [...new Set(folders)].flatMap((folder) => belowHome(folder) ?? []);
  return [...new Set([...existing(places.userHome, unmoved), ...moved])];
}

function existing(directory: string, folders: readonly string[]): readonly string[] {
  const mayHold = listedIn(directory);
  return folders
    .filter(mayHold)
    .map((folder) => join(directory, folder))
    .filter(isFolder);
}

function listedIn(directory: string): (path: string) => boolean {
  try {
    const names = new Set(readdirSync(directory));
    return (path) => names.has(path.split("/", 1)[0] ?? "");
  } catch (error) {
    // The folder may be entered but not listed.
    if (leadsNowhere(error)) return () => true;
    throw error;
  }
}

/** The agents in use on this machine, judged by the folders that exist. */
export function detectAgents(places: AgentPlaces): readonly Agent[] {
  const mayHold = listedIn(places.userHome);
  const exists = (mark: string): boolean => {
    const below = belowHome(mark, places.environment);
    return (below === undefined || mayHold(below)) && isFolder(placed(mark, places));
  };
  return AGENTS.filter(({ marks }) => marks.some(exists));
}

// The trailing `/.` makes a file fail the check, and nothing throws.
function isFolder(path: string): boolean {
  return existsSync(`${path}/.`);
}
