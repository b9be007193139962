import { resolve } from "node:path";
import {
  type FolderTrust,
  listTrusted,
  projectSkills,
  readTrust,
  type Skill,
  type Skills,
  trustFolder,
  trustOf,
  untrustFolder,
} from "@skillet/core";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { openRegistry } from "../open-registry.ts";
import { openWorkspace } from "../open-workspace.ts";
import { printJson } from "../output/json-document.ts";
import { skillRow } from "../output/skill-row.ts";
import { recordAndApply, recordDecision } from "../record-decision.ts";
import { trustCommand } from "../trust-command.ts";
import { wrap } from "../ui/fit-text.ts";
import { showPath } from "../ui/show-path.ts";
import { skillList } from "../ui/skill-list.ts";
import { count } from "../ui/skill-state.ts";

/** Which folder, and whether trust is given, taken back or listed. */
export interface TrustOptions {
  readonly directory?: string;
  readonly yes?: boolean;
  readonly revoke?: boolean;
  readonly list?: boolean;
}

/** Shows the skills that a project folder holds and, on a yes, lets them be offered to models. */
export async function trust(context: CommandContext, options: TrustOptions): Promise<ExitCode> {
  const workspace = resolve(context.workspace, options.directory ?? ".");
  const place = { ...context, workspace, skillsRoots: [] };
  if (options.list === true) return listFolders(context, openWorkspace(place).home);
  if (options.revoke === true) return revoke(place);
  const skills = await openRegistry(place);
  const { project } = skills;
  if (project === undefined) throw noProject(workspace);
  return give(context, skills, { root: project.root, yes: options.yes ?? false });
}

function listFolders(context: CommandContext, home: string): ExitCode {
  const folders = listTrusted(readTrust(home));
  const { terminal, environment } = context;
  if (context.json) {
    printJson(terminal, {
      folders: folders.map(({ root, trustedAt, skills: held }) => ({ root, trustedAt, skills: held.size })),
    });
    return 0;
  }
  if (folders.length === 0) terminal.print("No folder is trusted.");
  for (const { root, trustedAt, skills: held } of folders) {
    const note = `${count(held.size, "skill")}, trusted ${trustedAt.slice(0, 10)}`;
    terminal.print(`${showPath(root, environment)}  ${terminal.colours.dim(note)}`);
  }
  return 0;
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
  const covered = projectSkills(skills.snapshot.skills, root);
  const settled = isCovered(trustOf(readTrust(skills.home), root), covered);
  if (!context.json) await presentFolder(context, skills, held, settled);
  if (!settled) {
    if (!options.yes && !(await ask(context, root))) {
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
    printJson(terminal, { root, trusted: true, changed: !settled, skills: held.map(skillRow) });
    return 0;
  }
  if (!settled) {
    const done = `Trusted ${showPath(root, environment)}. Skills that appear later wait for another yes.`;
    const lines = wrap(done, { width: terminal.width - 2 });
    for (const [index, line] of lines.entries())
      terminal.print(`${index === 0 ? terminal.colours.green("✓") : " "} ${line}`);
  }
  return 0;
}

// A disabled skill shows neither that it is new nor that it was edited, so the store itself is asked.
function isCovered(trust: FolderTrust, skills: ReturnType<typeof projectSkills>): boolean {
  return trust.trusted && skills.every(([path, digest]) => trust.skills.get(path) === digest);
}

async function presentFolder(
  context: CommandContext,
  skills: Skills,
  held: readonly Skill[],
  settled: boolean,
): Promise<void> {
  const { terminal, environment } = context;
  const root = showPath(skills.project?.root ?? "", environment);
  if (settled) {
    terminal.print(`${root} is trusted already, with the ${count(held.length, "skill")} it holds.`);
    return;
  }
  terminal.print(
    held.length === 0 ? `${root} holds no skills yet.` : `${root} holds ${count(held.length, "skill")}:`,
  );
  terminal.print();
  const layout = { width: terminal.width, colours: terminal.colours, environment };
  const scopes = [...new Set(skills.snapshot.roots.map(({ scope }) => scope))];
  const notes = await skillNotes(skills, held);
  for (const line of skillList(held, { ...layout, long: true, scopes, notes })) terminal.print(line);
  if (held.length > 0) terminal.print();
  const meaning = "Trusting the folder offers these skills to models and lets its config be read.";
  for (const line of wrap(meaning, layout)) terminal.print(line);
}

async function skillNotes(
  skills: Skills,
  held: readonly Skill[],
): Promise<ReadonlyMap<Skill, readonly string[]>> {
  const notes = new Map<Skill, readonly string[]>();
  for (const skill of held) {
    const isEdited = skill.diagnostics.some(({ code }) => code === "changed-since-trust");
    const edited = isEdited ? ["edited since the folder was trusted"] : [];
    notes.set(skill, [...edited, ...(await scriptNotes(skills, skill))]);
  }
  return notes;
}

async function scriptNotes(skills: Skills, skill: Skill): Promise<readonly string[]> {
  const { resources } = await skills.resources(skill);
  const scripts = resources.filter(({ script }) => script !== undefined).map(({ path }) => path);
  if (scripts.length === 0) return [];
  const listed = scripts.slice(0, MAX_SCRIPTS).join(", ");
  const rest = scripts.length > MAX_SCRIPTS ? ` and ${scripts.length - MAX_SCRIPTS} more` : "";
  return [`${count(scripts.length, "script")}: ${listed}${rest}`];
}

const MAX_SCRIPTS = 5;

async function ask(context: CommandContext, root: string): Promise<boolean> {
  if (context.confirm === undefined || context.json) {
    throw new CliError(
      "confirmation-needed",
      "Trusting a folder needs a yes, and there is no terminal to ask on.",
      {
        hints: ["To say yes without being asked, run:", `  ${trustCommand(root, "--yes")}`],
      },
    );
  }
  return context.confirm("Trust this folder?");
}
