import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Skill } from "@skillet/core";
import {
  adoptedTargets,
  type LockEntry,
  type LockedTarget,
  readSwitchRecords,
  type SwitchRequest,
  type SwitchStep,
} from "@skillet/hub";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";
import { refusalError } from "../context/cli-error.ts";
import { againWith, type CommandContext, type ExitCode, type OfNames } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import { findSkill, openRegistry, readInstalled } from "../context/open-registry.ts";
import { agentDocument, agentLines, confirmAgentChanges, namesakeLines, said } from "../hub/agent-changes.ts";
import { withConfig } from "../hub/plan-config.ts";
import { keepSkillsLock } from "../hub/plan-import.ts";
import { planSwitches, type SwitchPlan } from "../hub/plan-switch.ts";
import {
  isRefusal,
  type ResultRow,
  reportResults,
  showTarget,
  warnDiagnosticsOf,
} from "../hub/report-results.ts";
import { type HubWork, notInstalled, withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import { trustedPlaces, untrustRemoved } from "../trust/trust-placed.ts";
import { count, showPath, showSentence, stripControl } from "../ui/text.ts";
import { askedAs, groupOf } from "./toggle.ts";

type RemoveOptions = OfNames<"project" | "discard" | "dryRun" | "yes" | "keepGoing">;

/** Removes what Skillet placed; other and adopted skills are moved from agents' folders into its store. */
export async function remove(context: CommandContext, given: RemoveOptions): Promise<ExitCode> {
  const { names, project = false, dryRun = false, yes = false } = given;
  const { terminal, environment, json } = context;
  return withHub(context, { project, dryRun }, async (work) => {
    const [{ hub }, { root }] = [work, work.hub];
    const report = { root, dryRun, nothing: "There was nothing to remove." };
    const { others, adopted, canSome } = await planOthers(context, work, given);
    const options = { ...given, names: names.filter((name) => !others.has(name)) };
    const planned = await removeEach(context, work, { ...options, canSome, dryRun: true });
    // A skill that stays installed also stays disabled.
    const staying = new Set(planned.filter(isRefusal).map(({ name }) => name));
    const going = { ...given, names: names.filter((name) => !staying.has(name)) };
    const { plans, steps } = await planOthers(context, work, going);
    const moved = plans.filter(({ name }) => [...others.values()].includes(name));
    // Links of an installed skill are not restored just before it is removed.
    const asked = { yes, dryRun, steps: steps.filter(({ record }) => record.kind !== "target") };
    const unasked = planned.filter(({ name }) => !adopted.has(name));
    const isYes =
      (await confirmAgentChanges(context, plans, asked)) && (yes || (await isAgreed(context, root, unasked)));
    if (dryRun) return reportResults(context, { ...report, rows: [...planned, ...moved.map(rowOf)] });
    if (!isYes) terminal.print("Nothing was changed.");
    if (!isYes) return 1;
    const before = new Map([...(await hub.list()).skills].filter(([name]) => names.includes(name)));
    // Links that `disable` took from an adopted skill are restored first; only then can it be moved.
    const isBack = ({ record, isBack }: SwitchStep): boolean =>
      isBack === true && record.kind === "target" && adopted.has(record.entry);
    await hub.applySwitch({ action: "enable", steps: steps.filter(isBack) });
    const trusted = trustedPlaces(work.skills);
    const rows = [
      ...(await removeEach(context, work, { ...options, canSome, dryRun: false })),
      ...moved.map(rowOf),
    ];
    // Before the others are moved: `enable` restores those with the trust that they had.
    await untrustRemoved(work.skills, trusted);
    await hub.applySwitch({ action: "remove", steps: steps.filter((step) => !isBack(step)) });
    const diagnostics = await keepSkillsLock(work, before, []);
    warnDiagnosticsOf(context, diagnostics);
    const code = reportResults(context, { ...report, rows, diagnostics });
    // A skill that was only moved comes back with `enable`, which is said below.
    const again = rows.flatMap(({ name, outcome }) => {
      const entry = outcome === "removed" && !adopted.has(name) ? before.get(name) : undefined;
      const command = entry && loadInstalling().installAgain(work, name, entry);
      return command === undefined ? [] : [`  ${showSentence(command, environment)}`];
    });
    if (!json && again.length > 0) terminal.print(["To install again:", ...again]);
    if (!json) for (const plan of plans) terminal.print(agentLines(plan, terminal));
    const back = [...adopted].map(shellArgument).join(" ");
    if (!json && back !== "")
      terminal.print(said(`Then, to adopt it again: skillet adopt ${back}`, terminal));
    const after = await openRegistry(context);
    const done = plans.filter((plan) => !rows.some((row) => row.name === plan.name && isRefusal(row)));
    const rest = after.snapshot.skills.filter(({ name }) => done.some((plan) => plan.name === name));
    if (!json) terminal.print(namesakeLines(context, after, rest));
    return plans.some(({ remaining }) => remaining.length > 0) ? 1 : code;
  });
}

async function isAgreed(context: CommandContext, root: string, rows: readonly ResultRow[]): Promise<boolean> {
  const { terminal, environment, json } = context;
  const going = rows.filter((row) => !isRefusal(row));
  if (going.length === 0) return true;
  if (!json)
    for (const { name, targets = [] } of going)
      terminal.print(
        `  ${stripControl(name)}  ${targets.map((one) => showTarget(one, { root, environment })).join(", ")}`,
      );
  const details = { names: going.map(({ name }) => name) };
  return confirmChange(context, `Remove ${count(going.length, "skill")}?`, { undone: "removed", details });
}

/** Plans how `others` (in no lock) and `adopted` skills leave agents, and undoes leftovers of `disable`. */
async function planOthers(
  context: CommandContext,
  { hub, skills, home, userHome }: HubWork,
  { names, project = false, keepGoing = false }: RemoveOptions,
) {
  const { environment, workspace } = context;
  const requests: SwitchRequest[] = [];
  const others = new Map<string, string>();
  const adopted = new Set<string>();
  const leaving: (readonly Skill[])[] = [];
  const records = await readSwitchRecords(home);
  const projectRoot = skills.project?.root;
  const findInstalled = await readInstalled(context, skills);
  const { skills: installed } = await hub.list();
  const { skills: all } = skills.snapshot;
  for (const given of names) {
    const entry = installed.get(given);
    if (entry !== undefined) {
      const off = records.flatMap((one) => (one.kind === "target" && one.entry === given ? one.target : []));
      const { group, skill } = placedSkill(hub.root, home, { name: given, entry, off }, all);
      const rest = all.filter((one) => !group.includes(one) && one.path !== skill?.path);
      const common = { action: "remove", name: given, asked: given, projectRoot } as const;
      requests.push({ ...common, skill, namesakes: skill ? [] : group, others: rest });
      leaving.push(group);
      if (skill) adopted.add(given);
      continue;
    }
    const skill = findSkill(skills, given, workspace);
    if (skill === undefined || skill.scope === "bundled" || (project && skill.scope === "user")) continue;
    if (findInstalled(skill.path) !== undefined) continue;
    const group = groupOf(skills, skill, given);
    const rest = all.filter((one) => !group.includes(one));
    const asked = askedAs(skills, given, workspace);
    const common = { action: "remove", name: skill.name, asked, projectRoot } as const;
    requests.push({ ...common, skill, namesakes: group.slice(1), others: rest });
    others.set(given, skill.name);
    leaving.push(group);
  }
  const planned = await planSwitches({ home, userHome, environment, hub }, requests);
  for (const [given, name] of [...others, ...[...adopted].map((name) => [name, name] as const)]) {
    const { steps = [], remaining: [first] = [] } = planned.plans.find((plan) => plan.name === name) ?? {};
    if (steps.length > 0 || first === undefined || keepGoing) continue;
    const message = `${given} was not removed from ${showPath(first.place, environment)}: ${first.reason}. Nothing was removed.`;
    throw refusalError("skill-owned", message, { ...first }, [first.remedy]);
  }
  const canSome = others.size > 0 || names.some((name) => installed.has(name));
  // This way a skill is enabled if it comes back; one that stays somewhere also stays disabled.
  const groups = planned.plans.map(({ remaining }, index) =>
    remaining.length > 0 ? [] : (leaving[index] ?? []),
  );
  return { ...withConfig(planned, skills, { layer: "user", groups }), others, adopted, canSome };
}

/** Returns an installed skill as it is on disk; for an adopted one, `skill` has its original folders. */
function placedSkill(
  root: string,
  home: string,
  { name, entry, off }: { name: string; entry: LockEntry; off: readonly LockedTarget[] },
  all: readonly Skill[],
): { readonly group: readonly Skill[]; readonly skill?: NonNullable<SwitchRequest["skill"]> } {
  const own = adoptedTargets({ root, home }, { ...entry, targets: [...entry.targets, ...off] });
  const [path, ...alsoAt] = own
    .filter((target) => off.includes(target) || existsSync(resolve(root, target.path)))
    .map((target) => resolve(root, target.path, "SKILL.md"));
  const folders = entry.targets.map((target) => canonicalPath(resolve(root, target.path)));
  const group = all.filter((one) => folders.some((folder) => isInside(canonicalPath(one.path), folder)));
  const like = group[0] ?? all.find((one) => one.name === name);
  if (path === undefined || like === undefined) return { group };
  const { directoryName, kind, state, source } = like;
  return { group, skill: { name: like.name, directoryName, kind, state, source, path, alsoAt } };
}

function rowOf(plan: SwitchPlan): ResultRow {
  const outcome = plan.steps.length > 0 ? "removed" : "refused";
  return { name: plan.name, source: "", outcome, ...agentDocument(plan) };
}

// Any other error is a problem of the machine, which would stop the others, too.
const isInTheWay = (error: unknown): error is SkilletError =>
  SkilletError.isInstance(error) && (error.code === "not-installed" || error.code === "edited");

async function removeEach(
  context: CommandContext,
  work: HubWork,
  {
    names,
    discard: discardEdits = false,
    keepGoing = false,
    dryRun = false,
    canSome,
  }: RemoveOptions & { readonly canSome: boolean },
): Promise<readonly ResultRow[]> {
  const rows: ResultRow[] = [];
  // All skills or none; with `--keep-going`, each on its own.
  for (const some of keepGoing ? names.map((name) => [name]) : [names])
    try {
      rows.push(...(await work.hub.remove({ discardEdits, dryRun, names: some })));
    } catch (error) {
      if (!isInTheWay(error) || (names.length === 1 && !keepGoing)) throw error;
      const { code, message, data: details } = error;
      const reason = notInstalled(context, work, error)?.message ?? message;
      const again = canSome
        ? ["Nothing was removed. To remove what can be removed:", `  ${againWith(context, "--keep-going")}`]
        : [];
      const hints = [...(code === "edited" ? ["Pass --discard to lose the edits."] : []), ...again];
      if (!keepGoing) throw refusalError(code, reason, details, hints);
      rows.push({ name: some.join(), source: "", outcome: "refused", reason });
    }
  return rows;
}
