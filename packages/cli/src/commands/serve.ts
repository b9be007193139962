import { createRequire } from "node:module";
import type { CatalogBudget } from "@skillet/core";
import { shellArgument } from "@skillet/kit/text";
import { CliError, refuseUsage } from "../context/cli-error.ts";
import {
  answer,
  type CommandContext,
  type ExitCode,
  type Flags,
  Interruption,
  type Lists,
  type Numbers,
} from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import { openRegistry } from "../context/open-registry.ts";
import { loadServing } from "../load-beside.ts";
import { openScriptRunner, placeFlags } from "../run/open-script-runner.ts";
import { hang, stripControl } from "../ui/text.ts";

export type McpClient =
  | ("claude-code" | "codex" | "gemini-cli" | "vscode")
  | ("cursor" | "antigravity" | "zed" | "amp" | "cline");

interface ServeCommandOptions extends Flags<"http" | "yes">, Numbers<"port">, Lists<"allowSkillScript"> {
  readonly budget?: CatalogBudget;
  readonly print?: McpClient;
  readonly install?: McpClient;
}

const TOKEN = "SKILLET_MCP_TOKEN";

/** Serves until the client leaves or a signal comes; standard output belongs to the protocol. */
export async function serve(context: CommandContext, options: ServeCommandOptions): Promise<ExitCode> {
  const { http = false, port, print, install } = options;
  refuseUsage("serve", [
    [port !== undefined && !http, "--port needs --http."],
    [print !== undefined && install !== undefined, "Use --print or --install, not both."],
    [http && (print ?? install) !== undefined, "A client that starts the server itself needs no --http."],
    [context.json && (print ?? install) === undefined, "serve has no --json: its output is the protocol's."],
  ]);
  if (print !== undefined) return printConfiguration(context, print, options);
  if (install !== undefined) return installIn(context, install, options);
  const { terminal, environment, version } = context;
  const skills = await openRegistry(context);
  const say = (line: string): void => terminal.warn(hang(stripControl(line), terminal.errors));
  // Standard input belongs to the protocol; scripts get none of it.
  const { readInput: _input, ...own } = context;
  const allow = options.allowSkillScript ?? [];
  const runner =
    allow.length > 0 ? openScriptRunner(own, { name: "", path: "", args: [], allow }) : undefined;
  const given = {
    version,
    budget: options.budget,
    session: { runner },
    onNotice: say,
    onError: (error: unknown) => say(`error: ${error instanceof Error ? error.message : String(error)}`),
  };
  const { serveHttp, serveStdio } = loadServing();
  const interruption = new Interruption(context);
  try {
    if (!http) {
      interruption.signal.addEventListener("abort", () => process.stdin.destroy());
      if (process.stdin.isTTY)
        say("Waiting for an MCP client. To put it into one: skillet serve --print CLIENT");
      await serveStdio(skills, given);
      return 0;
    }
    const token = environment[TOKEN];
    const server = await serveHttp(skills, { ...given, port, ...(token !== undefined && { token }) });
    say(`Serving skills on ${server.url} until Ctrl-C.`);
    const source = token === undefined ? server.token : `the value of ${TOKEN}`;
    say(`Every request must send: Authorization: Bearer ${source}`);
    await new Promise((resolve) => interruption.signal.addEventListener("abort", resolve));
    await server.close();
    return 0;
  } finally {
    interruption.release();
    await skills.close();
  }
}

/** Uses absolute paths: neither a project's folder nor another PATH decides which program a client starts. */
function commandOf(context: CommandContext, options: ServeCommandOptions): readonly string[] {
  const launcher = createRequire(import.meta.url).resolve("../bin/skillet.cjs");
  const scripts = (options.allowSkillScript ?? []).flatMap((script) => ["--allow-skill-script", script]);
  return [process.execPath, launcher, "serve", ...placeFlags(context), ...scripts];
}

interface ClientFacts {
  /** The client's config file, and the key that holds its servers; absent for TOML. */
  readonly file: string;
  readonly key?: string;
  /** The client's own commands that add a server (its words follow) and remove it again. */
  readonly add?: string;
  readonly remove?: string;
}

const CLIENTS: Readonly<Record<McpClient, ClientFacts>> = {
  "claude-code": {
    file: ".mcp.json of a project",
    key: "mcpServers",
    add: "claude mcp add --scope user skillet --",
    remove: "claude mcp remove --scope user skillet",
  },
  codex: {
    file: "~/.codex/config.toml",
    add: "codex mcp add skillet --",
    remove: "codex mcp remove skillet",
  },
  "gemini-cli": {
    file: "~/.gemini/settings.json",
    key: "mcpServers",
    add: "gemini mcp add --scope user skillet",
    remove: "gemini mcp remove --scope user skillet",
  },
  vscode: { file: ".vscode/mcp.json of a project", key: "servers" },
  cursor: { file: ".cursor/mcp.json of a project, or ~/.cursor/mcp.json", key: "mcpServers" },
  antigravity: { file: ".agents/mcp_config.json of a project", key: "mcpServers" },
  zed: { file: "~/.config/zed/settings.json", key: "context_servers" },
  amp: { file: "~/.config/amp/settings.json", key: "amp.mcpServers" },
  cline: { file: "cline_mcp_settings.json", key: "mcpServers" },
};

function printConfiguration(
  context: CommandContext,
  client: McpClient,
  options: ServeCommandOptions,
): ExitCode {
  const { file, key } = CLIENTS[client];
  const [command = "", ...args] = commandOf(context, options);
  const toml = `[mcp_servers.skillet]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`;
  const shown = key ? JSON.stringify({ [key]: { skillet: { command, args } } }, null, 2) : toml;
  if (!context.json) context.terminal.warn(`For ${file}:`);
  return answer(context, { client, file, command, args, text: shown }, () => shown);
}

async function installIn(
  context: CommandContext,
  client: McpClient,
  options: ServeCommandOptions,
): Promise<ExitCode> {
  const { add = "", remove } = CLIENTS[client];
  const words = [...add.split(" "), ...commandOf(context, options)];
  const { terminal, json: isJson } = context;
  const line = words.map(shellArgument).join(" ");
  if (!isJson) terminal.print(hang(`This is run: ${stripControl(line)}`, terminal));
  const report = (outcome: string, screen: string, exitCode: ExitCode = 0): ExitCode =>
    answer(context, { client, command: words, outcome }, () => hang(screen, terminal), exitCode);
  const question = `Add the server to ${client}? To take it back: ${remove}`;
  if (
    options.yes !== true &&
    !(await confirmChange(context, question, { details: { client, command: words } }))
  )
    return report("declined", "Nothing was changed.", 1);
  const { workspace: cwd, environment } = context;
  const done = await loadServing().runTool(words, { cwd, environment });
  if (done?.isDone === true)
    return report("installed", `${client} has the server now. To take it back: ${remove}`);
  const why = done === undefined ? "it is not installed, or not on your PATH" : stripControl(done.output);
  throw new CliError("client-failed", `${words[0]} could not add the server: ${why}`, {
    hints: [`Put it there yourself: skillet serve --print ${client}`],
    details: { client },
  });
}
