import { readdir } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { suggestNames } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { diagnosticSection } from "../explain/diagnostic-section.ts";
import { diagnosticRow } from "../output/diagnostic-row.ts";
import { printJson } from "../output/json-document.ts";
import { type RunTree, readRunTree } from "../records/read-run-tree.ts";
import { timeline } from "../records/timeline.ts";
import { wrap } from "../ui/fit-text.ts";
import { count } from "../ui/skill-state.ts";

/** Tells what happened in a recorded run. */
export async function records(context: CommandContext, options: { readonly run: string }): Promise<ExitCode> {
  const run = await readOrRefuse(resolve(context.workspace, options.run));
  const diagnostics = allRuns(run).flatMap((one) => one.diagnostics);
  const exitCode = diagnostics.some(({ severity }) => severity === "error") ? 1 : 0;
  const { terminal, environment } = context;
  if (context.json) {
    printJson(terminal, toDocument(run));
    return exitCode;
  }
  const layout = { width: terminal.width, colours: terminal.colours, environment };
  for (const line of timeline(run, layout)) terminal.print(line);
  const faults = diagnosticSection(diagnostics, { ...layout, texts: new Map() });
  for (const line of faults.length > 0 ? ["", ...faults] : []) terminal.print(line);
  terminal.print();
  for (const line of wrap(summary(run), layout)) terminal.print(line);
  return exitCode;
}

async function readOrRefuse(runFolder: string): Promise<RunTree> {
  try {
    return await readRunTree(runFolder);
  } catch (error) {
    if (!SkilletError.isInstance(error) || error.code !== "run-not-found") throw error;
    const near = suggestNames(basename(runFolder), await namesBeside(runFolder));
    throw new CliError(error.code, error.message, {
      exitCode: 1,
      hints: near.length > 0 ? [`Did you mean ${near.join(" or ")}?`] : [],
      details: { ...error.data, suggestions: near },
    });
  }
}

async function namesBeside(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(dirname(path), { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && entry.name !== basename(path))
      .map(({ name }) => name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return [];
    throw error;
  }
}

function allRuns(run: RunTree): readonly RunTree[] {
  return [run, ...run.children.flatMap((child) => (child.run === undefined ? [] : allRuns(child.run)))];
}

function toDocument(run: RunTree): Record<string, unknown> {
  const { runFolder, events, diagnostics, children } = run;
  return {
    runFolder,
    events,
    diagnostics: diagnostics.map(diagnosticRow),
    children: children.map(({ runId, run: child }) => ({ runId, ...(child && { run: toDocument(child) }) })),
  };
}

function summary(run: RunTree): string {
  const runs = allRuns(run);
  const events = runs.flatMap((one) => one.events);
  const forks = runs.reduce((sum, { children }) => sum + children.length, 0);
  const refused = events.filter(({ outcome }) => outcome === "refused").length;
  const asked = events.filter(({ outcome }) => outcome === "asked").length;
  const failed = events.filter(({ outcome }) => outcome === "failed").length;
  const parts = [
    count(events.length, "record"),
    ...(asked > 0 ? [`${asked} asked`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(forks > 0 ? [count(forks, "fork")] : []),
  ];
  return parts.join(", ");
}
