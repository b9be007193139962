import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { McpServerConfig } from "@skillet/core";
import {
  type ConfigEntry,
  checkServerLabel,
  listConfigValues,
  setConfigValue,
  unsetConfigValue,
} from "@skillet/core/internal";
import { present } from "@skillet/kit/json";
import { nearestName } from "@skillet/kit/nearest-name";
import { shellArgument } from "@skillet/kit/text";
import type { ServerCheck } from "@skillet/mcp/client";
import { didYouMean, onSkilletError, refusalError, usageError } from "../context/cli-error.ts";
import {
  answer,
  type CommandContext,
  type ExitCode,
  type Lists,
  type Texts,
} from "../context/command-context.ts";
import { openServer, placeOf, serverCache } from "../context/open-server.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { loadServing } from "../load-beside.ts";
import type { Terminal } from "../ui/terminal.ts";
import { count, formatBytes, hang, showPath, stripControl } from "../ui/text.ts";

interface PlaceOptions extends Texts<"tokenEnv">, Lists<"env"> {
  /** An address, or a command and its arguments. */
  readonly words: readonly string[];
}

type OfLabel = { readonly label: string };
type Listed = { readonly skills?: number; readonly leftOut?: number; readonly problem?: object };

const KEY = "mcp.servers";

export async function addServer(context: CommandContext, options: PlaceOptions & OfLabel): Promise<ExitCode> {
  const { label } = options;
  // Other labels, such as `../../..`, would name a folder outside the cache.
  checkServerLabel(label);
  const server = serverOf(options);
  const known = (await readServers(context)).get(label)?.value;
  const isKnown = known !== undefined && JSON.stringify(known) === JSON.stringify(server);
  if (known !== undefined && !isKnown)
    throw refusalError("mcp-label-taken", `There is a server called ${label} already.`, { label }, [
      `To replace it, first: skillet mcp remove ${label}`,
    ]);
  // The server is queried before it is saved, and not from what was cached under this label before.
  await dropCache(context, label);
  const { folders, diagnostics } = await openServer(context, label, server).listSkills();
  const { home } = openWorkspace(context);
  const change = await setConfigValue({ home, layer: "user", key: `${KEY}.${label}`, value: server });
  const { terminal, environment } = context;
  const document = { label, ...server, skills: folders.length, leftOut: diagnostics.length, ...change };
  const offered = skillCount(document);
  return answer(context, document, () =>
    [
      `${label} offers ${offered}, called ${label}:NAME. Their files are fetched and scanned when they are loaded.`,
      `It is in ${showPath(change.file, environment)}. To take it out: skillet mcp remove ${label}`,
    ].flatMap((text) => hang(text, terminal)),
  );
}

export async function removeServer(context: CommandContext, { label }: OfLabel): Promise<ExitCode> {
  checkServerLabel(label);
  const { home } = openWorkspace(context);
  const servers = await readServers(context);
  const origin = servers.get(label)?.origins.at(-1);
  if (origin === undefined) {
    const near = nearestName(label, [...servers.keys()]);
    const hints = didYouMean(near === undefined ? [] : [near], "See them: skillet mcp list");
    throw refusalError("mcp-label-unknown", `There is no server called '${label}'.`, { label }, hints);
  }
  if (origin.layer !== "user")
    throw refusalError("mcp-label-unknown", `${label} is not in your own config.`, { label, ...origin }, [
      `It is in: ${showPath(origin.file ?? "", context.environment)}`,
    ]);
  const change = await unsetConfigValue({ home, layer: "user", key: `${KEY}.${label}` });
  await dropCache(context, label);
  return answer(context, { label, ...change }, () =>
    hang(`${label} is no longer asked, and what was cached from it is deleted.`, context.terminal),
  );
}

/** Fetched files and the list; origin and approvals are tied to label and digests, so they go with them. */
async function dropCache(context: CommandContext, label: string): Promise<void> {
  await rm(join(serverCache(openWorkspace(context).home), label), { recursive: true, force: true });
}

export async function listServers(context: CommandContext): Promise<ExitCode> {
  const { terminal, environment } = context;
  const rows = await Promise.all(
    Array.from(await readServers(context), async ([label, { value, origins }]) => {
      const server = value as McpServerConfig;
      const { layer, file } = origins.at(-1) ?? {};
      return { label, ...server, ...present({ layer, file }), ...(await ask(context, label, server)) };
    }),
  );
  return answer(context, { servers: rows }, () => {
    if (rows.length === 0) return "No servers. To add one: skillet mcp add LABEL URL";
    return rows.flatMap((row) => [
      ...hang(`${row.label}  ${showPlace(row)}`, terminal),
      ...hang(skillCount(row), terminal, { indent: 4, lead: "    " }),
      ...(row.layer === "user"
        ? []
        : hang(`set in ${showPath(row.file ?? "", environment)}`, terminal, { indent: 4, lead: "    " })),
    ]);
  });
}

async function ask(context: CommandContext, label: string, server: McpServerConfig): Promise<Listed> {
  try {
    const { folders, diagnostics } = await openServer(context, label, server).listSkills();
    return { skills: folders.length, leftOut: diagnostics.length };
  } catch (error) {
    return onSkilletError(({ code, message }) => ({ problem: { code, message } }))(error);
  }
}

function skillCount({ skills = 0, leftOut = 0, problem }: Listed): string {
  if (problem !== undefined) return (problem as Error).message;
  const rest = leftOut === 0 ? "" : ` (${leftOut} left out, see: skillet doctor)`;
  return `${count(skills, "skill")}${rest}`;
}

const showPlace = ({ url, command = [] }: McpServerConfig): string =>
  url ?? command.map(shellArgument).join(" ");

/** Exit code 0: every check passed; 1: one failed, or there are no skills; 2: no answer from the server. */
export async function verifyForeign(context: CommandContext, options: PlaceOptions): Promise<ExitCode> {
  const [word = ""] = options.words;
  const known = options.words.length === 1 ? (await readServers(context)).get(word)?.value : undefined;
  const server = (known as McpServerConfig | undefined) ?? serverOf(options);
  const place =
    known === undefined
      ? placeOf(context, "server", server, context.workspace)
      : placeOf(context, word, server);
  const report = await loadServing()
    .verifyServer(place)
    .catch(
      onSkilletError(({ code, message, data }) => {
        throw refusalError(code, message, data, ["Skills need: io.modelcontextprotocol/skills"]);
      }, "mcp-no-skills"),
    );
  const { checks, skills, files, bytes } = report;
  const statuses = ["passed", "failed", "warning", "skipped"] as const;
  const counts = statuses.map((status) => [status, checks.filter((one) => one.status === status).length]);
  const isFailed = checks.some(({ status }) => status === "failed");
  const document = { ...server, ...report, ...Object.fromEntries(counts) };
  const screen = (): readonly string[] => [
    ...checks.flatMap((check) => checkLines(check, context.terminal)),
    "",
    `${counts.map(([status, number]) => `${number} ${status}`).join(", ")}; ${count(skills, "skill")}, ${count(files, "file")}, ${formatBytes(bytes)}`,
  ];
  return answer(context, document, screen, isFailed ? 1 : 0);
}

function checkLines({ id, status, problems }: ServerCheck, terminal: Terminal): readonly string[] {
  const { green, red, yellow, dim } = terminal.colours;
  const marks = { passed: green("✓"), failed: red("✗"), warning: yellow("!"), skipped: dim("-") };
  const lines = problems.flatMap((problem) => hang(problem, terminal, { indent: 4, lead: "    " }));
  return [`${marks[status]} ${id}`, ...lines];
}

function serverOf({ words, tokenEnv, env }: PlaceOptions): McpServerConfig {
  const [word = "", ...more] = words;
  const isUrl = /^[a-z]+:\/\//i.test(word) && more.length === 0;
  if ((isUrl ? env : tokenEnv) === undefined)
    return isUrl ? present({ url: word, tokenEnv }) : present({ command: words, env });
  throw usageError("mcp", isUrl ? "--env is for a command." : "--token-env is for an address.");
}

/** Returns the servers by label; a project cannot add any. */
async function readServers(context: CommandContext): Promise<ReadonlyMap<string, ConfigEntry>> {
  const loaded = await openWorkspace(context).config({ without: "project" });
  const own = listConfigValues(loaded).filter(({ key }) => key.startsWith(`${KEY}.`));
  return new Map(own.map((entry) => [stripControl(entry.key.slice(KEY.length + 1)), entry]));
}
