import type { Act } from "../fact/act.ts";

type AgentPart = Extract<Act, { readonly type: "agent-config" }>["what"];

/** Which part of an agent's control plane a path is: `CLAUDE.md` is memory, `.claude/settings.json` settings. */
export function agentPath(path: string): AgentPart | undefined {
  if (path.length > MAX_PATH_CHARACTERS || path.length < 3) return undefined;
  const plain = path.replaceAll("\\", "/").toLowerCase();
  return PATHS.find(([, pattern]) => pattern.test(plain))?.[0];
}

const MAX_PATH_CHARACTERS = 1024;

const PATHS: readonly (readonly [AgentPart, RegExp])[] = [
  [
    "mcp-server",
    /(?:^|\/)\.?mcp(?:[-_]?(?:config|servers?|settings))?\.json$|claude_desktop_config\.json$|mcp_settings\.json$/,
  ],
  ["hook", /\.(?:claude|codex|gemini|cursor|openclaw|clawdbot)\/hooks?(?:\/|\.json|$)/],
  [
    "skill",
    /(?:^|\/)\.(?:claude|agents?|codex|skillet|openclaw|clawdbot|hermes|gemini|cursor)\/(?:skills|plugins|agents|commands)(?:\/|$)|(?:^|\/)openclaw\/skills(?:\/|$)/,
  ],
  [
    "settings",
    /\.(?:claude|gemini|qwen)\/settings(?:\.local)?\.json$|(?:^|[/~])\.claude\.json$|\.codex\/config\.toml$|\.(?:openclaw|clawdbot|moltbot)\/(?:openclaw|clawdbot|moltbot|config)\.json$|\.cursor\/(?:settings|cli)\.json$|\.aider\.conf\.yml$|\.continue\/config\.(?:json|ya?ml)$|\.hermes\/config\.ya?ml$|opencode\.jsonc?$/,
  ],
  [
    "memory",
    /(?:^|[\s/"'~])(?:claude|agents|gemini|soul|memory|identity|heartbeat|user|tools|bootstrap|copilot-instructions|qwen|codex|conventions)\.md$|\.cursorrules$|\.windsurfrules$|\.clinerules|\.cursor\/rules|(?:^|\/)memory\/[^\n]{0,80}\.md$/,
  ],
];
