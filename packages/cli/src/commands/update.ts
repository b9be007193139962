import type { FileDifference, LockEntry, Plan, PlanItem, SideChange } from "@skillet/hub";
import { shellArgument } from "@skillet/kit/text";
import { CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { carryOut, createInstallAsk } from "../hub/carry-out.ts";
import { driftWords, isEdit } from "../hub/plan-summary.ts";
import type { ResultRow } from "../hub/report-results.ts";
import { type HubWork, withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import type { Terminal } from "../ui/terminal.ts";
import { stripControl } from "../ui/text.ts";

/** Which skills are updated, and what becomes of those that somebody edited. */
export interface UpdateOptions {
  readonly names: readonly string[];
  readonly project?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly tools?: boolean;
  readonly keep?: boolean;
  readonly discard?: boolean;
  readonly acceptCapabilities?: boolean;
  readonly force?: boolean;
  readonly keepGoing?: boolean;
}

/** Brings installed skills up to date, after showing what changes and what they could not do before. */
export async function update(context: CommandContext, options: UpdateOptions): Promise<ExitCode> {
  const { keep = false, discard = false, force = false, keepGoing = false } = options;
  const { project = false, dryRun = false } = options;
  if (keep && discard)
    throw new CliError("usage", "--keep and --discard do not go together.", {
      hints: ["See: skillet help update"],
    });
  return withHub(
    context,
    { project, dryRun, ask: (progress) => createInstallAsk(context, progress) },
    async (work) => {
      const { hub } = work;
      const edited = await editedSkills(work, options.names);
      const kept = keep ? [...edited.keys()] : [];
      const { skills } = await hub.list();
      const names = namesToUpdate(options.names, kept, skills);
      const planned: Plan =
        names === undefined
          ? { items: [], refusals: [], diagnostics: [] }
          : await hub.planUpdate({ names, force, keepGoing });
      const plan = discard ? planned : await refuseEdited(context, work, planned, { edited, keepGoing });
      return carryOut(context, work, plan, {
        verb: "Update",
        nothing: "Nothing is installed that could be updated.",
        yes: options.yes ?? false,
        dryRun,
        discardEdits: discard,
        acceptCapabilities: options.acceptCapabilities ?? false,
        tools: options.tools ?? false,
        keepGoing,
        alone: loadInstalling().scopedCommand(work, againWords(options)),
        others: [...keptRows(kept, skills), ...leftRows(options.names, skills)],
      });
    },
  );
}

/** The same command, which then does what nothing speaks against. */
function againWords({ names, yes, discard, acceptCapabilities, force, tools }: UpdateOptions): string {
  const flags: readonly (readonly [boolean | undefined, string])[] = [
    [force, "--force"],
    [discard, "--discard"],
    [acceptCapabilities, "--accept-capabilities"],
    [tools, "--tools"],
    [yes, "--yes"],
    [true, "--keep-going"],
  ];
  const given = flags.filter(([isGiven]) => isGiven === true).map(([, flag]) => flag);
  return ["update", ...names.map(shellArgument), ...given].join(" ");
}

type Skills = Awaited<ReturnType<HubWork["hub"]["list"]>>["skills"];

/** Empty: all of them; undefined: none is left. */
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

async function editedSkills(
  { hub }: HubWork,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const verified = await hub.verify(names);
  return new Map(
    verified.flatMap(({ name, drift }) => {
      const edits = drift.filter(isEdit);
      return edits.length === 0 ? [] : [[name, driftWords(edits)] as const];
    }),
  );
}

// Before anybody is asked: a yes that then fails for an edited file is a question too many.
async function refuseEdited(
  context: CommandContext,
  { hub, progress }: HubWork,
  plan: Plan,
  { edited, keepGoing }: { readonly edited: ReadonlyMap<string, string>; readonly keepGoing: boolean },
): Promise<Plan> {
  const isInTheWay = ({ name, action }: PlanItem): boolean => edited.has(name) && action !== "unchanged";
  const blocked = plan.items.filter(isInTheWay);
  if (blocked.length === 0) return plan;
  if (!context.json) {
    progress.clear();
    for (const item of blocked)
      context.terminal.print(editLines(item.name, await hub.compare(item), context.terminal));
  }
  const refusals = blocked.map(({ name, entry }) => ({
    name,
    source: entry.source,
    digest: entry.digest,
    code: "frozen-mismatch" as const,
    wanted: "update" as const,
    reason: `${name} was edited: ${edited.get(name) ?? ""}. Pass --keep to leave it as it is and update the others, or --discard to lose the edits.`,
  }));
  const items = plan.items.filter((item) => !isInTheWay(item));
  return keepGoing
    ? { ...plan, items, failed: [...(plan.failed ?? []), ...refusals] }
    : { ...plan, items, refusals: [...plan.refusals, ...refusals] };
}

function keptRows(kept: readonly string[], skills: Skills): readonly ResultRow[] {
  return kept.flatMap((name): readonly ResultRow[] => {
    const entry = skills.get(name);
    if (entry === undefined) return [];
    const { source, resolved, digest } = entry;
    return [
      { name, source, resolved, digest, outcome: "kept", reason: "It was edited, and stays as it is." },
    ];
  });
}

// Of those that were named, the plan says itself that they are pinned or linked.
function leftRows(names: readonly string[], skills: Skills): readonly ResultRow[] {
  if (names.length > 0) return [];
  return [...skills]
    .filter(([, entry]) => isLeft(entry))
    .map(([name, { source, resolved, digest, pinned }]): ResultRow => {
      const row = { name, source, resolved, digest };
      return pinned === undefined
        ? { ...row, outcome: "linked", reason: "Its folder is used as it is." }
        : { ...row, outcome: "pinned", reason: pinned.reason };
    });
}

/** Whether an update of everything leaves an entry alone. */
function isLeft({ pinned, linked }: LockEntry): boolean {
  return pinned !== undefined || linked === true;
}

const MAX_FILES = 20;

/** What somebody did to an installed skill beside what a new version does, file by file. */
export function editLines(
  name: string,
  differences: readonly FileDifference[] | undefined,
  { colours }: Pick<Terminal, "colours">,
): readonly string[] {
  if (differences === undefined) return [];
  const rows = differences.filter(({ here }) => here !== "unchanged");
  const shown = rows.slice(0, MAX_FILES).map(({ path, here, there, conflict }) => {
    const words =
      there === "unchanged" ? `${HERE[here]}, the new version leaves it` : `${HERE[here]}, ${THERE[there]}`;
    const line = `    ${stripControl(path)}: ${words}`;
    return conflict ? colours.yellow(line) : line;
  });
  const rest = rows.length - shown.length;
  return [
    `${colours.yellow("!")} ${colours.bold(stripControl(name))} was edited here`,
    ...shown,
    ...(rest > 0 ? [`    and ${rest} more`] : []),
  ];
}

const HERE: Readonly<Record<SideChange, string>> = {
  unchanged: "unchanged here",
  added: "added here",
  changed: "changed here",
  removed: "removed here",
};

const THERE: Readonly<Record<SideChange, string>> = {
  unchanged: "unchanged in the new version",
  added: "added by the new version",
  changed: "changed by the new version",
  removed: "removed by the new version",
};
