import type { Standing } from "@skillet/hub";
import { answer, type CommandContext, type ExitCode, type OfNames } from "../context/command-context.ts";
import { newerTagLines, showPin, showRef } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import type { Layout } from "../ui/terminal.ts";
import { hang, showSentence, stripControl, titleLines } from "../ui/text.ts";

export async function outdated(
  context: CommandContext,
  { names, project = false, exitCode = false }: OfNames<"project" | "exitCode">,
): Promise<ExitCode> {
  return withHub(context, { project }, async ({ hub, home }) => {
    const standings = await hub.outdated(names);
    if (names.length === 0)
      await loadInstalling().keepOutdated(home, { lockFile: hub.lockFile, ...(await hub.list()) }, standings);
    const results = standings.map(({ name, source, installed, newest, newerTag, state, reason }) => ({
      name,
      source,
      resolved: installed,
      newest,
      newerTag,
      outcome: state,
      reason,
    }));
    const isBehind = standings.some(({ state }) => state === "outdated");
    return answer(
      context,
      { results },
      () => [
        ...(standings.length === 0 ? ["Nothing is installed."] : []),
        ...standings.flatMap((standing) => standingLines(standing, context.terminal)),
        ...newerTagLines(standings, context.terminal),
        ...(isBehind ? [`Bring them up to date: skillet update${project ? " --project" : ""}`] : []),
      ],
      exitCode && standings.some(isToTell) ? 1 : 0,
    );
  });
}

const isToTell = ({ state, newerTag }: Standing): boolean =>
  newerTag !== undefined || state === "outdated" || state === "unavailable";

function standingLines(standing: Standing, layout: Layout): string[] {
  const { name, installed, newest, state, reason } = standing;
  const { colours, environment } = layout;
  const ref = showRef(newest ?? installed);
  const [old, now = old] = [showPin(installed), newest && showPin(newest)];
  const moved = now === old || state === "current" ? old : `${old} > ${now}`;
  const pins = `${moved}${ref === undefined ? "" : ` [${ref}]`}`;
  const same = state === "current" && now !== old ? `: same files at ${now}` : "";
  const marks: Partial<Record<Standing["state"], string>> = {
    current: colours.green("✓"),
    outdated: colours.yellow("!"),
    edited: colours.yellow("!"),
    unavailable: colours.red("✗"),
  };
  const lead = `${marks[state] ?? colours.dim("○")} `;
  return [
    ...titleLines([name, `${stripControl(pins)}  ${state}${stripControl(same)}`], layout, {
      indent: 2,
      lead,
      paintName: colours.bold,
    }),
    ...(reason ?? "")
      .split("\n")
      .flatMap((line) => hang(showSentence(line, environment), layout, { indent: 4 })),
  ];
}
