import type { FileDifference, JudgedItem, Plan, PlannedItem, RefusedItem } from "@skillet/hub";
import { shellArgument } from "@skillet/kit/text";
import { onSkilletError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type OfNames } from "../context/command-context.ts";
import { changeWords, differenceLines, pinsOf } from "../hub/plan-summary.ts";
import { newerTagLines } from "../hub/report-results.ts";
import { type HubWork, withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import type { LineLayout } from "../ui/terminal.ts";
import { hang, showSentence, spacedBlocks, stripControl } from "../ui/text.ts";

type DiffOptions = OfNames<"project" | "previous">;

interface Compared {
  readonly item: PlannedItem;
  /** Undefined if the files of the installed version are no longer kept. */
  readonly files: readonly FileDifference[] | undefined;
}

export async function diff(context: CommandContext, options: DiffOptions): Promise<ExitCode> {
  const { previous = false, project = false } = options;
  return withHub(context, { project }, async (work) => {
    const { items, refusals, failed = [] } = await planOf(work, options);
    const compare = (one: JudgedItem | PlannedItem) => work.hub.compare(one, { backwards: previous });
    const compared: Compared[] = [];
    for (const item of items) compared.push({ item, files: await compare(item) });
    const refused: (Pick<RefusedItem, "name" | "reason"> & Pick<Compared, "files">)[] = [];
    for (const { name, reason, judged } of [...refusals, ...failed])
      refused.push({ name, reason, files: judged && (await compare(judged)) });
    const results = compared.map(({ item: { name, installed, newerTag }, files }) => ({
      name,
      files,
      newerTag,
      ...(!previous && { gained: installed?.changes.gained, lost: installed?.changes.lost }),
    }));
    return answer(
      context,
      { results, ...(refused.length > 0 && { refused }) },
      () =>
        spacedBlocks([
          ...compared.map((one) => comparedLines(one, context.terminal, { previous, work })),
          ...refused.map(({ name, reason, files = [] }) => [
            ...hang(
              showSentence(reason.startsWith(name) ? reason : `${name}: ${reason}`, context.environment),
              context.terminal,
            ),
            ...differenceLines(files, "there", context.terminal),
          ]),
          ...(compared.length + refused.length === 0 ? [["Nothing is installed."]] : []),
        ]),
      refused.length > 0 ? 1 : 0,
    );
  });
}

/** Plans all skills if none is named; pinned and linked ones are compared only if they are named. */
async function planOf({ hub }: HubWork, { names, previous = false }: DiffOptions): Promise<Plan> {
  if (!previous) return hub.planUpdate({ names, force: true, keepGoing: true });
  const all = names.length > 0 ? names : [...(await hub.list()).skills.keys()];
  const plans: Plan[] = [];
  for (const name of all) plans.push(await planBack(hub, name));
  return {
    items: plans.flatMap(({ items }) => items),
    refusals: plans.flatMap(({ refusals }) => refusals),
    diagnostics: [],
  };
}

function planBack(hub: HubWork["hub"], name: string): Promise<Plan> {
  const refusePlan = onSkilletError(({ message }): Plan => {
    const reason = message.replace(/^.* cannot be rolled back: /, "");
    const refused = { state: "refused", code: "unavailable", name, source: "", reason } as const;
    return { items: [], refusals: [refused], diagnostics: [] };
  }, "no-earlier-version");
  return hub.planRollback({ name, force: true }).catch(refusePlan);
}

function comparedLines(
  { item, files }: Compared,
  layout: LineLayout,
  { previous, work }: { readonly previous: boolean; readonly work: HubWork },
): readonly string[] {
  const { bold, yellow, green } = layout.colours;
  const name = bold(stripControl(item.name));
  const versions = differenceLines(files ?? [], "there", layout);
  const edits = differenceLines(files ?? [], "here", layout);
  const update = loadInstalling().scopedCommand(work, `update ${shellArgument(item.name)}`);
  const title = previous
    ? `what the installed version changed (${pinsOf(item, { backwards: true })})`
    : pinsOf(item);
  const current = item.newerTag ? "nothing newer at its tag" : "nothing newer";
  const same = previous ? "the version before it had the same files" : current;
  const none = files === undefined ? "its installed files are not kept, so nothing can be compared" : same;
  const say = (text: string): string[] => hang(text, layout, { indent: 2, lead: "  " });
  const drop = `To drop them: ${update} --discard`;
  const isNewer = !previous && versions.length > 0;
  const isEdited = isNewer && item.installed && loadInstalling().isInPlace(work.hub, item.installed.entry);
  return [
    versions.length === 0
      ? `${files === undefined ? yellow("!") : green("✓")} ${name}  ${none}`
      : `${yellow("!")} ${name}  ${stripControl(title)}`,
    ...(isNewer ? changeWords(item, layout) : []),
    ...versions,
    ...(isEdited
      ? [...say(`It was edited where it lies. To keep the edits: ${update}`), ...say(drop)]
      : isNewer
        ? say(`To have it: ${update}`)
        : []),
    ...newerTagLines([item], layout),
    ...(edits.length > 0
      ? [`${yellow("!")} ${name}  edited here`, ...edits, ...say(`The edits stay. ${drop}`)]
      : []),
  ];
}
