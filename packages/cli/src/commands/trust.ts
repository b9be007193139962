import { resolve } from "node:path";
import type { Skill, Skills } from "@skillet/core";
import {
  type FolderTrust,
  projectSkills,
  readTrust,
  trustFolder,
  trustOf,
  untrustFolder,
} from "@skillet/core/internal";
import { CliError, type ExitCode } from "../cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { openRegistry } from "../context/open-registry.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { recordAndApply, recordDecision } from "../context/record-decision.ts";
import { approveSkill, withdrawSkill } from "../trust/approve-skill.ts";
import { listTrust } from "../trust/list-trust.ts";
import {
  type JudgedSkill,
  judgeFolder,
  presentFolder,
  type TakenName,
  takenNames,
  trustQuestion,
  withheldLines,
} from "../trust/present-folder.ts";
import { wrap } from "../ui/fit-text.ts";
import { printJson, skillRow } from "../ui/json-document.ts";
import { showPath } from "../ui/show-path.ts";
import { count } from "../ui/skill-state.ts";
import { trustCommand } from "../ui/trust-notice.ts";

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
    for (const line of withheldLines(withheld, terminal)) terminal.print(line);
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
  for (const line of lines) terminal.print(line);
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
