import { resolve } from "node:path";
import type { Skill, Skills } from "@skillet/core";
import {
  type Approval,
  type FolderTrust,
  listTrusted,
  projectSkills,
  readApprovals,
  readTrust,
  trustFolder,
  trustOf,
  untrustFolder,
} from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import { DEFAULT_SCAN_LIMITS, type Inspection } from "@skillet/scan";
import { CliError, refuseUsage } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { yesNeeded } from "../context/create-ask.ts";
import { lookUpSkill, openRegistry, openVetter, resolveSkill, toVet } from "../context/open-registry.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { pathKind } from "../context/output-file.ts";
import { recordAndApply, recordDecision } from "../context/record-decision.ts";
import { describeFailure } from "../context/report-failure.ts";
import {
  judgeFolder,
  presentFolder,
  takenNames,
  trustQuestion,
  withheldLines,
} from "../trust/present-folder.ts";
import { skillRow } from "../ui/json-document.ts";
import { trustCommand } from "../ui/skill-notices.ts";
import { count, hang, showPath, stripControl } from "../ui/text.ts";

interface TrustOptions extends Flags<"yes" | "revoke" | "list" | "force"> {
  readonly directory?: string;
  readonly approve?: string;
  readonly withdraw?: string;
}

/** Shows the skills that a project folder holds and, on a yes, lets them be offered to models. */
export async function trust(context: CommandContext, options: TrustOptions): Promise<ExitCode> {
  const { approve, withdraw, directory, force } = options;
  const isSkill = (approve ?? withdraw) !== undefined;
  const isFolder = (directory ?? options.revoke ?? options.list) !== undefined;
  refuseUsage("trust", [
    [
      (isSkill && isFolder) ||
        (approve !== undefined && withdraw !== undefined) ||
        (approve === undefined && force !== undefined),
      "--approve and --withdraw are about one skill, and --force goes with --approve.",
    ],
  ]);
  if (approve !== undefined) return approveSkill(context, { ...options, approve });
  if (withdraw !== undefined) return withdrawSkill(context, { withdraw });
  const workspace = resolve(context.workspace, directory ?? ".");
  const place = { ...context, workspace, skillsRoots: [] };
  if (options.list === true) return listTrust(place);
  if (options.revoke === true) return revoke(place);
  const skills = await openRegistry(place);
  const { project } = skills;
  if (project === undefined) throw noProject(workspace);
  return give(context, skills, { root: project.root, yes: options.yes ?? false });
}

async function revoke(context: CommandContext): Promise<ExitCode> {
  const { workspace } = context;
  const { home, project } = openWorkspace(context);
  const { folders } = readTrust(home);
  // A folder that is gone is no project any more, but its trust can still be taken back.
  const root = folders.has(workspace) ? workspace : project?.root;
  if (root === undefined) throw noProject(workspace);
  const changed = folders.has(root);
  if (changed)
    await recordAndApply(home, { action: "untrust", path: root, decision: "allow" }, () =>
      untrustFolder({ home, projectRoot: root }),
    );
  const shown = showPath(root, context.environment);
  return answer(context, { root, trusted: false, changed }, () =>
    changed ? `${shown} is no longer trusted; its skills are not offered.` : `${shown} was not trusted.`,
  );
}

function noProject(workspace: string): CliError {
  return new CliError("no-project", `${workspace} is no project folder: your own skills need no trust.`, {
    hints: ["Name the folder of a project: skillet trust DIR"],
  });
}

async function give(
  context: CommandContext,
  skills: Skills,
  { root, yes }: { readonly root: string; readonly yes: boolean },
): Promise<ExitCode> {
  const { terminal, environment, json } = context;
  const { home } = skills;
  const held = skills.snapshot.skills.filter(({ scope }) => scope === "project" || scope === "claude");
  const covered = await projectSkills(skills);
  const settled = isCovered(trustOf(readTrust(home), root), covered);
  const taken = settled ? [] : takenNames(skills.snapshot, held);
  const needed = yesNeeded("Trusting a folder", trustCommand(root, "--yes"));
  if (json && !settled && !yes) throw needed;
  const judged = settled && !json ? [] : await judgeFolder(context, skills, held);
  const withheld = judged.filter((skill) => skill.withheld !== undefined);
  const shown = showPath(root, environment);
  if (!json && settled)
    terminal.print(
      hang(`${shown} is trusted already, with the ${count(held.length, "skill")} it holds.`, terminal),
    );
  else if (!json) terminal.print(await presentFolder(skills, { root, judged, taken }, terminal));
  if (!settled) {
    if (!yes && context.confirm === undefined) throw needed;
    if (!yes && context.confirm !== undefined && !(await context.confirm(trustQuestion(judged)))) {
      await recordDecision(home, { action: "trust", path: root, decision: "deny", reason: "declined" });
      terminal.print("Nothing was changed.");
      return 1;
    }
    await recordAndApply(home, { action: "trust", path: root, decision: "allow" }, () =>
      trustFolder({ home, projectRoot: root, skills: covered, clock: Date.now }),
    );
  }
  const done = `Trusted ${shown}. Skills that appear later wait for another yes.`;
  const document = {
    ...{ root, trusted: true, changed: !settled },
    skills: judged.map((known) => skillRow(known.skill, known)),
    withheld: withheld.map(({ skill: { qualifiedName, path }, verdict, withheld: reason }) => ({
      ...{ name: qualifiedName, path, verdict, reason },
    })),
    takenNames: taken.map(({ taker, owner }) => ({ name: owner.name, path: taker.path, from: owner.path })),
  };
  return answer(context, document, () =>
    settled
      ? []
      : [
          ...hang(done, terminal, { indent: 2, lead: `${terminal.colours.green("✓")} ` }),
          ...withheldLines(withheld, terminal),
        ],
  );
}

// A disabled skill shows neither that it is new nor that it was edited, so the store itself is asked.
function isCovered(trust: FolderTrust, skills: Awaited<ReturnType<typeof projectSkills>>): boolean {
  if (!trust.trusted) return false;
  return skills.every(([path, { digest, tree }]) => {
    const recorded = trust.skills.get(path);
    return recorded !== undefined && recorded.digest === digest && recorded.tree === tree;
  });
}

/** Whether the files that somebody said yes to are still there; `unchecked` where skills could not be looked up. */
type ApprovalState = "current" | "changed" | "not-found" | "unchecked";

/** Lists trusted folders and approved skills, and marks those that are gone or are others by now. */
async function listTrust(context: CommandContext): Promise<ExitCode> {
  const { environment } = context;
  const { home } = openWorkspace(context);
  const folders = listTrusted(readTrust(home)).map(({ root, trustedAt, skills }) => ({
    ...{ root, trustedAt, skills: skills.size, exists: pathKind(root) === "folder" },
  }));
  const approvals = await withStates(context, [...readApprovals(home).approvals.values()]);
  const { dim, yellow } = context.terminal.colours;
  const entry = (title: string, note: string, mark: string | undefined, undo: string): readonly string[] => [
    `${title}  ${dim(note)}${mark === undefined ? "" : yellow(`  ${mark}`)}`,
    ...(mark === undefined ? [] : [dim(`  take it back: skillet trust ${undo}`)]),
  ];
  return answer(context, { folders, approvals }, () => [
    ...(folders.length === 0 ? ["No folder is trusted."] : []),
    ...folders.flatMap(({ root, trustedAt, skills, exists }) =>
      entry(
        showPath(root, environment),
        `${count(skills, "skill")}, trusted ${trustedAt.slice(0, 10)}`,
        exists ? undefined : "gone",
        `${shellArgument(root)} --revoke`,
      ),
    ),
    ...approvals.flatMap(({ skill, digest, verdict, approvedAt, state }) =>
      entry(
        stripControl(skill),
        `approved though ${verdict}, ${approvedAt.slice(0, 10)}`,
        MARKS[state],
        `--withdraw ${shellArgument(digest)}`,
      ),
    ),
  ]);
}

const MARKS: Readonly<Record<ApprovalState, string | undefined>> = {
  current: undefined,
  changed: "changed since, so it no longer counts",
  "not-found": "no skill of that name is found from here",
  unchecked: undefined,
};

async function withStates(
  context: CommandContext,
  approvals: readonly Approval[],
): Promise<readonly (Approval & { readonly state: ApprovalState })[]> {
  if (approvals.length === 0) return [];
  const skills = await openIfPossible(context);
  const marked: (Approval & { readonly state: ApprovalState })[] = [];
  for (const approval of approvals)
    marked.push({ ...approval, state: skills === undefined ? "unchecked" : await stateOf(approval, skills) });
  return marked;
}

// The list is for taking things back, which must be possible where skills cannot be found.
async function openIfPossible(context: CommandContext): Promise<Skills | undefined> {
  try {
    return await openRegistry(context);
  } catch (error) {
    if (!SkilletError.isInstance(error) && !(error instanceof CliError)) throw error;
    context.terminal.warn(`Approvals were not held against the skills: ${describeFailure(error).message}`);
    return undefined;
  }
}

async function stateOf(approval: Approval, skills: Skills): Promise<ApprovalState> {
  const skill = skills.snapshot.skills.find(({ qualifiedName }) => qualifiedName === approval.skill);
  if (skill === undefined) return "not-found";
  try {
    const { digest } = await skills.reader.readContent(skill, DEFAULT_SCAN_LIMITS);
    return digest === approval.digest ? "current" : "changed";
  } catch (error) {
    // It was listed a moment ago, and cannot be read now.
    if (SkilletError.isInstance(error)) return "changed";
    throw error;
  }
}

interface ApproveOptions {
  readonly approve: string;
  readonly force?: boolean;
  readonly yes?: boolean;
}

/** Shows what the scan found in a skill and, on a yes, lets exactly these files be offered all the same. */
export async function approveSkill(context: CommandContext, options: ApproveOptions): Promise<ExitCode> {
  const skills = await openRegistry(context);
  const skill = resolveSkill(skills, options.approve, context.workspace);
  const judged = toVet(skills, skill);
  const vetter = await openVetter(context, skills);
  const inspection = await vetter.inspect(judged);
  if ("problem" in inspection)
    throw new CliError("scan-failed", `${skill.qualifiedName} was not judged: ${inspection.problem}.`, {
      exitCode: 1,
      hints: [`See: skillet scan ${shellArgument(skill.qualifiedName)}`],
    });
  const { decision, approved } = inspection;
  if (!context.json) presentInspection(context, skill, inspection);
  if (decision.outcome === "allow" || approved) return report(context, skill, inspection, { changed: false });
  requireForce(skill, inspection, options);
  if (options.yes !== true && !(await ask(context, options))) {
    await vetter.decline(judged, inspection);
    context.terminal.print("Nothing was changed.");
    return 1;
  }
  await vetter.approve(judged, inspection, { forced: decision.outcome === "block" });
  // So that a list of skills shows it at once.
  await vetter.vet([judged]);
  return report(context, skill, inspection, { changed: true });
}

/** Takes every yes back that was given to a skill of that name, or to that digest: it waits for another one. */
export async function withdrawSkill(
  context: CommandContext,
  options: { readonly withdraw: string },
): Promise<ExitCode> {
  const { withdraw: wanted } = options;
  const skills = await openRegistry(context);
  const vetter = await openVetter(context, skills);
  const found = lookUpSkill(skills, wanted, context.workspace);
  const name = found.kind === "found" ? found.skill.qualifiedName : wanted;
  // A yes is to bytes, which keep it under whatever name they lie now.
  const present = found.kind === "found" ? await vetter.inspect(toVet(skills, found.skill)) : undefined;
  const current = present !== undefined && "digest" in present ? present.digest : undefined;
  const approvals = [...readApprovals(skills.home).approvals.values()].filter(
    ({ skill, digest }) => skill === name || digest === wanted || digest === current,
  );
  for (const approval of approvals) await vetter.withdraw(approval);
  if (found.kind === "found") await vetter.vet([toVet(skills, found.skill)]);
  const changed = approvals.length > 0;
  return answer(
    context,
    { skill: name, approved: false, changed },
    () => `${stripControl(name)} ${changed ? "is no longer approved" : "was not approved"}.`,
  );
}

function requireForce(
  { qualifiedName }: Skill,
  { decision, digest }: Inspection,
  { force, yes }: ApproveOptions,
): void {
  if (!decision.forceable)
    throw new CliError(
      "approval-impossible",
      `${qualifiedName} cannot be approved: ${decision.reason}, and nothing overrides that.`,
      { exitCode: 1 },
    );
  if (digest === undefined)
    throw new CliError(
      "approval-impossible",
      `${qualifiedName} cannot be approved: its files cannot all be read, so nobody knows what the yes would cover.`,
      { exitCode: 1, hints: [`See which: skillet explain ${shellArgument(qualifiedName)}`] },
    );
  if (decision.outcome !== "block" || force === true) return;
  const flags = yes === true ? "--force --yes" : "--force";
  throw new CliError("approval-needs-force", `${qualifiedName} is blocked: ${decision.reason}.`, {
    exitCode: 1,
    hints: [
      "To use it all the same, run:",
      `  skillet trust --approve ${shellArgument(qualifiedName)} ${flags}`,
    ],
  });
}

function ask({ confirm, json }: CommandContext, { approve, force }: ApproveOptions): Promise<boolean> {
  if (confirm !== undefined && !json) return confirm("Use exactly these files all the same?");
  const flags = force === true ? "--force --yes" : "--yes";
  throw yesNeeded("Approving a skill", `skillet trust --approve ${shellArgument(approve)} ${flags}`);
}

function report(
  context: CommandContext,
  { qualifiedName }: Skill,
  { digest, verdict, known: { findings }, decision }: Inspection,
  { changed }: { readonly changed: boolean },
): ExitCode {
  const approved = changed || decision.forceable;
  const name = stripControl(qualifiedName);
  return answer(context, { skill: qualifiedName, digest, verdict, findings, approved, changed }, () => {
    if (changed)
      return `${context.terminal.colours.green("✓")} Approved ${name}. Any change to its files ends that.`;
    return approved ? `${name} is approved already.` : `${name} needs no approval: ${decision.reason}.`;
  });
}

/** Shows what a scan found, before somebody is asked: verdict, place, digest and the worst findings. */
function presentInspection(
  { terminal, environment }: CommandContext,
  { qualifiedName, path }: Skill,
  { verdict, origin, digest, known }: Inspection,
): void {
  const { colours } = terminal;
  const paint = verdict === "safe" ? colours.green : verdict === "caution" ? colours.yellow : colours.red;
  const { critical, warn } = known.counts;
  const more = critical + warn - known.findings.length;
  const notes = [
    ...known.findings.map(({ rule, file, line, message }) => `${rule} ${file}:${line} ${message}`),
    ...(more > 0 ? [`and ${more} more: skillet scan ${shellArgument(qualifiedName)}`] : []),
    ...known.opinions.map(
      (opinion) => `${opinion.by} calls it ${opinion.verdict}: ${opinion.reasons.join(" ")}`,
    ),
  ];
  terminal.print([
    `${colours.bold(stripControl(qualifiedName))}  ${paint(verdict)}  ${colours.dim(origin)}`,
    `  ${showPath(path, environment)}`,
    `  ${colours.dim(digest ?? "no digest: not all of its files can be read")}`,
    ...notes.flatMap((text) => hang(text, terminal, { indent: 4 })),
  ]);
}
