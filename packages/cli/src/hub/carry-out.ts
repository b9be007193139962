import type { Ask } from "@skillet/core";
import type { LockEntry, Plan, PlanItem, ToolPlan, ToolResult, ToolStep } from "@skillet/hub";
import { shellArgument } from "@skillet/kit/text";
import { CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { recordDecision } from "../context/record-decision.ts";
import { loadInstalling } from "../load-beside.ts";
import type { ProgressLine } from "../ui/progress-bar.ts";
import { count, showSentence, stripControl, wrap } from "../ui/text.ts";
import { keepSkillsLock, rememberVerdicts } from "./keep-up.ts";
import { isEdit, planSummary } from "./plan-summary.ts";
import {
  isRefusal,
  type ResultRow,
  type RowInspection,
  reportResults,
  warnDiagnosticsOf,
} from "./report-results.ts";
import type { HubWork } from "./with-hub.ts";

interface CarryOutOptions {
  /** Of the question, such as `Install`. */
  readonly verb: string;
  /** Yes to the plain question, and to nothing else. */
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly discardEdits: boolean;
  readonly acceptCapabilities: boolean;
  /** Do the others where one is declined. */
  readonly keepGoing?: boolean;
  /** Yes to installing the tools that are missing. */
  readonly tools?: boolean;
  /** Further names and what became of them. */
  readonly others?: readonly ResultRow[];
  /** What to say where the plan is empty. */
  readonly nothing: string;
  /** The command that does what nothing speaks against, where others kept it from being done. */
  readonly alone?: string;
  /** Lines that are printed after something was done, unless it is a document. */
  readonly advice?: (done: readonly PlanItem[]) => Promise<readonly string[]>;
  /** Done after the skills are placed, and only then. */
  readonly afterwards?: (items: readonly PlanItem[]) => Promise<void>;
}

/** Shows a plan, asks, does it and reports it: what `install`, `update` and `rollback` have in common. */
export async function carryOut(
  context: CommandContext,
  work: HubWork,
  planned: Plan,
  options: CarryOutOptions,
): Promise<ExitCode> {
  const { hub, progress } = work;
  const { dryRun, others = [], nothing, discardEdits, acceptCapabilities, keepGoing = false } = options;
  const plan = discardEdits ? withEdits(planned) : planned;
  const { root } = hub;
  progress.clear();
  showPlan(context, plan, { ...options, root });
  const tools = await showMissingTools(context, work, plan);
  const files = new Map(
    plan.items.map(({ name, candidate }) => [name, candidate.files.map(({ path }) => path)]),
  );
  const diagnostics = [...plan.diagnostics, ...tools.diagnostics];
  const report = { root, dryRun, files, nothing, alone: options.alone, diagnostics };
  const told = (rows: readonly ResultRow[]): readonly ResultRow[] => [
    ...inspectedRows(rows, plan),
    ...others,
  ];
  if (dryRun)
    return reportResults(context, {
      ...report,
      rows: told(dryRows(work, plan, options)),
      tools: toolRows(tools, []),
    });
  const isAsked = plan.refusals.length === 0 && needsPlainYes(context, plan, options);
  if (isAsked && !(await confirmPlan(context, plan, options))) {
    await recordDeclined(work, plan);
    return reportResults(context, { ...report, rows: told(declinedRows(plan)) });
  }
  const results = await hub.apply(plan, { discardEdits, acceptCapabilities, keepGoing });
  progress.clear();
  const out = new Set(results.filter(isRefusal).map(({ name }) => name));
  const done = plan.items.filter(({ name }) => !out.has(name));
  const left = new Set((plan.failed ?? []).map(({ name }) => name));
  const isDone = keepGoing || [...out].every((name) => left.has(name));
  if (isDone) await rememberVerdicts(context, work, done);
  if (isDone) await options.afterwards?.(done);
  const behind = isDone ? await keepSkillsLock(work, { before: beforeOf(done), items: done }) : [];
  warnDiagnosticsOf(context, behind);
  const rows = told(results);
  const code = context.json ? 0 : reportResults(context, { ...report, rows });
  const isChanged = isDone && results.some((row) => !isRefusal(row) && row.outcome !== "unchanged");
  if (isChanged && !context.json) context.terminal.print((await options.advice?.(done)) ?? []);
  const accepted = options.tools ?? false;
  const needed = { ...tools, steps: tools.steps.filter(({ skill }) => !out.has(skill)) };
  const ran = isDone ? await installMissingTools(context, work, { tools: needed, accepted }) : [];
  const isBroken = ran.some(({ outcome }) => outcome === "failed");
  if (!context.json) return isBroken ? 1 : code;
  const end = reportResults(context, {
    ...report,
    rows,
    diagnostics: [...diagnostics, ...behind],
    tools: toolRows(tools, ran),
  });
  return isBroken ? 1 : end;
}

// Whoever gives edits up has to see which, also where there is nothing newer.
function withEdits(plan: Plan): Plan {
  const items = plan.items.map((item): PlanItem => {
    const isEdited = item.action === "unchanged" && item.drift?.some(isEdit) === true;
    return isEdited ? { ...item, action: "restore" } : item;
  });
  return { ...plan, items };
}

function beforeOf(items: readonly PlanItem[]): ReadonlyMap<string, LockEntry> {
  return new Map(items.flatMap(({ name, before }) => (before === undefined ? [] : [[name, before]])));
}

function showPlan(
  context: CommandContext,
  plan: Plan,
  { root, dryRun, discardEdits }: CarryOutOptions & { readonly root: string },
): void {
  warnDiagnosticsOf(context, plan.diagnostics);
  if (context.json) return;
  const { terminal, environment } = context;
  const { width, colours } = terminal;
  const lines = planSummary(plan, { width, colours, environment, root, dryRun, discardEdits });
  terminal.print(lines);
  if (lines.length > 0) terminal.print();
}

// Where each skill asks for itself, one more question about all of them is read by nobody.
function needsPlainYes(
  { json, confirm }: CommandContext,
  { items }: Plan,
  { yes, acceptCapabilities }: CarryOutOptions,
): boolean {
  const changing = items.filter(({ action }) => action !== "unchanged");
  if (yes || changing.length === 0) return false;
  const canAsk = confirm !== undefined && !json;
  return !canAsk || !changing.every((item) => isOpen(item, acceptCapabilities));
}

async function confirmPlan(
  { confirm, json }: CommandContext,
  { items }: Plan,
  { verb }: CarryOutOptions,
): Promise<boolean> {
  const changing = items.filter(({ action }) => action !== "unchanged");
  if (confirm === undefined || json)
    throw new CliError(
      "confirmation-needed",
      "Nothing was changed: this needs confirmation, and there is no terminal to ask on.",
      {
        hints: ["Look with --dry-run, then repeat the command with --yes."],
        details: { names: changing.map(({ name }) => name) },
      },
    );
  return confirm(`${verb} ${count(changing.length, "skill")}?`);
}

async function recordDeclined({ home, hub }: HubWork, { items }: Plan): Promise<void> {
  for (const { name, entry, action, origin, report } of items)
    if (action !== "unchanged")
      await recordDecision(home, {
        action: action === "restore" ? "install" : action,
        skill: name,
        path: hub.lockFile,
        digest: entry.digest,
        source: entry.source,
        origin,
        verdict: report.verdict,
        decision: "deny",
        reason: "declined",
      });
}

const MAX_FINDINGS = 50;

type Inspected = Pick<Plan["items"][number], "report" | "origin">;

/** Adds to what became of each name what its scan said, where it came that far. */
function inspectedRows(
  rows: readonly ResultRow[],
  { items, refusals, failed = [] }: Plan,
): readonly ResultRow[] {
  const known = new Map<string, Inspected>(items.map((item) => [item.name, item]));
  for (const { name, inspected } of [...refusals, ...failed])
    if (inspected !== undefined) known.set(name, inspected);
  const earlier = new Map(items.map(({ name, before }) => [name, before?.resolved]));
  return rows.map((row) => {
    const before = earlier.get(row.name);
    const inspected = known.get(row.name);
    return inspected === undefined
      ? row
      : { ...row, ...(before !== undefined && { before }), ...inspectionOf(inspected) };
  });
}

function inspectionOf({ report, origin }: Inspected): RowInspection {
  const { verdict, capabilities, findings } = report;
  const rest = findings.length - MAX_FINDINGS;
  return {
    verdict,
    origin,
    capabilities,
    findings: findings
      .slice(0, MAX_FINDINGS)
      .map(({ rule, severity, file, line, message }) => ({ rule, severity, file, line, message })),
    ...(rest > 0 && { moreFindings: rest }),
  };
}

/** What would happen with nobody there, so that a dry run in a pipeline tells what the run itself will say. */
function dryRows(
  work: HubWork,
  { items, refusals, failed = [] }: Plan,
  { acceptCapabilities }: { readonly acceptCapabilities: boolean },
): readonly ResultRow[] {
  const { doneOutcome, refusedResult, resultOf } = loadInstalling();
  const isRefused = refusals.length > 0;
  return [
    ...items.map((item): ResultRow => {
      if (isRefused)
        return resultOf(
          item,
          "skipped",
          `Nothing would be done, because ${refusals[0]?.name ?? ""} is refused.`,
        );
      if (item.action !== "unchanged" && isOpen(item, acceptCapabilities))
        return resultOf(item, "declined", openReason(work, item));
      return resultOf(item, doneOutcome(item));
    }),
    ...refusals.map((refusal) => refusedResult(refusal, "refused")),
    ...failed.map((refusal) => refusedResult(refusal, "failed")),
  ];
}

/** The rows of a plan that somebody said no to: what would not have changed stays what it is. */
function declinedRows({ items, failed = [] }: Plan): readonly ResultRow[] {
  const { refusedResult, resultOf } = loadInstalling();
  return [
    ...items.map((item) => resultOf(item, item.action === "unchanged" ? "unchanged" : "declined")),
    ...failed.map((refusal) => refusedResult(refusal, "failed")),
  ];
}

/** Whether an item waits for a person, whatever `--yes` says. */
function isOpen(item: PlanItem, acceptCapabilities: boolean): boolean {
  if (item.questions.length === 0) return false;
  return !acceptCapabilities || loadInstalling().neededAnswer(item) !== "accept-capabilities";
}

function openReason(work: HubWork, { questions, ...item }: PlanItem): string {
  const { neededAnswer, scopedCommand } = loadInstalling();
  const answer = neededAnswer({ questions, ...item });
  const instead =
    answer === "own-install"
      ? `to be installed by itself (${scopedCommand(work, `install ${shellArgument(item.entry.source)}`)})`
      : `--${answer}`;
  return `It would need a person's yes, or ${instead}: ${questions.join("; ")}.`;
}

/** The way to a person for what no flag such as `--yes` answers; absent where nobody is there, and beside a document. */
export function createInstallAsk(context: CommandContext, progress: ProgressLine): Ask | undefined {
  const { confirm, json, environment } = context;
  if (confirm === undefined || json) return undefined;
  return async ({ kind, skill, reason }) => {
    progress.clear();
    const sentence = showSentence(`${skill}: ${reason}`, environment);
    return {
      choice: (await confirm(`${sentence}. ${kind === "dependencies" ? "Run it?" : "Use it all the same?"}`))
        ? "yes"
        : "no",
    };
  };
}

/** Shows how the commands that skills need and this machine lacks would be installed; runs nothing. */
export async function showMissingTools(
  context: CommandContext,
  { hub }: HubWork,
  plan: Plan,
): Promise<ToolPlan> {
  const tools = await hub.planTools({ names: [], plan });
  if (context.json) return tools;
  warnDiagnosticsOf(context, tools.diagnostics);
  const { terminal, environment } = context;
  for (const step of tools.steps) {
    const line = `${step.skill} needs ${step.bins.join(", ")}, which is missing: ${describe(step)}`;
    for (const part of wrap(showSentence(line, environment), { width: terminal.width - 2 }))
      terminal.print(`  ${part}`);
  }
  if (tools.steps.length > 0) terminal.print();
  return tools;
}

/** Installs missing tools, each after a yes; where nobody is there, only with a yes beforehand. */
export async function installMissingTools(
  { terminal, json }: CommandContext,
  { hub, progress, canAsk }: HubWork,
  { tools, accepted }: { readonly tools: ToolPlan; readonly accepted: boolean },
): Promise<readonly ToolResult[]> {
  if (tools.steps.length === 0) return [];
  if (!accepted && !canAsk) {
    if (!json) terminal.warn("Tools are missing; to install them as shown, repeat the command with --tools.");
    return [];
  }
  const results = await hub.runTools(tools, { accepted });
  progress.clear();
  if (json) return results;
  for (const { step, outcome, reason } of results) {
    terminal.print(`${outcome === "installed" ? "✓" : "✗"} ${stripControl(step.label)}  ${outcome}`);
    if (outcome === "failed" && reason !== undefined)
      for (const line of wrap(stripControl(reason), { width: terminal.width - 4, maxLines: 8 }))
        terminal.print(`    ${line}`);
  }
  return results;
}

/** The steps as documents have them, with what became of each. */
export function toolRows(
  { steps }: ToolPlan,
  results: readonly ToolResult[],
): readonly Readonly<Record<string, unknown>>[] {
  return steps.map((step) => {
    const result = results.find((one) => one.step === step);
    return {
      ...step,
      outcome: result?.outcome ?? "planned",
      ...(result?.reason !== undefined && { reason: result.reason }),
    };
  });
}

function describe(step: ToolStep): string {
  return loadInstalling().describeStep(step);
}
