import type { LockEntry, Plan, PlanItem } from "@skillet/hub";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { carryOut } from "../hub/carry-out.ts";
import { createInstallAsk } from "../hub/create-install-ask.ts";
import { driftWords, isEdit } from "../hub/drift-words.ts";
import { editLines } from "../hub/edit-lines.ts";
import { loadInstalling } from "../hub/load-installing.ts";
import type { ResultRow } from "../hub/result-row.ts";
import { type HubWork, withHub } from "../hub/with-hub.ts";
import { shellQuote } from "../ui/shell-quote.ts";

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
  return ["update", ...names.map(shellQuote), ...given].join(" ");
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

/** Names of skills that somebody edited, with what they edited. */
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
      for (const line of editLines(item.name, await hub.compare(item), context.terminal))
        context.terminal.print(line);
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
