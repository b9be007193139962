import { join } from "node:path";
import { type McpServerConfig, resolveHome, type SkillSource } from "@skillet/core";
import type { McpPlace } from "@skillet/mcp/client";
import { loadServing } from "../load-beside.ts";
import { stripControl } from "../ui/text.ts";
import type { CommandContext } from "./command-context.ts";

/** Users wait for every command, so a server has less time than with an agent. */
const REQUEST_MS = 10_000;

/** Describes how to reach a server. Its token is only read from the environment. */
export function placeOf(
  { environment, terminal, ended }: CommandContext,
  label: string,
  { url, tokenEnv, command, env }: McpServerConfig,
  // Not the workspace unless the user has just typed the command: a project must not decide what is started.
  cwd: string = resolveHome(environment).userHome,
): McpPlace {
  const token = tokenEnv === undefined ? undefined : environment[tokenEnv]?.trim();
  if (tokenEnv !== undefined && !token)
    terminal.warn(`${stripControl(tokenEnv)}, which holds the token of the server ${label}, is not set.`);
  return {
    label,
    url,
    requestMs: REQUEST_MS,
    signal: ended,
    ...(token && { headers: { authorization: `Bearer ${token}` } }),
    ...(command && { command: { argv: command, cwd, environment, pass: env } }),
  };
}

/** Outside every skills folder. */
export function serverCache(home: string): string {
  return join(home, "cache", "mcp");
}

export function openServer(context: CommandContext, label: string, server: McpServerConfig): SkillSource {
  const cacheDirectory = serverCache(resolveHome(context.environment).home);
  const source = loadServing().mcpSource({ ...placeOf(context, label, server), cacheDirectory });
  // Asks all servers in parallel: discovery then asks one source after another, and reports what failed.
  source.listSkills().catch(() => undefined);
  return source;
}
