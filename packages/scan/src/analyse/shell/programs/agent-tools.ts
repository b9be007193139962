import type { Program, Shell } from "../shell-call.ts";
import { EMPTY, UNKNOWN } from "../value.ts";

/** Command lines of agents: their servers, their settings, and how they are told not to ask. */
const agent: Program = ({ program, texts, isBackground }, shell) => {
  const joined = texts.join(" ").slice(0, 400);
  const unasked = texts.find((text) => UNASKED.test(text));
  if (unasked !== undefined)
    shell.act({ type: "disable-protection", what: "approval", detail: `${program} ${unasked}` });
  if (texts[0] === "mcp" && /^add/.test(texts[1] ?? ""))
    shell.act({ type: "agent-config", what: "mcp-server", path: `${program} mcp`, text: joined });
  if (texts[0] === "config" && texts[1] === "set")
    shell.act({ type: "agent-config", what: "settings", path: `${program} config`, text: joined });
  if (/^(?:skills?|plugins?|extensions?)$/.test(texts[0] ?? "") && /^(?:add|install|i)$/.test(texts[1] ?? ""))
    installSkill(texts.slice(2), shell, { background: isBackground });
  return UNKNOWN;
};

const UNASKED =
  /^(?:--dangerously-[\w-]{1,60}|--yolo|--full-auto|--allow-all-tools|--trust-all-tools|--auto-approve|--approval-mode=yolo)$/;

/** `clawhub install name`, `skills add owner/repository`. */
const skillInstaller: Program = ({ texts, isBackground }, shell) => {
  const at = texts.findIndex((text) => /^(?:add|install|i|update|sync)$/.test(text));
  if (at !== -1) installSkill(texts.slice(at + 1), shell, { background: isBackground });
  return EMPTY;
};

const addSkill: Program = ({ texts, isBackground }, shell) => {
  installSkill(texts, shell, { background: isBackground });
  return EMPTY;
};

function installSkill(
  texts: readonly string[],
  shell: Shell,
  { background }: { readonly background: boolean },
): void {
  const name = texts.find((text) => !text.startsWith("-"));
  if (name !== undefined) shell.act({ type: "install-skill", name: name.slice(0, 200), background });
}

/** Programs of agents and their registries. */
export const AGENT_TOOLS: readonly (readonly [string, Program])[] = [
  ...[
    "claude",
    "codex",
    "gemini",
    "openclaw",
    "clawdbot",
    "moltbot",
    "cursor-agent",
    "opencode",
    "qwen",
    "copilot",
    "goose",
    "aider",
    "hermes",
    "q",
    "kiro",
    "skillet",
  ].map((name) => [name, agent] as const),
  ...["clawhub", "skills", "skillhub", "molthub", "smithery"].map((name) => [name, skillInstaller] as const),
  ["add-skill", addSkill],
];
