import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSkill } from "@skillet/core";
import { countTokens } from "@skillet/core/internal";
import type { JudgedItem, Offer, Plan, PlannedItem } from "@skillet/hub";
import {
  answer,
  type CommandContext,
  type ExitCode,
  type Lists,
  type Texts,
} from "../context/command-context.ts";
import { listOffers } from "../hub/list-offers.ts";
import { planSummary } from "../hub/plan-summary.ts";
import { warnDiagnosticsOf } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import { formatTokens, hang, showControl, spacedBlocks } from "../ui/text.ts";
import { typedSource, withPickHint } from "./install.ts";

type TryOptions = Texts<"ref"> & Lists<"skill"> & { readonly source: string };

/** Shows what a source would install, scanned, and as a model would see it; all of it lies in a folder that is removed. */
export async function trySource(context: CommandContext, options: TryOptions): Promise<ExitCode> {
  const trialHome = mkdtempSync(join(tmpdir(), "skillet-try-"));
  try {
    return await withHub(context, { dryRun: true, trialHome }, async (work) => {
      const { ref, skill: names = [] } = options;
      const source = typedSource(options.source, context);
      const { plan, offers } = await withPickHint(source, () =>
        loadInstalling().lookIntoPart(work.hub, { source, names, ref }),
      );
      work.progress.clear();
      warnDiagnosticsOf(context, plan.diagnostics);
      const isNone = plan.items.length === 0 && plan.refusals.length === 0;
      return isNone ? listOffers(context, source, offers) : showTrial(context, plan, offers);
    });
  } finally {
    rmSync(trialHome, { recursive: true, force: true });
  }
}

function judgedOf({ items, refusals }: Plan): readonly (PlannedItem | JudgedItem)[] {
  return [...items, ...refusals.flatMap(({ judged }) => judged ?? [])];
}

function showTrial(context: CommandContext, plan: Plan, offers: readonly Offer[]): ExitCode {
  const { terminal } = context;
  const { red, cyan } = terminal.colours;
  const items = judgedOf(plan);
  const skills = items.map((item) => {
    const { name, kind, decision, files } = item;
    const { verdict, findings, capabilities } = item.report;
    const known = { name, kind, verdict, decision: decision.outcome, reason: decision.reason };
    return { ...known, ...previewOf(item), files: files.map(({ path }) => path), findings, capabilities };
  });
  const refused = plan.refusals.map(({ name, reason, code }) => ({ name, code, reason }));
  // Nothing is placed, so there is no place to tell.
  const shown = plan.items.map((item) => ({ ...item, entry: { ...item.entry, targets: [] } }));
  const install = offers.map((offer) => `  ${cyan(offer.command)}`);
  return answer(
    context,
    { source: offers[0]?.from, skills, refused },
    () =>
      spacedBlocks([
        planSummary({ ...plan, items: shown }, { ...terminal, root: "", dryRun: true }),
        ...items.map((item) => previewLines(context, item)),
        refused.flatMap(({ reason }) => hang(reason, terminal, { indent: 2, lead: `${red("✗")} ` })),
        refused.length > 0 ? [] : ["Nothing was installed. To install it:", ...install],
      ]),
    refused.length > 0 || skills.some(({ verdict }) => verdict === "dangerous") ? 1 : 0,
  );
}

interface Preview {
  readonly told: string;
  readonly body: string;
  readonly tokens: { readonly told: number; readonly body: number };
}

function previewOf({ name, manifest, files }: JudgedItem | PlannedItem): Preview {
  const main = files.find(({ path }) => /^skill\.md$/i.test(path));
  const { body } = parseSkill(new TextDecoder().decode(main?.bytes), {
    mode: "lenient",
    directoryName: name,
  });
  const told = manifest === undefined ? "" : `${name}: ${manifest.description}`;
  return { told, body, tokens: { told: countTokens(told), body: countTokens(body) } };
}

const MAX_BODY_LINES = 15;

function previewLines({ terminal }: CommandContext, item: JudgedItem | PlannedItem): readonly string[] {
  if (item.kind === "plugin") return [];
  const { told, body, tokens } = previewOf(item);
  const { bold, dim } = terminal.colours;
  const lines = body.trim().split("\n");
  const rest = lines.length - MAX_BODY_LINES;
  return [
    `${bold("A model is told")} ${dim(`(${formatTokens(tokens.told)} tokens)`)}`,
    ...hang(told, terminal, { indent: 2, maxLines: 6 }),
    `${bold("and once it loads the skill")} ${dim(`(${formatTokens(tokens.body)} tokens)`)}`,
    ...lines.slice(0, MAX_BODY_LINES).map((line) => `  ${showControl(line)}`),
    ...(rest > 0 ? [dim(`  and ${rest} more lines`)] : []),
  ];
}
