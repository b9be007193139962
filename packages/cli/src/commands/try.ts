import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSkill } from "@skillet/core";
import { countTokens } from "@skillet/core/internal";
import type { JudgedItem, lookInto, Offer, Plan, PlannedItem } from "@skillet/hub";
import { present } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { shellArgument } from "@skillet/kit/text";
import {
  answer,
  type CommandContext,
  type ExitCode,
  type Flags,
  type Lists,
  type Texts,
} from "../context/command-context.ts";
import { heldWords, listingWords, MAX_SCANNED, verdictOf, wordsHere } from "../context/describe-here.ts";
import { inScopes } from "../hub/in-scopes.ts";
import { planSummary } from "../hub/plan-summary.ts";
import { warnDiagnosticsOf, withoutLook } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import { verdictMark } from "../ui/skill-state.ts";
import { firstLines, formatTokens, hang, moreInJson, spacedBlocks, titleLines } from "../ui/text.ts";
import { checkOptions, type InstallOptions, install, typedSource, withPickHint } from "./install.ts";
import { textLines } from "./preview.ts";

type TryOptions = Texts<"ref"> & Lists<"skill" | "privateHost"> & Flags<"list"> & { readonly source: string };

export function installOrList(context: CommandContext, options: InstallOptions): Promise<ExitCode> {
  checkOptions(options);
  const { list = false, source, ref, privateHost, frozen = false } = options;
  if (list) return trySource(context, { source: source ?? "", list, ...present({ ref, privateHost }) });
  if (source !== undefined || options.import !== undefined) return install(context, options);
  return inScopes(install, { title: "install", changes: true, hasNew: !frozen })(context, options);
}

/** Shows what a source would install: the scan, and what a model would see. Works in a temporary folder. */
export async function trySource(context: CommandContext, options: TryOptions): Promise<ExitCode> {
  const { privateHost } = options;
  const trialHome = mkdtempSync(join(context.environment.TMPDIR ?? tmpdir(), "skillet-try-"));
  try {
    return await withHub(context, { ...present({ privateHost }), dryRun: true, trialHome }, async (work) => {
      const { ref, skill: names = [] } = options;
      const source = typedSource(options.source, context);
      const { plan, offers, planned } = await withPickHint(context, source, () =>
        loadInstalling().lookInto(work.hub, {
          source,
          names,
          ref,
          // Listed skills are scanned, at most 50 to keep it quick.
          ...(options.list === true && { picks: (all) => all.slice(0, MAX_SCANNED) }),
        }),
      );
      warnDiagnosticsOf(context, plan.diagnostics);
      const found = { source, offers, planned, here: await wordsHere(context, work.skills, offers, planned) };
      const isNone = plan.items.length === 0 && plan.refusals.length === 0;
      return isNone || options.list === true ? listOffers(context, found) : showTrial(context, plan, found);
    });
  } finally {
    rmSync(trialHome, { recursive: true, force: true });
  }
}

function showTrial(context: CommandContext, plan: Plan, { offers, here }: Found): ExitCode {
  const { terminal } = context;
  const { red, cyan } = terminal.colours;
  const items = [...plan.items, ...plan.refusals.flatMap(({ judged }) => judged ?? [])];
  const skills = items.map((item) => {
    const { name, kind, decision, files } = item;
    const { verdict, findings, capabilities } = item.report;
    const known = { name, kind, verdict, decision: decision.outcome, reason: decision.reason };
    return { ...known, ...previewOf(item), files: files.map(({ path }) => path), findings, capabilities };
  });
  const refused = plan.refusals.map(({ name, reason, code }) => ({ name, code, reason }));
  // Nothing is placed, so there are no targets to show.
  const shown = plan.items.map((item) => ({ ...item, entry: { ...item.entry, targets: [] } }));
  const isDangerous = skills.some(({ verdict }) => verdict === "dangerous");
  const install = offers.flatMap((offer) => {
    const known = here.get(offer);
    // Under its own name it would be refused.
    const renamed = known?.startsWith("you have another") ? " --name OTHER" : "";
    return [...hang(known ? `${offer.name}: ${known}` : "", terminal), `  ${cyan(offer.command + renamed)}`];
  });
  return answer(
    context,
    { source: offers[0]?.from, skills, refused },
    () =>
      spacedBlocks([
        planSummary({ ...plan, items: shown }, { ...terminal, root: "", dryRun: true }),
        ...items.map((item) => previewLines(context, item)),
        refused.flatMap(({ reason }) =>
          hang(withoutLook(reason), terminal, { indent: 2, lead: `${red("✗")} ` }),
        ),
        refused.length > 0
          ? []
          : [`Nothing was installed. ${isDangerous ? DESPITE : "To install it:"}`, ...install],
      ]),
    refused.length > 0 || isDangerous ? 1 : 0,
  );
}

const DESPITE = "The scan calls it dangerous. If you have read it and want it all the same:";

function previewOf({ name, manifest, files }: JudgedItem | PlannedItem) {
  const main = files.find(({ path }) => /^skill\.md$/i.test(path));
  const { body } = parseSkill(new TextDecoder().decode(main?.bytes), { mode: "lenient" });
  const told = manifest === undefined ? "" : `${name}: ${manifest.description}`;
  return { told, body, tokens: { told: countTokens(told), body: countTokens(body) } };
}

const MAX_BODY_LINES = 15;

function previewLines({ terminal }: CommandContext, item: JudgedItem | PlannedItem): readonly string[] {
  if (item.kind === "plugin") return [];
  const { told, body, tokens } = previewOf(item);
  const { bold, dim } = terminal.colours;
  return [
    `${bold("A model is told")} ${dim(`(${formatTokens(tokens.told)} tokens)`)}`,
    ...hang(told, terminal, { indent: 2, maxLines: 6 }),
    `${bold("and once it loads the skill")} ${dim(`(${formatTokens(tokens.body)} tokens)`)}`,
    ...textLines(body, terminal, MAX_BODY_LINES),
  ];
}

const MAX_LISTED = 200;

type Found = Omit<Awaited<ReturnType<typeof lookInto>>, "plan"> & {
  readonly source: string;
  readonly here: Awaited<ReturnType<typeof wordsHere>>;
};

function listOffers(context: CommandContext, { source, planned, here, ...found }: Found): ExitCode {
  const { terminal } = context;
  const offers = found.offers.toSorted((left, right) => compareByteOrder(left.name, right.name));
  const { bold, dim } = terminal.colours;
  const wordsOf = (offer: Offer): string => listingWords(offer, planned.get(offer), here.get(offer));
  const linesOf = (offer: Offer): readonly string[] => [
    ...titleLines([offer.name, wordsOf(offer)], terminal, {
      indent: 2,
      paintName: bold,
      paint: dim,
      lead: `${verdictMark(verdictOf(planned.get(offer)) ?? "safe", terminal.colours).replace("✓", " ")} `,
    }),
    ...hang(offer.description.slice(0, 1000), terminal, { indent: 6, maxLines: 1, paint: dim }),
  ];
  const skills = offers.map((offer) => ({
    ...offer,
    verdict: verdictOf(planned.get(offer)),
    here: here.get(offer),
  }));
  const lines = (): readonly string[] => [
    ...hang(`${source} holds ${heldWords(offers)}:`, terminal),
    ...firstLines(offers, MAX_LISTED, linesOf, moreInJson(terminal)),
    "",
    ...hang(`Look at one: skillet try ${shellArgument(source)} --skill NAME`, terminal),
  ];
  const none = hang(`${source} holds no skill that can be installed.`, terminal);
  return answer(context, { source, skills }, () => (offers.length === 0 ? none : lines()));
}
