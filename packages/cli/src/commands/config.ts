import { existsSync } from "node:fs";
import {
  type ConfigEntry,
  listConfigValues,
  parseConfigValue,
  parseKeyPath,
  projectConfigPath,
  readTrust,
  setConfigValue,
  trustOf,
  unsetConfigValue,
  configPath as userConfigPath,
} from "@skillet/core/internal";
import { fieldOf } from "@skillet/kit/json";
import { nearestName } from "@skillet/kit/nearest-name";
import { listFirst } from "@skillet/kit/text";
import { unknownAgent } from "../context/agents-of.ts";
import { CliError, onSkilletError, refusalError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { noProject, openWorkspace } from "../context/open-workspace.ts";
import { diagnosticReport } from "../ui/diagnostic-report.ts";
import type { Layout } from "../ui/terminal.ts";
import { displayWidth, durationMs, hang, pad, showPath, stripControl, wrap } from "../ui/text.ts";

type LayerOption = Flags<"project">;
type Keyed<More extends string = never> = LayerOption & Readonly<Record<"key" | More, string>>;

export async function configList(context: CommandContext): Promise<ExitCode> {
  const loaded = await openWorkspace(context).config();
  const [values, { diagnostics }] = [listConfigValues(loaded), loaded];
  const { terminal, environment, json } = context;
  answer(context, { values: values.map(toRow), diagnostics }, () => configTable(values, terminal));
  const { errors, width } = terminal;
  for (const diagnostic of json ? [] : diagnostics) {
    const file = showPath(diagnostic.file, environment);
    terminal.warn(["", ...diagnosticReport(diagnostic, { ...errors, width, file })]);
  }
  return 0;
}

async function readValues(context: CommandContext): Promise<readonly ConfigEntry[]> {
  return listConfigValues(await openWorkspace(context).config());
}

export async function configGet(context: CommandContext, { key }: Keyed): Promise<ExitCode> {
  const found = findConfigValue(await readValues(context), key);
  return answer(context, toRow(found), () => [stripControl(formatConfigValue(found.value))]);
}

export async function configSet(context: CommandContext, options: Keyed<"value">): Promise<ExitCode> {
  const { key } = options;
  const time = key === "skills.scriptTimeout" ? durationMs(options.value) : undefined;
  const value = time ?? parseConfigValue(options.value);
  const unknown = unknownAgent(
    ["hub", "agents"].reduce<unknown>(fieldOf, nest([{ key, value, origins: [] }])),
  );
  if (unknown !== undefined) throw unknown;
  const target = { ...chooseTarget(context, options), key };
  const change = await setConfigValue({ ...target, value }).catch(sayWhy(context, key));
  return reportChange(context, { key, value, ...change }, `${key} is ${formatConfigValue(value)}`);
}

export async function configUnset(context: CommandContext, options: Keyed): Promise<ExitCode> {
  const { key } = options;
  const target = { ...chooseTarget(context, options), key };
  const change = await unsetConfigValue(target).catch(sayWhy(context, key));
  const near = change.changed ? undefined : nearKey(await readValues(context), key);
  const text =
    near === undefined ? `${key} is not set` : `${key} is not a value; did you mean ${near}? It is not set`;
  return reportChange(context, { key, ...change }, text);
}

export async function configPath(context: CommandContext, options: LayerOption): Promise<ExitCode> {
  const { home, projectRoot } = chooseTarget(context, options);
  const path = projectRoot === undefined ? userConfigPath(home) : projectConfigPath(projectRoot);
  return answer(context, { path, exists: existsSync(path) }, () => [stripControl(path)]);
}

function toRow({ key, value, origins }: ConfigEntry): Record<string, unknown> {
  return { key, value, ...(origins.at(-1) ?? { layer: "defaults" }), origins };
}

function chooseTarget(
  context: CommandContext,
  options: LayerOption,
): { readonly home: string; readonly layer: "user" | "project"; readonly projectRoot?: string } {
  const { home, project } = openWorkspace(context);
  if (options.project !== true) return { home, layer: "user" };
  if (project === undefined) throw noProject(context.workspace);
  return { home, layer: "project", projectRoot: project.root };
}

// The error quotes lines that look like the file's own, so the message says that the file is unchanged.
const sayWhy = (context: CommandContext, key: string): ((error: unknown) => Promise<never>) =>
  onSkilletError(
    async (error) => {
      const { code, message, data: details } = error;
      if (code === "config-invalid") throw new CliError(code, `Nothing was written. ${message}`, { details });
      const hints = nearKeys(await readValues(context), key);
      throw new CliError(code, `There is no config value '${key}'; nothing was written.`, { details, hints });
    },
    ...["config-invalid", "config-key-unknown"],
  );

function reportChange(
  context: CommandContext,
  change: Readonly<Record<string, unknown>> & { readonly file: string; readonly changed: boolean },
  text: string,
): ExitCode {
  const when = change.changed ? "now" : "already";
  // Unsetting the last value deletes the file.
  const place = existsSync(change.file) ? `, in ${showPath(change.file, context.environment)}` : "";
  const { home, project } = openWorkspace(context);
  const isRead =
    project === undefined ||
    change.file !== projectConfigPath(project.root) ||
    trustOf(readTrust(home), project.root).trusted;
  const unread = " It is not read until the folder is trusted: skillet trust";
  return answer(context, { ...change, isRead }, () =>
    stripControl(`${text} ${when}${place}.${isRead ? "" : unread}`),
  );
}

/** Resolves a dotted key to a value, part of a value, or a group of values; throws if the key is unknown. */
export function findConfigValue(values: readonly ConfigEntry[], key: string): ConfigEntry {
  const path = parseKeyPath(key);
  const value = path.reduce<unknown>(fieldOf, nest(values));
  const isMeant = (entry: ConfigEntry): boolean =>
    parseKeyPath(entry.key).every((part, index) => index >= path.length || path[index] === part);
  if (value !== undefined)
    return { key, value, origins: values.filter(isMeant).flatMap(({ origins }) => origins) };
  const hints = nearKeys(values, key);
  throw refusalError("config-key-unknown", `There is no config value '${key}'.`, { key }, hints);
}

function nearKey(values: readonly ConfigEntry[], key: string): string | undefined {
  const keys = values.map((entry) => entry.key);
  if (keys.includes(key)) return undefined;
  const last = (dotted: string): string => dotted.slice(dotted.lastIndexOf(".") + 1);
  const nearLast = nearestName(last(key), keys.map(last));
  return nearestName(key, keys) ?? keys.find((other) => last(other) === nearLast);
}

function nearKeys(values: readonly ConfigEntry[], key: string): readonly string[] {
  const keys = values.map((entry) => entry.key);
  const near = nearKey(values, key);
  const section = key.slice(0, key.indexOf(".") + 1);
  const beside = keys.filter((other) => section !== "" && other.startsWith(section));
  const some = beside.length === 0 ? [] : [`There are ${listFirst(beside, 6)}.`];
  return [...(near ? [`Did you mean ${near}?`] : some), "See all of them: skillet config list"];
}

// Strings are printed as they are, everything else as JSON, which is valid YAML, too.
function formatConfigValue(value: unknown): string {
  return typeof value === "string" ? value : value === null ? "(not set)" : JSON.stringify(value);
}

function nest(values: readonly ConfigEntry[]): unknown {
  const root: Record<string, unknown> = Object.create(null);
  for (const { key, value } of values) {
    const path = parseKeyPath(key);
    let current = root;
    for (const part of path.slice(0, -1)) {
      current[part] ??= Object.create(null);
      current = current[part] as Record<string, unknown>;
    }
    current[path.at(-1) ?? ""] = value;
  }
  return root;
}

// `config get` prints a longer value in full.
const MAX_VALUE_LINES = 4;

/** Defaults are dimmed, so that the user's own settings stand out. */
export function configTable(values: readonly ConfigEntry[], layout: Layout): string[] {
  const { colours, width, environment } = layout;
  const column = Math.max(0, ...values.map(({ key }) => displayWidth(stripControl(key)))) + 2;
  // Keys are shown next to their values only if there is room for both.
  const isBeside = column <= width / 2;
  return values.flatMap((entry) => {
    const { value, origins } = entry;
    const isDefault = origins.every(({ layer }) => layer === "defaults");
    const key = stripControl(entry.key);
    const how = isBeside ? { indent: column, lead: pad(key, column) } : { indent: 4 };
    const shown = hang(spacedValue(value), layout, { ...how, maxLines: MAX_VALUE_LINES });
    const lines = [
      ...(isBeside ? [] : wrap(key, { width })),
      ...(shown.length === 0 ? [isBeside ? pad(key, column) : "    "] : shown),
    ];
    if (isDefault) return lines.map(colours.dim);
    const setters = origins.flatMap(({ layer, file, line }) => {
      const place =
        file === undefined ? "" : `, ${showPath(file, environment)}${line === undefined ? "" : `:${line}`}`;
      return hang(`set by ${layer}${place}`, layout, { indent: 2, paint: colours.dim });
    });
    return [...lines, ...setters];
  });
}

function spacedValue(value: unknown): string {
  if (!Array.isArray(value)) return formatConfigValue(value);
  return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
}
