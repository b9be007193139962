import { existsSync } from "node:fs";
import {
  type ConfigEntry,
  parseConfigValue,
  parseKeyPath,
  projectConfigPath,
  setConfigValue,
  unsetConfigValue,
  configPath as userConfigPath,
} from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { CliError, type ExitCode } from "../cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { openWorkspace, type Workspace } from "../context/open-workspace.ts";
import { diagnosticReport } from "../ui/diagnostic-report.ts";
import { displayWidth, pad, wrap } from "../ui/fit-text.ts";
import { diagnosticRow, printJson } from "../ui/json-document.ts";
import { showPath } from "../ui/show-path.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { Layout } from "../ui/terminal.ts";

interface LayerOption {
  /** The project's file instead of the user's. */
  readonly project?: boolean;
}

/** Lists every value of the configuration, and the layer and file that set it. */
export async function configList(context: CommandContext): Promise<ExitCode> {
  const { values, diagnostics } = await openWorkspace(context).config();
  const { terminal, environment } = context;
  if (context.json) {
    printJson(terminal, { values: values.map(toRow), diagnostics: diagnostics.map(diagnosticRow) });
    return 0;
  }
  const layout = { width: terminal.width, colours: terminal.colours, environment };
  for (const line of configTable(values, layout)) terminal.print(line);
  for (const diagnostic of diagnostics) {
    const file = showPath(diagnostic.file, environment);
    terminal.warn();
    for (const line of diagnosticReport(diagnostic, {
      ...layout,
      colours: terminal.errorColours,
      file,
      lineWidth: terminal.errorLineWidth,
    }))
      terminal.warn(line);
  }
  return 0;
}

/** Prints one value. */
export async function configGet(
  context: CommandContext,
  options: { readonly key: string },
): Promise<ExitCode> {
  const { values } = await openWorkspace(context).config();
  const found = findConfigValue(values, options.key);
  if (context.json) printJson(context.terminal, toRow(found));
  else context.terminal.print(stripControl(formatConfigValue(found.value)));
  return 0;
}

/** Writes one value to the user's config or the project's. */
export async function configSet(
  context: CommandContext,
  options: LayerOption & { readonly key: string; readonly value: string },
): Promise<ExitCode> {
  const target = chooseTarget(context, openWorkspace(context), options);
  const value = parseConfigValue(options.value);
  const change = await orSayNothingWritten(() => setConfigValue({ ...target, key: options.key, value }));
  return reportChange(
    context,
    { key: options.key, value, ...change },
    `${options.key} is ${formatConfigValue(value)}`,
  );
}

/** Removes one value, so that a lower layer or the default holds. */
export async function configUnset(
  context: CommandContext,
  options: LayerOption & { readonly key: string },
): Promise<ExitCode> {
  const target = chooseTarget(context, openWorkspace(context), options);
  const change = await orSayNothingWritten(() => unsetConfigValue({ ...target, key: options.key }));
  return reportChange(context, { key: options.key, ...change }, `${options.key} is not set`);
}

/** Prints where the user's config file lies, or the project's. */
export async function configPath(context: CommandContext, options: LayerOption): Promise<ExitCode> {
  const { home, layer, projectRoot } = chooseTarget(context, openWorkspace(context), options);
  const path =
    layer === "project" && projectRoot !== undefined ? projectConfigPath(projectRoot) : userConfigPath(home);
  if (context.json) printJson(context.terminal, { path, exists: existsSync(path) });
  else context.terminal.print(stripControl(path));
  return 0;
}

function toRow({ key, value, origins }: ConfigEntry): Record<string, unknown> {
  const strongest = origins.at(-1) ?? { layer: "defaults" };
  return { key, value, ...strongest, origins };
}

function chooseTarget(
  context: CommandContext,
  { home, project }: Workspace,
  options: LayerOption,
): { readonly home: string; readonly layer: "user" | "project"; readonly projectRoot?: string } {
  if (options.project !== true) return { home, layer: "user" };
  if (project !== undefined) return { home, layer: "project", projectRoot: project.root };
  throw new CliError("no-project", `${context.workspace} lies in no project, so it has no project config.`, {
    hints: ["Run it in a project's folder, or leave --project out for your own config."],
  });
}

// The lines that such an error shows look like the file's own; they are not, or nothing was done about them.
async function orSayNothingWritten<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!SkilletError.isInstance(error) || error.code !== "config-invalid") throw error;
    throw new CliError("config-invalid", `Nothing was written. ${error.message}`, { details: error.data });
  }
}

function reportChange(
  context: CommandContext,
  change: {
    readonly key: string;
    readonly value?: unknown;
    readonly file: string;
    readonly changed: boolean;
  },
  text: string,
): ExitCode {
  const { terminal, environment } = context;
  if (context.json) printJson(terminal, change);
  else
    terminal.print(
      stripControl(
        `${text} ${change.changed ? "now" : "already"}, in ${showPath(change.file, environment)}.`,
      ),
    );
  return 0;
}

/** Finds what a dotted key means: a value, part of one, or a group of them; an unknown key ends the command. */
export function findConfigValue(values: readonly ConfigEntry[], key: string): ConfigEntry {
  const path = parseKeyPath(key);
  const group: ConfigEntry[] = [];
  for (const entry of values) {
    const entryPath = parseKeyPath(entry.key);
    if (startsWith(path, entryPath)) {
      const value = drill(entry.value, path.slice(entryPath.length));
      if (value !== undefined) return { key, value, origins: entry.origins };
    }
    if (startsWith(entryPath, path)) group.push(entry);
  }
  if (group.length > 0)
    return { key, value: nest(group, path.length), origins: group.flatMap(({ origins }) => origins) };
  throw new CliError("config-key-unknown", `There is no config value '${key}'.`, {
    exitCode: 1,
    hints: ["See all of them: skillet config list"],
    details: { key },
  });
}

/** A value on one line: text as it is, everything else as JSON, which is YAML too. */
export function formatConfigValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function startsWith(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((part, index) => path[index] === part);
}

function drill(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Record<string, unknown>)[part];
  }
  return current;
}

function nest(group: readonly ConfigEntry[], depth: number): unknown {
  const root: Record<string, unknown> = Object.create(null);
  for (const { key, value } of group) {
    const path = parseKeyPath(key).slice(depth);
    const last = path.at(-1);
    let current = root;
    for (const part of path.slice(0, -1)) {
      current[part] ??= Object.create(null);
      current = current[part] as Record<string, unknown>;
    }
    if (last !== undefined) current[last] = value;
  }
  return root;
}

// `config get` prints the whole of a longer one.
const MAX_VALUE_LINES = 4;

/** Every value, and below it where it was set; defaults are dim, so that what people set stands out. */
export function configTable(values: readonly ConfigEntry[], layout: Layout): string[] {
  const { colours, width } = layout;
  const rows = values.map(({ key, value }) => ({
    key: stripControl(key),
    value: stripControl(spacedValue(value)),
  }));
  const column = rows.reduce((most, { key }) => Math.max(most, displayWidth(key)), 0) + 2;
  return values.flatMap(({ origins }, index) => {
    const isDefault = origins.every(({ layer }) => layer === "defaults");
    const paint = isDefault ? colours.dim : String;
    const { key = "", value = "" } = rows[index] ?? {};
    // Keys next to values need room for both.
    const lines =
      column > width / 2
        ? [...wrap(key, { width }), ...fit(value, width - 4).map((line) => `    ${line}`)]
        : fit(value, width - column).map((line, row) => pad(row === 0 ? key : "", column) + line);
    const setters = isDefault
      ? []
      : origins.flatMap((origin) => wrap(originText(origin, layout), { width: width - 2 }));
    return [...lines.map(paint), ...setters.map((text) => `  ${colours.dim(text)}`)];
  });
}

// Lists are broken between their items.
function spacedValue(value: unknown): string {
  if (!Array.isArray(value)) return formatConfigValue(value);
  return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
}

function fit(value: string, width: number): string[] {
  const lines = wrap(value, { width, maxLines: MAX_VALUE_LINES });
  return lines.length === 0 ? [""] : lines;
}

function originText(origin: ConfigEntry["origins"][number], layout: Layout): string {
  const { layer, file, line } = origin;
  if (file === undefined) return `set by ${layer}`;
  return `set by ${layer}, ${showPath(file, layout.environment)}${line === undefined ? "" : `:${line}`}`;
}
