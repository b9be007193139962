import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { loadConfig, resolveHome, type Skill, type Skills } from "@skillet/core";
import {
  type AllowedScript,
  type Approval,
  listTrusted,
  needsTrust,
  projectConfigPath,
  projectSkills,
  readAllowedScripts,
  readApprovals,
  readTrust,
  trustFolder,
  trustOf,
  untrustFolder,
} from "@skillet/core/internal";
import { shellArgument } from "@skillet/kit/text";
import { DEFAULT_SCAN_LIMITS } from "@skillet/scan";
import { openAgentsOf } from "../context/agents-of.ts";
import { CliError, onSkilletError, refuseUsage } from "../context/cli-error.ts";
import {
  answer,
  type CommandContext,
  type ExitCode,
  type Flags,
  type Texts,
} from "../context/command-context.ts";
import { yesNeeded } from "../context/create-ask.ts";
import { openIfPossible, openRegistry } from "../context/open-registry.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { pathKind } from "../context/output-file.ts";
import { recordAndApply, recordDecision } from "../context/record-decision.ts";
import { describeFailure } from "../context/report-failure.ts";
import { vetShown } from "../context/vet-shown.ts";
import { openLines } from "../trust/open-to-others.ts";
import {
  approveSkill,
  judgeFolder,
  loadedLines,
  presentFolder,
  takenNames,
  trustQuestion,
  warningLines,
  withdrawSkill,
  withheldLines,
} from "../trust/present-folder.ts";
import { skillRow } from "../ui/json-document.ts";
import { trustCommand } from "../ui/skill-notices.ts";
import { count, hang, showPath, stripControl } from "../ui/text.ts";

type TrustOptions = Flags<"yes" | "revoke" | "list" | "force"> &
  Texts<"directory" | "approve" | "withdraw" | "reason">;

export async function trust(context: CommandContext, options: TrustOptions): Promise<ExitCode> {
  const { approve, withdraw, directory, force, reason, yes = false, revoke: isRevoked, list } = options;
  const isSkill = (approve ?? withdraw) !== undefined;
  const isFolder = (directory ?? isRevoked ?? list) !== undefined;
  refuseUsage("trust", [
    [
      (isSkill && isFolder) ||
        (approve !== undefined && withdraw !== undefined) ||
        (approve === undefined && (force ?? reason) !== undefined),
      "--approve and --withdraw take one skill and no folder; --force and --reason need --approve.",
    ],
    [reason?.trim() === "", "--reason takes words that say why it is a false alarm."],
  ]);
  if (approve !== undefined) return approveSkill(context, approve, { force: force ?? false, yes, reason });
  if (withdraw !== undefined) return withdrawSkill(context, withdraw);
  const workspace = resolve(context.workspace, directory ?? ".");
  const place = { ...context, workspace, skillsRoots: [] };
  if (list === true) return listTrust(place);
  if (isRevoked === true) return revoke(place);
  const skills = await openRegistry(place);
  if (skills.project === undefined)
    throw notAProject(`${workspace} is not a project folder: your own skills need no trust.`);
  const { root } = skills.project;
  // Trusting a folder makes its config count, and an invalid config would break every command there.
  loadConfig({ ...resolveHome(place.environment), ...place, workspaceRoot: root, projectTrusted: true });
  return give(context, skills, { root, yes });
}

async function revoke(context: CommandContext): Promise<ExitCode> {
  const { workspace } = context;
  const { home, project } = openWorkspace(context);
  const { folders } = readTrust(home);
  // A deleted folder is no longer a project, but its trust can still be revoked.
  const root = folders.has(workspace) ? workspace : project?.root;
  if (root === undefined)
    throw notAProject(`${workspace} is not a project folder: your own skills need no trust.`);
  const changed = folders.has(root);
  if (changed)
    await recordAndApply(home, { action: "untrust", path: root, decision: "allow" }, () =>
      untrustFolder({ home, projectRoot: root }),
    );
  const shown = showPath(root, context.environment);
  const tell = (error: Error): void =>
    context.terminal.warn(`Its skills were not looked at: ${describeFailure(error).message}`);
  const skills = !context.json && pathKind(root) === "folder" && (await openIfPossible(context, tell));
  const stays = skills ? await whatStays(context, skills) : [];
  return answer(context, { root, trusted: false, changed }, () => [
    changed ? `${shown} is no longer trusted; its skills are not offered.` : `${shown} was not trusted.`,
    ...stays,
  ]);
}

/** Says which agents still load the skills after trust ends, and which approvals stay. */
async function whatStays(context: CommandContext, skills: Skills): Promise<readonly string[]> {
  const held = skills.snapshot.skills.filter(({ scope }) => needsTrust(scope));
  const facts = await vetShown(context, skills, held);
  const judged = [...facts].map(([skill, known]) => ({ ...known, skill }));
  const approved = judged.flatMap(({ approved: isApproved, skill: { qualifiedName: name } }) =>
    isApproved
      ? [`${name} stays approved. To end that: skillet trust --withdraw ${shellArgument(name)}`]
      : [],
  );
  const { readersOf } = openAgentsOf(context, skills);
  return [...loadedLines(judged, readersOf, context.terminal), ...warningLines(approved, context.terminal)];
}

function notAProject(message: string, exitCode: ExitCode = 2): CliError {
  return new CliError("no-project", message, {
    exitCode,
    hints: ["Name the folder of a project: skillet trust DIR"],
  });
}

async function give(
  context: CommandContext,
  skills: Skills,
  { root, yes }: { readonly root: string; readonly yes: boolean },
): Promise<ExitCode> {
  const { terminal, environment, json, confirm } = context;
  const { home } = skills;
  const held = skills.snapshot.skills.filter(({ scope }) => needsTrust(scope));
  const covered = await projectSkills(skills);
  const recorded = trustOf(readTrust(home), root);
  const shown = showPath(root, environment);
  const marks = [join(root, ".git"), projectConfigPath(root)];
  if (!recorded.trusted && covered.length + held.length === 0 && !marks.some((mark) => existsSync(mark)))
    throw notAProject(`${shown} holds no skills and is not a project: nothing to trust yet.`, 1);
  // A disabled skill does not show that it is new or edited, so the trust store itself is compared.
  const since = covered.flatMap(([path, { digest, tree }]) => {
    const known = recorded.skills?.get(path);
    const isSame = known?.digest === digest && known.tree === tree;
    return isSame ? [] : `${basename(path)} ${known === undefined ? "is new" : "was edited"}`;
  });
  const changes = recorded.trusted ? [...new Set(since)] : undefined;
  const settled = changes?.length === 0;
  const taken = settled ? [] : takenNames(skills.snapshot, held);
  const needed = yesNeeded("Trusting a folder", trustCommand(root, "--yes"));
  if (json && !settled && !yes) throw needed;
  const judged = await judgeFolder(context, skills, held);
  const { readersOf } = openAgentsOf(context, skills);
  const withheld = judged.filter((skill) => skill.withheld !== undefined);
  if (!json && settled)
    terminal.print(
      hang(`${shown} is already trusted, with the ${count(held.length, "skill")} it holds.`, terminal),
    );
  else if (!json)
    terminal.print(await presentFolder(skills, { root, judged, taken, readersOf, changes }, terminal));
  if (!json) terminal.print(await openLines(skills, { root, held }, terminal));
  if (!settled) {
    if (!yes && confirm === undefined) throw needed;
    if (!yes && confirm !== undefined && !(await confirm(trustQuestion(judged, changes && "what changed")))) {
      await recordDecision(home, { action: "trust", path: root, decision: "deny", reason: "declined" });
      terminal.print("Nothing was changed.");
      return 1;
    }
    await recordAndApply(home, { action: "trust", path: root, decision: "allow" }, () =>
      trustFolder({ home, projectRoot: root, skills: covered, clock: Date.now }),
    );
  }
  const document = {
    root,
    trusted: true,
    changed: !settled,
    skills: judged.map((known) => skillRow(known.skill, known)),
    withheld: withheld.map(({ skill: { qualifiedName: name, path }, verdict, withheld: reason }) => ({
      name,
      path,
      verdict,
      reason,
    })),
    takenNames: taken.map(({ taker, owner }) => ({ name: owner.name, path: taker.path, from: owner.path })),
  };
  return answer(context, document, () => {
    // Nothing changed, but trusted skills may still be withheld, and the user decides about those.
    if (settled) return [...withheldLines(withheld, terminal), ...loadedLines(judged, readersOf, terminal)];
    const done = `Trusted ${shown}. Skills that appear later need to be trusted again.`;
    const lead = `${terminal.colours.green("✓")} `;
    return [...hang(done, terminal, { indent: 2, lead }), ...withheldLines(withheld, terminal)];
  });
}

/** Whether the approved files are still there; `unchecked` if skills could not be looked up. */
type ApprovalState = "current" | "changed" | "not-found" | "unchecked";

const MARKS: Readonly<Partial<Record<ApprovalState, string>>> = {
  changed: "changed since, so it no longer counts",
  "not-found": "no skill of that name is found from here",
};

async function listTrust(context: CommandContext): Promise<ExitCode> {
  const { environment } = context;
  const { home } = openWorkspace(context);
  const folders = listTrusted(readTrust(home)).map(({ root, trustedAt, skills, only }) => ({
    // A link or copy of a skill is trusted along with it and does not count as another skill.
    root,
    trustedAt,
    skills: new Set(Array.from(skills.values(), (one) => one.tree ?? one.digest)).size,
    only,
    exists: pathKind(root) === "folder",
  }));
  const approved = [...readApprovals(home).approvals.values()];
  const allowed = readAllowedScripts(home);
  const tell = (error: Error): void =>
    context.terminal.warn(`Approvals were not compared with the skills: ${describeFailure(error).message}`);
  // The list is for revoking trust, which must work even if skills cannot be found.
  const skills = approved.length + allowed.length === 0 ? undefined : await openIfPossible(context, tell);
  const approvals: (Approval & { readonly state: ApprovalState })[] = [];
  for (const approval of approved)
    approvals.push({ ...approval, state: await stateOf(approval, skills, approvedDigest) });
  const scripts: (AllowedScript & { readonly state: ApprovalState })[] = [];
  for (const script of allowed) scripts.push({ ...script, state: await stateOf(script, skills, treeDigest) });
  const { dim, yellow } = context.terminal.colours;
  const entry = (title: string, note: string, mark: string | undefined, undo: string): readonly string[] => [
    `${title}  ${dim(note)}${mark === undefined ? "" : yellow(`  ${mark}`)}`,
    ...(mark === undefined ? [] : [dim(`  take it back: skillet trust ${undo}`)]),
  ];
  return answer(context, { folders, approvals, scripts }, () => [
    ...(folders.length === 0 ? ["No folder is trusted."] : []),
    ...folders.flatMap(({ root, trustedAt, skills: held, only, exists }) => {
      const what = only === undefined ? "" : " that you put there and nothing else";
      const note = `${count(held, "skill")}${what}, trusted ${trustedAt.slice(0, 10)}`;
      const mark = exists ? undefined : "gone";
      return entry(showPath(root, environment), note, mark, `${shellArgument(root)} --revoke`);
    }),
    ...approvals.flatMap(({ skill, digest, verdict, reason, approvedAt, state }) => {
      const why = reason === undefined ? "" : `: ${stripControl(reason)}`;
      const note = `approved though ${verdict}, ${approvedAt.slice(0, 10)}${why}`;
      return entry(stripControl(skill), note, MARKS[state], `--withdraw ${shellArgument(digest)}`);
    }),
    ...scripts.flatMap(({ skill, path, allowedAt, state }) => {
      const name = `${skill}:${path}`;
      const note = `runs without a question, ${allowedAt.slice(0, 10)}`;
      return entry(stripControl(name), note, MARKS[state], `--withdraw ${shellArgument(name)}`);
    }),
  ]);
}

async function stateOf(
  { skill: name, digest }: Pick<Approval, "skill" | "digest">,
  skills: Skills | undefined,
  digestOf: (skills: Skills, skill: Skill) => Promise<string | undefined>,
): Promise<ApprovalState> {
  if (skills === undefined) return "unchecked";
  const skill = skills.snapshot.skills.find(({ qualifiedName }) => qualifiedName === name);
  if (skill === undefined) return "not-found";
  // It was listed a moment ago, but may be unreadable now.
  const now = await digestOf(skills, skill).catch(onSkilletError(() => undefined));
  return now === digest ? "current" : "changed";
}

const approvedDigest = async ({ reader }: Skills, skill: Skill): Promise<string | undefined> =>
  (await reader.readContent(skill, DEFAULT_SCAN_LIMITS)).digest;

// An allowed script is tied to the files of its skill alone.
const treeDigest = async ({ reader }: Skills, skill: Skill): Promise<string | undefined> =>
  (await reader.indexResources(skill)).treeDigest;
