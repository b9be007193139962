import type { Skills } from "@skillet/core";
import { type Approval, listTrusted, readApprovals, readTrust } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import { DEFAULT_SCAN_LIMITS } from "@skillet/scan";
import { CliError, type ExitCode } from "../cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { openRegistry } from "../context/open-registry.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { pathKind } from "../context/output-file.ts";
import { describeFailure } from "../context/report-failure.ts";
import { printJson } from "../ui/json-document.ts";
import { showPath } from "../ui/show-path.ts";
import { count } from "../ui/skill-state.ts";
import { stripControl } from "../ui/strip-control.ts";

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
