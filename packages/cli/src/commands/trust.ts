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
import { DEFAULT_SCAN_LIMITS } from "@skillet/scan";
import { CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { openRegistry } from "../context/open-registry.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { pathKind } from "../context/output-file.ts";
import { recordAndApply, recordDecision } from "../context/record-decision.ts";
import { describeFailure } from "../context/report-failure.ts";
import { approveSkill, withdrawSkill } from "../trust/approve-skill.ts";
import {
  type JudgedSkill,
  judgeFolder,
  presentFolder,
  type TakenName,
  takenNames,
  trustQuestion,
  withheldLines,
} from "../trust/present-folder.ts";
import { printJson, skillRow } from "../ui/json-document.ts";
import { trustCommand } from "../ui/skill-notices.ts";
import { count, showPath, stripControl, wrap } from "../ui/text.ts";

/** Which folder, and whether trust is given, taken back or listed. */
export interface TrustOptions {
  readonly directory?: string;
  readonly yes?: boolean;
  readonly revoke?: boolean;
  readonly list?: boolean;
  /** A skill that a scan warns of. */
  readonly approve?: string;
  readonly force?: boolean;
  readonly withdraw?: string;
}

/** Shows the skills that a project folder holds and, on a yes, lets them be offered to models. */
export async function trust(context: CommandContext, options: TrustOptions): Promise<ExitCode> {
  const { approve, withdraw } = options;
  requireOneWish(options);
  if (approve !== undefined) return approveSkill(context, { ...options, approve });
  if (withdraw !== undefined) return withdrawSkill(context, { withdraw });
  const workspace = resolve(context.workspace, options.directory ?? ".");
  const place = { ...context, workspace, skillsRoots: [] };
  if (options.list === true) return listTrust(place);
  if (options.revoke === true) return revoke(place);
  const skills = await openRegistry(place);
  const { project } = skills;
  if (project === undefined) throw noProject(workspace);
  return give(context, skills, { root: project.root, yes: options.yes ?? false });
}

function requireOneWish(options: TrustOptions): void {
  const { directory, revoke, list, approve, force, withdraw } = options;
  const isSkill = approve !== undefined || withdraw !== undefined;
  const isFolder = directory !== undefined || revoke !== undefined || list !== undefined;
  if (
    !(isSkill && isFolder) &&
    !(approve !== undefined && withdraw !== undefined) &&
    (approve !== undefined || force === undefined)
  )
    return;
  throw new CliError(
    "usage",
    "--approve and --withdraw are about one skill, and --force goes with --approve.",
    {
      hints: ["See: skillet help trust"],
    },
  );
}

async function revoke(context: CommandContext): Promise<ExitCode> {
  const { terminal, environment, workspace } = context;
  const { home, project } = openWorkspace(context);
  const { folders } = readTrust(home);
  // A folder that is gone is no project any more, but its trust can still be taken back.
  const root = folders.has(workspace) ? workspace : project?.root;
  if (root === undefined) throw noProject(workspace);
  const was = folders.has(root);
  if (was) {
    await recordAndApply(home, { action: "untrust", path: root, decision: "allow" }, () =>
      untrustFolder({ home, projectRoot: root }),
    );
  }
  if (context.json) {
    printJson(terminal, { root, trusted: false, changed: was });
    return 0;
  }
  const shown = showPath(root, environment);
  terminal.print(
    was ? `${shown} is no longer trusted; its skills are not offered.` : `${shown} was not trusted.`,
  );
  return 0;
}

function noProject(workspace: string): CliError {
  return new CliError("no-project", `${workspace} is no project folder: your own skills need no trust.`, {
    hints: ["Name the folder of a project: skillet trust DIR"],
  });
}

async function give(
  context: CommandContext,
  skills: Skills,
  options: { readonly root: string; readonly yes: boolean },
): Promise<ExitCode> {
  const { terminal, environment } = context;
  const { root } = options;
  const held = skills.snapshot.skills.filter(({ scope }) => scope === "project" || scope === "claude");
  const covered = await projectSkills(skills);
  const settled = isCovered(trustOf(readTrust(skills.home), root), covered);
  const taken = settled ? [] : takenNames(skills.snapshot, held);
  if (context.json && !settled && !options.yes) throw confirmationNeeded(root);
  const judged = settled && !context.json ? [] : await judgeFolder(context, skills, held);
  const withheld = judged.filter((skill) => skill.withheld !== undefined);
  if (!context.json) await present(context, skills, { root, held, judged, taken, settled });
  if (!settled) {
    if (!options.yes && !(await ask(context, root, judged))) {
      await recordDecision(skills.home, {
        action: "trust",
        path: root,
        decision: "deny",
        reason: "declined",
      });
      terminal.print("Nothing was changed.");
      return 1;
    }
    await recordAndApply(skills.home, { action: "trust", path: root, decision: "allow" }, () =>
      trustFolder({ home: skills.home, projectRoot: root, skills: covered, clock: Date.now }),
    );
  }
  if (context.json) {
    const names = taken.map(({ taker, owner }) => ({ name: owner.name, path: taker.path, from: owner.path }));
    printJson(terminal, {
      root,
      trusted: true,
      changed: !settled,
      skills: judged.map((known) => skillRow(known.skill, known)),
      withheld: withheld.map(({ skill, verdict, withheld: reason }) => ({
        name: skill.qualifiedName,
        path: skill.path,
        verdict,
        reason,
      })),
      takenNames: names,
    });
    return 0;
  }
  if (!settled) {
    const done = `Trusted ${showPath(root, environment)}. Skills that appear later wait for another yes.`;
    const lines = wrap(done, { width: terminal.width - 2 });
    for (const [index, line] of lines.entries())
      terminal.print(`${index === 0 ? terminal.colours.green("✓") : " "} ${line}`);
    terminal.print(withheldLines(withheld, terminal));
  }
  return 0;
}

// A disabled skill shows neither that it is new nor that it was edited, so the store itself is asked.
function isCovered(trust: FolderTrust, skills: Awaited<ReturnType<typeof projectSkills>>): boolean {
  if (!trust.trusted) return false;
  return skills.every(([path, { digest, tree }]) => {
    const recorded = trust.skills.get(path);
    return recorded !== undefined && recorded.digest === digest && recorded.tree === tree;
  });
}

async function present(
  context: CommandContext,
  skills: Skills,
  project: {
    readonly root: string;
    readonly held: readonly Skill[];
    readonly judged: readonly JudgedSkill[];
    readonly taken: readonly TakenName[];
    readonly settled: boolean;
  },
): Promise<void> {
  const { terminal, environment } = context;
  const { root, held, settled } = project;
  const layout = { width: terminal.width, colours: terminal.colours, environment };
  const already = `${showPath(root, environment)} is trusted already, with the ${count(held.length, "skill")} it holds.`;
  const lines = settled ? wrap(already, layout) : await presentFolder(skills, project, layout);
  terminal.print(lines);
}

async function ask(context: CommandContext, root: string, judged: readonly JudgedSkill[]): Promise<boolean> {
  if (context.confirm === undefined) throw confirmationNeeded(root);
  return context.confirm(trustQuestion(judged));
}

function confirmationNeeded(root: string): CliError {
  return new CliError(
    "confirmation-needed",
    "Trusting a folder needs a yes, and there is no terminal to ask on.",
    { hints: ["To say yes without being asked, run:", `  ${trustCommand(root, "--yes")}`] },
  );
}

/** Whether the files that somebody said yes to are still there; `unchecked` where skills could not be looked up. */
type ApprovalState = "current" | "changed" | "not-found" | "unchecked";

/** Lists trusted folders and approved skills, and marks those that are gone or are others by now. */
export async function listTrust(context: CommandContext): Promise<ExitCode> {
  const { terminal, environment } = context;
  const { home } = openWorkspace(context);
  const folders = listTrusted(readTrust(home)).map((folder) => ({
    ...folder,
    exists: pathKind(folder.root) === "folder",
  }));
  const approvals = await withStates(context, [...readApprovals(home).approvals.values()]);
  if (context.json) {
    printJson(terminal, {
      folders: folders.map(({ root, trustedAt, skills, exists }) => ({
        root,
        trustedAt,
        skills: skills.size,
        exists,
      })),
      approvals,
    });
    return 0;
  }
  const { dim, yellow } = terminal.colours;
  if (folders.length === 0) terminal.print("No folder is trusted.");
  for (const { root, trustedAt, skills, exists } of folders) {
    const note = `${count(skills.size, "skill")}, trusted ${trustedAt.slice(0, 10)}`;
    terminal.print(`${showPath(root, environment)}  ${dim(note)}${exists ? "" : yellow("  gone")}`);
    if (!exists) terminal.print(dim(`  take it back: skillet trust ${shellArgument(root)} --revoke`));
  }
  for (const { skill, digest, verdict, approvedAt, state } of approvals) {
    const note = `approved though ${verdict}, ${approvedAt.slice(0, 10)}`;
    const mark = MARKS[state];
    terminal.print(`${stripControl(skill)}  ${dim(note)}${mark === undefined ? "" : yellow(`  ${mark}`)}`);
    if (mark !== undefined)
      terminal.print(dim(`  take it back: skillet trust --withdraw ${shellArgument(digest)}`));
  }
  return 0;
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
    const { digest } = await skills.content(skill, DEFAULT_SCAN_LIMITS);
    return digest === approval.digest ? "current" : "changed";
  } catch (error) {
    // It was listed a moment ago, and cannot be read now.
    if (SkilletError.isInstance(error)) return "changed";
    throw error;
  }
}
