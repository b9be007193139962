import type { LockEntry, Plan, PlannedItem } from "@skillet/hub";
import { refuseUsage } from "../context/cli-error.ts";
import type { CommandContext, ExitCode, OfNames } from "../context/command-context.ts";
import { type CarryOutFlags, carryOut } from "../hub/carry-out.ts";
import { differenceLines, driftWords } from "../hub/plan-summary.ts";
import type { ResultRow } from "../hub/report-results.ts";
import { type HubWork, withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import { stripControl } from "../ui/text.ts";

type UpdateOptions = CarryOutFlags & OfNames<"keep">;

export async function update(context: CommandContext, options: UpdateOptions): Promise<ExitCode> {
  const { keep = false, discard = false, force = false, keepGoing = false } = options;
  refuseUsage("update", [[keep && discard, "--keep and --discard cannot be combined."]]);
  return withHub(context, { ...options, asks: true }, async (work) => {
    const { hub } = work;
    const { isEdit, isInPlace } = loadInstalling();
    const verified = keep || discard ? await hub.verify(options.names) : [];
    const edited = verified.filter(({ drift }) => drift.some(isEdit));
    const kept = keep ? edited.map(({ name }) => name) : [];
    // If the edited folder is the source, only the lock knows the original files.
    const restored = discard
      ? edited.filter(({ entry }) => isInPlace(hub, entry)).map(({ name }) => name)
      : [];
    const { skills } = await hub.list();
    const names = namesToUpdate(options.names, [...kept, ...restored], skills);
    // If no skill is named, one that is blocked or gone from its source must not stop the other updates.
    const leaves = keepGoing || options.names.length === 0;
    const planned = names ? await hub.planUpdate({ names, force, keepGoing: leaves }) : NOTHING;
    const back = restored.length > 0 ? await hub.planRestore({ names: restored, force }) : NOTHING;
    const plan = discard
      ? {
          ...planned,
          items: [...planned.items, ...back.items],
          refusals: [...planned.refusals, ...(keepGoing ? [] : back.refusals)],
          failed: [...(planned.failed ?? []), ...(back.failed ?? []), ...(keepGoing ? back.refusals : [])],
          diagnostics: [...planned.diagnostics, ...back.diagnostics],
        }
      : await refuseEdited(context, work, planned, keepGoing);
    // Without a question or --yes, the lock stays as it is: only its pins could move to the same files.
    const isSettled = options.yes !== true && plan.items.every(({ action }) => action === "unchanged");
    const asLocked = plan.items.map((item) =>
      item.installed ? { ...item, entry: item.installed.entry } : item,
    );
    return carryOut(context, work, isSettled ? { ...plan, items: asLocked } : plan, {
      ...options,
      verb: "Update",
      nothing: "Nothing that is installed can be updated.",
      others: leftRows(options.names, kept, skills),
    });
  });
}

const NOTHING: Plan = { items: [], refusals: [], diagnostics: [] };

type Skills = Awaited<ReturnType<HubWork["hub"]["list"]>>["skills"];

/** Returns the names to update. Empty means all of them; undefined means none is left. */
function namesToUpdate(
  asked: readonly string[],
  kept: readonly string[],
  skills: Skills,
): readonly string[] | undefined {
  if (kept.length === 0) return asked;
  const all =
    asked.length > 0 ? asked : [...skills].filter(([, entry]) => !isLeft(entry)).map(([name]) => name);
  const names = all.filter((name) => !kept.includes(name));
  return names.length === 0 ? undefined : names;
}

// Checked before asking: there is no point in confirming something that fails because of an edited file.
async function refuseEdited(
  context: CommandContext,
  { hub }: HubWork,
  plan: Plan,
  keepGoing: boolean,
): Promise<Plan> {
  const editsOf = ({ installed }: PlannedItem) => installed?.drift.filter(loadInstalling().isEdit) ?? [];
  const isInTheWay = (item: PlannedItem): boolean => item.action !== "unchanged" && editsOf(item).length > 0;
  const blocked = plan.items.filter(isInTheWay);
  if (blocked.length === 0) return plan;
  const { terminal } = context;
  for (const item of context.json ? [] : blocked) {
    const differences = await hub.compare(item);
    if (differences !== undefined)
      terminal.print([
        `${terminal.colours.yellow("!")} ${stripControl(item.name)} was edited here`,
        ...differenceLines(differences, "here", { ...terminal, name: item.name }),
      ]);
  }
  const refused = { state: "refused", code: "frozen-mismatch", wanted: "update" } as const;
  const refusals = blocked.map((item) => ({
    ...refused,
    ...{ name: item.name, source: item.entry.source, digest: item.entry.digest },
    reason: `${item.name} was edited: ${driftWords(editsOf(item))}. Pass --keep to leave it as it is and update the others, or --discard to lose the edits.`,
  }));
  const items = plan.items.filter((item) => !isInTheWay(item));
  return keepGoing
    ? { ...plan, items, failed: [...(plan.failed ?? []), ...refusals] }
    : { ...plan, items, refusals: [...plan.refusals, ...refusals] };
}

function isLeft({ pinned, linked }: LockEntry): boolean {
  return pinned !== undefined || linked === true;
}

/** Reports skills that are not planned; for named pinned and linked ones the plan itself reports that. */
function leftRows(asked: readonly string[], kept: readonly string[], skills: Skills): readonly ResultRow[] {
  return [...skills].flatMap(([name, entry]): readonly ResultRow[] => {
    const { source, resolved, digest, pinned } = entry;
    const row = { name, source, resolved, digest };
    if (kept.includes(name))
      return [{ ...row, outcome: "kept", reason: "It was edited, and stays as it is." }];
    if (asked.length > 0 || !isLeft(entry)) return [];
    return [
      pinned === undefined
        ? { ...row, outcome: "linked", reason: "Its folder is used as it is." }
        : { ...row, outcome: "pinned", reason: pinned.reason },
    ];
  });
}
