import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SkillToVet, TreeFile } from "@skillet/core";
import type { LockEntry, Plan, PlanItem, ToolPlan, ToolResult } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes, treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile, withFileLock, writeAtomic } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";
import { DEFAULT_SCAN_LIMITS } from "@skillet/scan";
import type { CommandContext, ExitCode, Flags } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import { openVetter } from "../context/open-registry.ts";
import { recordDecision } from "../context/record-decision.ts";
import { loadInstalling } from "../load-beside.ts";
import { count, hang, showSentence, stripControl } from "../ui/text.ts";
import { isEdit, planSummary } from "./plan-summary.ts";
import {
  isRefusal,
  type ResultRow,
  type RowInspection,
  reportResults,
  warnDiagnosticsOf,
} from "./report-results.ts";
import type { CommandHub, HubWork } from "./with-hub.ts";

/** What a command line says beforehand: `yes` to the plain question and to nothing else, `discard` to losing edits. */
export type CarryOutFlags = Flags<
  "project" | "force" | "yes" | "dryRun" | "discard" | "acceptCapabilities" | "tools" | "keepGoing"
>;

interface CarryOutOptions extends CarryOutFlags {
  readonly verb: string;
  readonly others?: readonly ResultRow[];
  readonly nothing: string;
  /** The command that does what nothing speaks against, where others kept it from being done. */
  readonly alone?: string;
  /** Lines that are printed after something was done, unless it is a document. */
  readonly advice?: (done: readonly PlanItem[]) => Promise<readonly string[]>;
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
  const { dryRun = false, others = [], nothing, alone, keepGoing = false } = options;
  const plan = options.discard === true ? withEdits(planned) : planned;
  const { root } = hub;
  progress.clear();
  showPlan(context, plan, { ...options, root });
  const tools = await showMissingTools(context, work, plan);
  const files = new Map(
    plan.items.map(({ name, candidate }) => [name, candidate.files.map(({ path }) => path)]),
  );
  const diagnostics = [...plan.diagnostics, ...tools.diagnostics];
  const report = { root, dryRun, files, nothing, alone, diagnostics };
  const told = (rows: readonly ResultRow[]): readonly ResultRow[] => [
    ...inspectedRows(rows, plan),
    ...others,
  ];
  if (dryRun) {
    const rows = told(dryRows(work, plan, options));
    return reportResults(context, { ...report, rows, tools: toolRows(tools, []) });
  }
  if (!(await isAgreed(context, plan, options))) {
    await recordDeclined(work, plan);
    return reportResults(context, { ...report, rows: told(declinedRows(plan)) });
  }
  const results = await hub.apply(plan, {
    discardEdits: options.discard ?? false,
    acceptCapabilities: options.acceptCapabilities ?? false,
    keepGoing,
  });
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
  const needed = { ...tools, steps: tools.steps.filter(({ skill }) => !out.has(skill)) };
  const ran = isDone ? await installMissingTools(context, work, needed, options.tools ?? false) : [];
  const isBroken = ran.some(({ outcome }) => outcome === "failed");
  if (!context.json) return isBroken ? 1 : code;
  const end = reportResults(context, {
    ...{ ...report, rows, diagnostics: [...diagnostics, ...behind], tools: toolRows(tools, ran) },
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
  { root, dryRun = false, discard = false }: CarryOutFlags & { readonly root: string },
): void {
  warnDiagnosticsOf(context, plan.diagnostics);
  if (context.json) return;
  const { terminal } = context;
  const lines = planSummary(plan, { ...terminal, root, dryRun, discardEdits: discard });
  terminal.print([...lines, ...(lines.length > 0 ? [""] : [])]);
}

// Where each skill asks for itself, one more question about all of them is read by nobody.
async function isAgreed(
  context: CommandContext,
  { items, refusals }: Plan,
  options: CarryOutOptions,
): Promise<boolean> {
  const changing = items.filter(({ action }) => action !== "unchanged");
  if (refusals.length > 0 || options.yes === true || changing.length === 0) return true;
  const canAsk = context.confirm !== undefined && !context.json;
  if (canAsk && changing.every((item) => isOpen(item, options))) return true;
  return confirmChange(context, `${options.verb} ${count(changing.length, "skill")}?`, {
    details: { names: changing.map(({ name }) => name) },
  });
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
  options: CarryOutFlags,
): readonly ResultRow[] {
  const { doneOutcome, refusedResult, resultOf } = loadInstalling();
  const [refusal] = refusals;
  return [
    ...items.map((item): ResultRow => {
      if (refusal !== undefined)
        return resultOf(item, "skipped", `Nothing would be done, because ${refusal.name} is refused.`);
      if (item.action !== "unchanged" && isOpen(item, options))
        return resultOf(item, "declined", openReason(work, item));
      return resultOf(item, doneOutcome(item));
    }),
    ...refusals.map((one) => refusedResult(one, "refused")),
    ...failed.map((one) => refusedResult(one, "failed")),
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
function isOpen(item: PlanItem, { acceptCapabilities = false }: CarryOutFlags): boolean {
  if (item.questions.length === 0) return false;
  return !acceptCapabilities || loadInstalling().neededAnswer(item) !== "accept-capabilities";
}

function openReason(work: HubWork, item: PlanItem): string {
  const { neededAnswer, scopedCommand } = loadInstalling();
  const needed = neededAnswer(item);
  const instead =
    needed === "own-install"
      ? `to be installed by itself (${scopedCommand(work, `install ${shellArgument(item.entry.source)}`)})`
      : `--${needed}`;
  return `It would need a person's yes, or ${instead}: ${item.questions.join("; ")}.`;
}

/** Shows how the commands that skills need and this machine lacks would be installed; runs nothing. */
async function showMissingTools(context: CommandContext, { hub }: HubWork, plan: Plan): Promise<ToolPlan> {
  const tools = await hub.planTools({ names: [], plan });
  if (context.json) return tools;
  warnDiagnosticsOf(context, tools.diagnostics);
  const { terminal, environment } = context;
  const lines = tools.steps.flatMap((step) => {
    const how = loadInstalling().describeStep(step);
    const text = `${step.skill} needs ${step.bins.join(", ")}, which is missing: ${how}`;
    return hang(showSentence(text, environment), terminal, { indent: 2 });
  });
  terminal.print([...lines, ...(lines.length > 0 ? [""] : [])]);
  return tools;
}

/** Installs missing tools, each after a yes; where nobody is there, only with a yes beforehand. */
async function installMissingTools(
  { terminal, json }: CommandContext,
  { hub, progress, canAsk }: HubWork,
  tools: ToolPlan,
  accepted: boolean,
): Promise<readonly ToolResult[]> {
  if (tools.steps.length === 0) return [];
  if (!accepted && !canAsk) {
    if (!json) terminal.warn("Tools are missing; to install them as shown, repeat the command with --tools.");
    return [];
  }
  const results = await hub.runTools(tools, { accepted });
  progress.clear();
  if (json) return results;
  for (const { step, outcome, reason = "" } of results)
    terminal.print([
      `${outcome === "installed" ? "✓" : "✗"} ${stripControl(step.label)}  ${outcome}`,
      ...hang(outcome === "failed" ? reason : "", terminal, { indent: 4, maxLines: 8 }),
    ]);
  return results;
}

function toolRows(
  { steps }: ToolPlan,
  results: readonly ToolResult[],
): readonly Readonly<Record<string, unknown>>[] {
  return steps.map((step) => {
    const { outcome = "planned", reason } = results.find((one) => one.step === step) ?? {};
    return { ...step, outcome, ...(reason !== undefined && { reason }) };
  });
}

/** The other tool's lock, in the root of a project. */
const SKILLS_LOCK = "skills-lock.json";
const MAX_SKILLS_LOCK_BYTES = 16 * 1024 * 1024;

/** Writes what was just installed into the project's `skills-lock.json` too, for people who use that tool. */
export async function writeSkillsLock({ hub }: CommandHub, items: readonly PlanItem[]): Promise<void> {
  await changeSkillsLock(hub, items, async (hashes, existing) =>
    loadInstalling().formatSkillsLock(await hub.list(), {
      hashes,
      ...(existing !== undefined && { existing }),
    }),
  );
}

/** Lets a project's `skills-lock.json` follow what was just changed, where it names these skills; says why it could not. */
export async function keepSkillsLock(
  { hub, scope }: CommandHub,
  { before, items }: { readonly before: ReadonlyMap<string, LockEntry>; readonly items: readonly PlanItem[] },
): Promise<readonly Diagnostic[]> {
  if (scope.kind !== "project" || before.size === 0) return [];
  const file = join(hub.root, SKILLS_LOCK);
  try {
    if (!existsSync(file)) return [];
    await changeSkillsLock(hub, items, async (hashes, existing) =>
      existing === undefined
        ? undefined
        : loadInstalling().followSkillsLock(existing, { lock: await hub.list(), before, hashes }),
    );
    return [];
  } catch (error) {
    // The skills are changed already, and nobody asked for this file just now.
    if (!SkilletError.isInstance(error)) throw error;
    const message = `${SKILLS_LOCK} does not follow this change: ${error.message}`;
    const hint = "When that is put right: skillet install --project --skills-lock";
    return [{ code: "skills-lock-behind", severity: "warning", message, file, hint }];
  }
}

async function changeSkillsLock(
  { root }: HubWork["hub"],
  items: readonly PlanItem[],
  change: (hashes: ReadonlyMap<string, string>, existing: string | undefined) => Promise<string | undefined>,
): Promise<void> {
  const file = join(root, SKILLS_LOCK);
  const { skillsHash } = loadInstalling();
  const hashes = new Map(items.map(({ name, candidate }) => [name, skillsHash(candidate.files)]));
  await withFileLock(`${file}.lock`, async () => {
    const bytes = readBoundedFile(file, { maxBytes: MAX_SKILLS_LOCK_BYTES });
    const existing = bytes && Buffer.from(bytes).toString();
    const text = await change(hashes, existing);
    if (text !== undefined && text !== existing) await writeAtomic(file, text, { links: "refuse" });
  });
}

/**
 * Lets lists of skills and sessions know what the scan said of what was just installed, so that nobody scans it again.
 *
 * What is kept is about bytes. Whether the same bytes lie in a place is found out by whoever looks: files that were
 * written a moment ago could still change without their status telling.
 */
async function rememberVerdicts(
  context: CommandContext,
  { hub, scope, skills }: CommandHub,
  items: readonly PlanItem[],
): Promise<void> {
  const { endpoint, model } = skills.config.config.scan.judge;
  // A second opinion is wanted, which an install does not ask for.
  if (endpoint !== undefined && model !== undefined) return;
  const vetter = await openVetter(context, skills);
  for (const { name, candidate, entry, report } of items) {
    const folder = resolve(hub.root, entry.targets[0]?.path ?? "");
    const at = { name, scope: scope.kind === "user" ? "plugin" : "project" } as const;
    // A session reads no more than this of a skill, so that what it would say of a larger one may be something else.
    if (!isWithinBounds(candidate.files)) continue;
    if (candidate.parts === undefined) {
      const skill = toVet({ ...at, folder }, candidate.files);
      const { files: _, ...content } = await skill.read(DEFAULT_SCAN_LIMITS);
      await vetter.keep(skill, { content, stamp: undefined, report });
      continue;
    }
    // A plugin is scanned whole, but its skills are judged one by one.
    for (const part of candidate.parts.skills) {
      const place = { ...at, name: `${name}:${part.name}`, folder: join(folder, part.folder) };
      await vetter.inspect(toVet(place, filesBelow(candidate.files, part.folder)));
    }
  }
  await vetter.flush();
}

function isWithinBounds(files: readonly TreeFile[]): boolean {
  const { maxFileBytes, maxTotalBytes } = DEFAULT_SCAN_LIMITS;
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return total <= maxTotalBytes && files.every(({ bytes }) => bytes.length <= maxFileBytes);
}

/** A skill of which all bytes are in memory already. */
function toVet(
  { name, scope, folder }: Pick<SkillToVet, "name" | "scope"> & { readonly folder: string },
  files: readonly TreeFile[],
): SkillToVet {
  const main = files.find(({ path }) => /^(?:SKILL|skill)\.md$/.test(path));
  const digest = treeDigestOf(files);
  return {
    name,
    scope,
    path: join(folder, main?.path ?? "SKILL.md"),
    stamp: () => undefined,
    read: async () => ({
      files,
      digest,
      readDigest: digest,
      ...(main !== undefined && { skillDigest: digestBytes(main.bytes) }),
    }),
  };
}

function filesBelow(files: readonly TreeFile[], folder: string): readonly TreeFile[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  return files
    .filter(({ path }) => path.startsWith(prefix))
    .map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
}
