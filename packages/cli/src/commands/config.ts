import { existsSync } from "node:fs";
import {
  type ConfigEntry,
  parseConfigValue,
  projectConfigPath,
  setConfigValue,
  unsetConfigValue,
  configPath as userConfigPath,
} from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { findConfigValue, formatConfigValue } from "../config-values.ts";
import type { ExitCode } from "../exit-code.ts";
import { openWorkspace, type Workspace } from "../open-workspace.ts";
import { diagnosticRow } from "../output/diagnostic-row.ts";
import { printJson } from "../output/json-document.ts";
import { configTable } from "../ui/config-table.ts";
import { diagnosticReport } from "../ui/diagnostic-report.ts";
import { showPath } from "../ui/show-path.ts";
import { stripControl } from "../ui/strip-control.ts";

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
