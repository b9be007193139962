import type { Plan, PlanItem } from "@skillet/hub";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { recordDecision } from "../record-decision.ts";
import { count } from "../ui/skill-state.ts";
import { installMissingTools, showMissingTools, toolRows } from "./missing-tools.ts";
import { planSummary } from "./plan-summary.ts";
import { reportResults, warnDiagnosticsOf } from "./report-results.ts";
import type { ResultRow } from "./result-row.ts";
import type { HubWork } from "./with-hub.ts";

/** What was said on the command line about carrying a plan out. */
export interface CarryOutOptions {
  /** Of the question, such as `Install`. */
  readonly verb: string;
  /** Yes to the plain question, and to nothing else. */
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly discardEdits: boolean;
  readonly acceptCapabilities: boolean;
  /** Yes to installing the tools that are missing. */
  readonly tools?: boolean;
  /** Further names and what became of them. */
  readonly others?: readonly ResultRow[];
  /** What to say where the plan is empty. */
  readonly nothing: string;
  /** The command for those that nothing speaks against, where others kept them from being done. */
  readonly alone?: (names: readonly string[]) => string;
  /** Lines that are printed after something was done, unless it is a document. */
  readonly advice?: () => Promise<readonly string[]>;
  /** Done after the skills are placed, and only then. */
  readonly afterwards?: (items: readonly PlanItem[]) => Promise<void>;
}

/** Shows a plan, asks, does it and reports it: what `install`, `update` and `rollback` have in common. */
export async function carryOut(
  context: CommandContext,
  work: HubWork,
  plan: Plan,
  options: CarryOutOptions,
): Promise<ExitCode> {
  const { hub, progress } = work;
  const { dryRun, others = [], nothing } = options;
  const { root } = hub;
  progress.clear();
  showPlan(context, plan, root);
  const tools = await showMissingTools(context, work, plan);
  const files = new Map(
    plan.items.map(({ name, candidate }) => [name, candidate.files.map(({ path }) => path)]),
  );
  const { alone } = options;
  const report = {
    root,
    dryRun,
    files,
    nothing,
    alone,
    diagnostics: [...plan.diagnostics, ...tools.diagnostics],
  };
  if (dryRun)
    return reportResults(context, {
      ...report,
      rows: [...dryRows(plan, options), ...others],
      tools: toolRows(tools, []),
    });
  const isAsked = plan.refusals.length === 0 && needsPlainYes(context, plan, options);
  if (isAsked && !(await confirmPlan(context, plan, options))) {
    await recordDeclined(work, plan);
    const rows = plan.items.map((item) => rowOf(item, "declined"));
    return reportResults(context, { ...report, rows: [...rows, ...others] });
  }
  const { discardEdits, acceptCapabilities } = options;
  const results = await hub.apply(plan, { discardEdits, acceptCapabilities });
  progress.clear();
  const isDone = results.every(
    ({ outcome }) => !["blocked", "refused", "declined", "skipped"].includes(outcome),
  );
  if (isDone) await options.afterwards?.(plan.items);
  const code = context.json ? 0 : reportResults(context, { ...report, rows: [...results, ...others] });
  const isChanged = isDone && results.some(({ outcome }) => outcome !== "unchanged");
  if (isChanged && !context.json)
    for (const line of (await options.advice?.()) ?? []) context.terminal.print(line);
  const accepted = options.tools ?? false;
  const ran = isDone ? await installMissingTools(context, work, { tools, accepted }) : [];
  const isBroken = ran.some(({ outcome }) => outcome === "failed");
  if (!context.json) return isBroken ? 1 : code;
  const rows = [...results, ...others];
  return reportResults(context, { ...report, rows, tools: toolRows(tools, ran) }) === 1 || isBroken ? 1 : 0;
}

function showPlan(context: CommandContext, plan: Plan, root: string): void {
  warnDiagnosticsOf(context, plan.diagnostics);
  if (context.json) return;
  const { terminal, environment } = context;
  const { width, colours } = terminal;
  const lines = planSummary(plan, { width, colours, environment, root });
  for (const line of lines) terminal.print(line);
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

/** Whether an item waits for a person, whatever `--yes` says. */
function isOpen(item: PlanItem, acceptCapabilities: boolean): boolean {
  return item.questions.length > 0 && !(acceptCapabilities && !needsForce(item));
}

/** Whether it is about who or which version it comes from, or what a scan says, which no yes to capabilities answers. */
function needsForce({ decision, downgrade, move }: PlanItem): boolean {
  return decision.outcome !== "allow" || downgrade !== undefined || move !== undefined;
}

async function confirmPlan(
  { confirm, json }: CommandContext,
  { items }: Plan,
  { verb }: CarryOutOptions,
): Promise<boolean> {
  const changing = items.filter(({ action }) => action !== "unchanged");
  if (confirm === undefined || json)
    throw new CliError("confirmation-needed", "Nothing was changed: nobody is there to say yes.", {
      hints: ["Look with --dry-run, then repeat the command with --yes."],
      details: { names: changing.map(({ name }) => name) },
    });
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

// What would happen with nobody there, so that a dry run in a pipeline tells what the run itself will say.
function dryRows({ items, refusals }: Plan, { acceptCapabilities }: CarryOutOptions): readonly ResultRow[] {
  const isRefused = refusals.length > 0;
  return [
    ...items.map((item): ResultRow => {
      if (isRefused)
        return rowOf(
          item,
          "skipped",
          `Nothing would be done, because ${refusals[0]?.name ?? ""} is refused.`,
        );
      if (item.action !== "unchanged" && isOpen(item, acceptCapabilities))
        return rowOf(item, "declined", openReason(item));
      return rowOf(item, OUTCOMES[item.action]);
    }),
    ...refusals.map(({ name, source, code, reason, digest }): ResultRow => {
      const outcome = code === "blocked" ? "blocked" : "refused";
      return { name, source, outcome, reason, ...(digest && { digest }) };
    }),
  ];
}

function openReason(item: PlanItem): string {
  const flag = needsForce(item) ? "--force" : "--accept-capabilities";
  return `It would need a person's yes, or ${flag}: ${item.questions.join("; ")}.`;
}

const OUTCOMES: Readonly<Record<PlanItem["action"], ResultRow["outcome"]>> = {
  install: "installed",
  update: "updated",
  rollback: "rolled-back",
  restore: "restored",
  unchanged: "unchanged",
};

function rowOf(
  { name, entry, changes }: PlanItem,
  outcome: ResultRow["outcome"],
  reason?: string,
): ResultRow {
  const { source, resolved, digest, targets } = entry;
  return {
    name,
    source,
    resolved,
    digest,
    outcome,
    ...(reason !== undefined && { reason }),
    ...(changes !== undefined && { changes }),
    targets,
  };
}
