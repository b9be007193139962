import { words } from "../../word-list.ts";
import { type DataEntry, type DataScalar, type DataWriter, scalarsOf } from "./data-node.ts";

export function readAgentSetting(writer: DataWriter, entry: DataEntry, path: readonly string[]): void {
  const { key, value } = entry;
  for (const scalar of scalarsOf(value)) {
    const what =
      settingOf(key, scalar.text, path) ?? providerOf(writer.source.file, [...path, key], scalar.text);
    if (what === undefined) continue;
    const text = `${key}: ${scalar.text}`.slice(0, MAX_TEXT_CHARACTERS);
    writer.agentConfig(what, text, entry, scalar);
    if (/^(?:apikeyhelper|statusline|awsauthrefresh)$/i.test(key)) writer.text("shell", scalar);
  }
}

export function readAgentHook(writer: DataWriter, scalar: DataScalar, path: readonly string[]): void {
  const event = path[path.indexOf("hooks") + 1] ?? "hooks";
  writer.agentConfig("hook", `${event}: ${scalar.text}`, scalar);
}

const MAX_TEXT_CHARACTERS = 400;

function settingOf(
  key: string,
  value: string,
  path: readonly string[],
): "endpoint" | "auto-approve" | "settings" | undefined {
  if (ENDPOINT_NAME.test(key)) return /^[a-z+]+:\/\//i.test(value) ? "endpoint" : undefined;
  if (/^apikeyhelper$/i.test(key)) return "settings";
  if (UNASKED_FLAGS.test(value) && /^(?:args|command|run|alias)/i.test(key)) return "auto-approve";
  if (ENFORCEMENT.test(key) && OFF.test(value)) return "auto-approve";
  // OpenCode: every command, edit or request, whatever it is.
  if (/^(?:permission|bash|edit|webfetch|\*)$/.test(key) && [...path, key].includes("permission"))
    return value === "allow" ? "auto-approve" : undefined;
  if (/^security\.workspace\.trust\.enabled$/i.test(key) && OFF.test(value)) return "auto-approve";
  const name = key.toLowerCase().replaceAll(/[_-]/g, "");
  const unasked = UNASKED.get(name) ?? UNASKED.get(name.slice(name.lastIndexOf(".") + 1));
  return unasked?.test(value) === true ? "auto-approve" : undefined;
}

/** The address of a model in the settings of Codex themselves, as a skill ships them. */
function providerOf(file: string, path: readonly string[], value: string): "endpoint" | undefined {
  if (!/(?:^|\/)\.codex\/config\.toml$/.test(file) || path[0] !== "model_providers") return undefined;
  const isAddress = path.at(-1) === "base_url" && /^https?:\/\//i.test(value);
  return isAddress && !LOCAL_ADDRESS.test(value) ? "endpoint" : undefined;
}

const LOCAL_ADDRESS = /^https?:\/\/(?:localhost|127\.|\[::1\]|0\.0\.0\.0)/i;
const ENDPOINT_NAME =
  /^(?:ANTHROPIC|OPENAI|CLAUDE|GEMINI|GOOGLE_GEMINI|AZURE_OPENAI|CODEX|LITELLM|LLM)_(?:API_)?(?:BASE_URL|BASE|API_BASE|ENDPOINT|BEDROCK_BASE_URL)$/i;
const UNASKED_FLAGS =
  /--dangerously-skip-permissions|--dangerously-bypass|--yolo\b|--full-auto\b|--trust-all-tools/;
/** Safeguards of an agent, switched off: `AGENT_POLICY_ENFORCEMENT=disabled`. */
const ENFORCEMENT =
  /(?:^|_)(?:POLICY_ENFORCEMENT|ENFORCEMENT|GUARDRAILS?|AGENT_SANDBOX|TOOL_APPROVALS?|APPROVALS?_REQUIRED|REQUIRE_APPROVALS?)(?:_MODE|_ENABLED)?$/i;
const OFF = /^(?:disabled?|off|none|false|no|0|permissive)$/i;
const YES = /^(?:true|yes|on|1|always|all|\*)$/i;
/** Keys without case and dashes, and the values of them that give everything away. */
const UNASKED: ReadonlyMap<string, RegExp> = new Map([
  ["defaultmode", /^bypassPermissions$/i],
  ["permissionmode", /^bypassPermissions$/i],
  ["approvalpolicy", /^never$/i],
  ["sandboxmode", /^danger-full-access$/i],
  // A shell with any arguments runs everything, and `//` is the root of the machine.
  [
    "allow",
    /^(?:\*|All|Bash(?:\((?:\*|(?:\*|(?:ba|z|da|k)?sh|eval|sudo|env)?:\*)\))?|(?:Edit|Write)\(\/\/\*\*\))$/,
  ],
  ...words(`
    dangerouslyskippermissions skipdangerousmodepermissionprompt bypasspermissions
    enableallprojectmcpservers yolo yolomode autoaccept autoapprove autoapproveall alwaysallow allowall
    allowalltools allowallcommands trustalltools skipconfirmation skipconfirmations skipapproval
    skipapprovals skippermissions skippermissionchecks chat.tools.autoapprove
    chat.tools.global.autoapprove
  `).map((key): [string, RegExp] => [key, YES]),
]);
