import { resolve } from "node:path";
import type { SkillToVet, TreeFile } from "@skillet/core";
import type { FileDifference, JudgedItem, Plan, PlannedItem, ToolPlan, ToolResult } from "@skillet/hub";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, treeDigestOf } from "@skillet/kit/digest";
import { DEFAULT_SCAN_LIMITS } from "@skillet/scan";
import type { CommandContext, ExitCode, Flags } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import { heldWords } from "../context/describe-here.ts";
import { createVetter } from "../context/open-registry.ts";
import { loadInstalling } from "../load-beside.ts";
import { hang, showSentence, stripControl } from "../ui/text.ts";
import { keepSkillsLock } from "./plan-import.ts";
import { isShown, planSummary } from "./plan-summary.ts";
import {
  isRefusal,
  type ResultReport,
  type ResultRow,
  reportResults,
  warnDiagnosticsOf,
} from "./report-results.ts";
import type { HubWork } from "./with-hub.ts";

/** `yes` answers only the plain question; `discard` agrees to lose edits. */
export type CarryOutFlags = Flags<
  "project" | "force" | "yes" | "dryRun" | "discard" | "acceptCapabilities" | "tools" | "keepGoing"
>;

interface CarryOutOptions extends CarryOutFlags {
  readonly verb: string;
  readonly others?: readonly ResultRow[];
  readonly nothing: string;
  /** Lines printed after something was done, unless JSON is printed. */
  readonly advice?: (done: readonly PlannedItem[]) => Promise<readonly string[]>;
  /** Lines printed afterwards, even if nothing had to be done. */
  readonly notice?: (items: readonly PlannedItem[]) => Promise<readonly string[]>;
  readonly afterwards?: (items: readonly PlannedItem[]) => Promise<void>;
}

export async function carryOut(
  context: CommandContext,
  work: HubWork,
  planned: Plan,
  options: CarryOutOptions,
): Promise<ExitCode> {
  const { hub } = work;
  const { dryRun = false, discard = false, keepGoing = false, others = [], nothing } = options;
  const { acceptCapabilities = false } = options;
  // A user who discards edits must see which ones, even if there is nothing newer.
  const plan = discard ? loadInstalling().withoutEdits(planned) : planned;
  const differences = context.json ? new Map() : await fileDifferences(work, plan);
  const layout = { ...context.terminal, root: hub.root, dryRun, discardEdits: discard, differences };
  // After a refusal the lock is not written, so warnings about it are left out.
  const said = [...plan.diagnostics, ...newcomerWarnings(work, plan, options)];
  const about = said.filter(({ file }) => plan.refusals.length === 0 || file !== hub.lockFile);
  warnDiagnosticsOf(context, about);
  const lines = context.json ? [] : planSummary(plan, layout);
  context.terminal.print([...lines, ...(lines.length > 0 ? [""] : [])]);
  const tools = await showMissingTools(context, work, plan);
  const files = new Map(plan.items.map(({ name, files: own }) => [name, own.map(({ path }) => path)]));
  const known = [...about, ...tools.diagnostics];
  const failed = new Set((plan.failed ?? []).map(({ name }) => name));
  const report = (
    rows: readonly ResultRow[],
    { diagnostics = [], ...more }: Pick<ResultReport, "tools" | "diagnostics"> = {},
  ): ExitCode =>
    reportResults(context, {
      root: hub.root,
      dryRun,
      files,
      failed,
      nothing,
      ...more,
      rows: [...inspectedRows(rows, plan), ...others].map((row) =>
        options.verb === "Adopt" && row.outcome === "installed" ? { ...row, outcome: "adopted" } : row,
      ),
      diagnostics: [...known, ...diagnostics],
    });
  const blocked = [...plan.refusals, ...(plan.failed ?? [])].flatMap(({ judged }) => judged ?? []);
  if (!dryRun) await rememberVerdicts(context, work, blocked);
  const applied = { discardEdits: discard, acceptCapabilities, keepGoing, dryRun };
  if (dryRun) return report(await hub.apply(plan, applied), { tools: toolRows(tools, []) });
  if (!(await isAgreed(context, plan, options)))
    return report(await hub.apply(plan, { ...applied, isDeclined: true }));
  const results = await hub.apply(plan, applied);
  const refused = new Set(results.filter(isRefusal).map(({ name }) => name));
  const done = plan.items.filter(({ name }) => !refused.has(name));
  const isDone = keepGoing || [...refused].every((name) => failed.has(name));
  // A plugin was scanned as a whole, but its skills are judged separately.
  const single = done.filter(({ parts }) => parts === undefined);
  if (isDone) await rememberVerdicts(context, work, single);
  if (isDone) await options.afterwards?.(done);
  const before = new Map(done.flatMap(({ name, installed }) => (installed ? [[name, installed.entry]] : [])));
  const diagnostics = isDone ? await keepSkillsLock(work, before, done) : [];
  warnDiagnosticsOf(context, diagnostics);
  let code: ExitCode = context.json ? 0 : report(results);
  const isChanged = isDone && results.some((row) => !isRefusal(row) && row.outcome !== "unchanged");
  if (isChanged && !context.json) context.terminal.print((await options.advice?.(done)) ?? []);
  if (isDone && !context.json) context.terminal.print((await options.notice?.(done)) ?? []);
  const needed = { ...tools, steps: tools.steps.filter(({ skill }) => !refused.has(skill)) };
  const ran = isDone ? await installMissingTools(context, work, needed, options.tools ?? false) : [];
  if (context.json) code = report(results, { diagnostics, tools: toolRows(tools, ran) });
  return ran.some(({ outcome }) => outcome === "failed") ? 1 : code;
}

/** Warns about skills that are new here, whichever command adds them; adopted skills were already here. */
function newcomerWarnings(
  { hub, scope, holderElsewhere }: HubWork,
  { items }: Plan,
  { verb }: CarryOutOptions,
): readonly Diagnostic[] {
  const newcomers = items.filter(({ installed }) => installed === undefined && verb !== "Adopt");
  const warn = (code: string, message: string, hint: string): Diagnostic =>
    diagnostic("warning", code, hub.lockFile, message, hint);
  return newcomers.flatMap(({ name, action, entry: { source } }) => {
    const holder = action === "install" ? holderElsewhere(name) : undefined;
    const shared = `${name} is also the name of ${holder}; only one of them has the bare name here.`;
    const names = `\`skillet explain ${name}\` says which; to have both by name, install it with --name OTHER.`;
    // The user who installs from a server vouches for it by naming it; somebody else's lock does not.
    const isPlain = scope.kind === "project" && /^(?:git:)?http:/.test(source);
    const plain = `${name} comes over plain http, so installing it from this lock is refused to everyone who has not allowed that server.`;
    const secure = "Use an https or ssh address, or have them add the server to hub.privateHosts.";
    const warnings = holder === undefined ? [] : [warn("name-shared", shared, names)];
    return isPlain ? [...warnings, warn("source-plain-http", plain, secure)] : warnings;
  });
}

async function fileDifferences(
  { hub }: HubWork,
  { items, refusals, failed = [] }: Plan,
): Promise<ReadonlyMap<string, readonly FileDifference[]>> {
  const found = new Map<string, readonly FileDifference[]>();
  const blocked = [...refusals, ...failed].flatMap(({ judged }) => judged ?? []);
  for (const item of [...items.filter(({ action }) => action !== "unchanged"), ...blocked])
    found.set(item.name, (await hub.compare(item)) ?? []);
  return found;
}

// If each skill has its own question, nobody would read another one about all of them.
async function isAgreed(
  context: CommandContext,
  { items, refusals }: Plan,
  options: CarryOutOptions,
): Promise<boolean> {
  const changing = items.filter(isShown);
  if (refusals.length > 0 || options.yes === true || changing.length === 0) return true;
  if (context.confirm !== undefined && changing.every((item) => isOpen(item, options))) return true;
  return confirmChange(context, `${options.verb} ${heldWords(changing)}?`, {
    details: { names: changing.map(({ name }) => name) },
  });
}

const MAX_FINDINGS = 50;

function inspectedRows(
  rows: readonly ResultRow[],
  { items, refusals, failed = [] }: Plan,
): readonly ResultRow[] {
  const inspected = new Map<string, Pick<PlannedItem, "report" | "origin" | "installed">>(
    items.map((item) => [item.name, item]),
  );
  for (const { name, judged } of [...refusals, ...failed])
    if (judged !== undefined) inspected.set(name, { ...inspected.get(name), ...judged });
  return rows.map((row) => {
    const found = inspected.get(row.name);
    if (found === undefined) return row;
    const { verdict, capabilities, findings } = found.report;
    const rest = findings.length - MAX_FINDINGS;
    return {
      ...row,
      ...(found.installed && { before: found.installed.entry.resolved }),
      ...(found.installed &&
        found.installed.entry.source !== row.source && { followed: found.installed.entry.source }),
      verdict,
      origin: found.origin,
      capabilities,
      findings: findings
        .slice(0, MAX_FINDINGS)
        .map(({ rule, severity, file, line, message }) => ({ rule, severity, file, line, message })),
      ...(rest > 0 && { moreFindings: rest }),
    };
  });
}

function isOpen(item: PlannedItem, { acceptCapabilities = false }: CarryOutFlags): boolean {
  if (item.questions.length === 0) return false;
  return !acceptCapabilities || loadInstalling().neededAnswer(item) !== "accept-capabilities";
}

/** Shows how to install commands that skills need and this machine lacks; runs nothing. */
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

/** Installs missing tools after confirming each; if nobody can be asked, only with `--tools`. */
async function installMissingTools(
  { terminal, json }: CommandContext,
  { hub, canAsk }: HubWork,
  tools: ToolPlan,
  accepted: boolean,
): Promise<readonly ToolResult[]> {
  if (tools.steps.length === 0) return [];
  if (!accepted && !canAsk) {
    if (!json) terminal.warn("Tools are missing; to install them as shown, repeat the command with --tools.");
    return [];
  }
  const results = await hub.runTools(tools, { accepted });
  for (const { step, outcome, reason = "" } of json ? [] : results)
    terminal.print([
      `${outcome === "installed" ? "✓" : "✗"} ${stripControl(step.label)}  ${outcome}`,
      ...hang(outcome === "failed" ? reason : "", terminal, { indent: 4, maxLines: 8 }),
    ]);
  return results;
}

function toolRows({ steps }: ToolPlan, results: readonly ToolResult[]): NonNullable<ResultReport["tools"]> {
  return steps.map((step) => {
    const { outcome = "planned", reason } = results.find((one) => one.step === step) ?? {};
    return { ...step, outcome, reason };
  });
}

/**
 * Saves lists a second scan, and lets `trust --approve NAME@DIGEST` say what was found in bytes that are not
 * on this machine. By digest, not place: new files could still change without a change of status.
 */
async function rememberVerdicts(
  context: CommandContext,
  { hub, scope, skills }: HubWork,
  scanned: readonly (JudgedItem | PlannedItem)[],
): Promise<void> {
  const { maxFileBytes, maxTotalBytes } = DEFAULT_SCAN_LIMITS;
  // A session reads at most this much of a skill, so its verdict on a larger one may differ.
  const bounded = scanned.filter(({ files }) => {
    const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    return total <= maxTotalBytes && files.every(({ bytes }) => bytes.length <= maxFileBytes);
  });
  if (bounded.length === 0) return;
  const vetter = await createVetter(context, skills);
  for (const item of bounded) {
    const { name, files, report } = item;
    const isPlaced = "entry" in item;
    const path = resolve(hub.root, (isPlaced && item.entry.targets[0]?.path) || "", "SKILL.md");
    const digest = treeDigestOf(files);
    const content = { digest, readDigest: digest };
    const skill: SkillToVet = {
      name,
      path,
      stamp: () => undefined,
      read: async () => ({ files, ...content }),
      scope: isPlaced && scope.kind === "project" ? "project" : "plugin",
    };
    await vetter.keep(skill, { content, stamp: undefined, report, isRecorded: !isPlaced });
  }
  await vetter.flush();
}

/** Returns the digests of the skills in an item, in the form that trust uses. */
export function placedDigests({ digest, files, parts }: PlannedItem): readonly Digest[] {
  return parts?.skills.map(({ folder }) => treeDigestOf(filesBelow(files, folder))) ?? [digest];
}

function filesBelow(files: readonly TreeFile[], folder: string): readonly TreeFile[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  return files
    .filter(({ path }) => path.startsWith(prefix))
    .map((file) => ({ ...file, path: file.path.slice(prefix.length) }));
}
