import type { HistoryEntry, Resolved } from "@skillet/hub";
import { parseJson } from "@skillet/kit/json";
import { answer, type CommandContext, type ExitCode, type OfName } from "../context/command-context.ts";
import { showDigest, showPin, showRef } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import { hang, stripControl } from "../ui/text.ts";

export async function history(
  context: CommandContext,
  { name, project = false }: OfName<"project">,
): Promise<ExitCode> {
  return withHub(context, { project }, async (work) => {
    const { hub } = work;
    const entries = await hub.history(name);
    const installed = (await hub.list()).skills.get(name)?.digest;
    const shown = stripControl(name);
    const { lineWidth, colours } = context.terminal;
    const { green } = colours;
    const current = entries.findLastIndex(({ digest }) => digest !== undefined && digest === installed);
    const canGo = entries.some(({ digest, reachable }) => reachable === true && digest !== installed);
    // The log stores the pin as text; the JSON document has it as data.
    const history = entries.map(({ resolved, ...entry }) => ({ ...entry, resolved: parseJson(resolved) }));
    return answer(
      context,
      { name, installed, history },
      () => {
        if (entries.length === 0) return `Nothing is known of ${shown}: ${hub.lockFile} never installed it.`;
        const command = loadInstalling().scopedCommand(work, `rollback ${shown} --to ID`);
        return [
          ...entries.flatMap((entry, index) => {
            const mark = index === current ? green("*") : entry.reachable === true ? "+" : " ";
            return hang(wordsOf(entry), { width: lineWidth }, { indent: 2, lead: `${mark} ` });
          }),
          ...(canGo ? [`* is installed; with + you can go to: ${command}`] : []),
        ];
      },
      entries.length === 0 ? 1 : 0,
    );
  });
}

function wordsOf(entry: HistoryEntry): string {
  const { time, actor, action, digest, source, verdict, forced, resolved } = entry;
  const words = [
    time.slice(0, 19).replace("T", " "),
    action,
    digest === undefined ? "-" : showDigest(digest),
    ...(resolved === undefined ? [] : pinWords(resolved)),
    ...(verdict === undefined ? [] : [`${verdict}${forced === true ? ", forced" : ""}`]),
    ...(source === undefined ? [] : [source]),
    `by ${actor}`,
  ];
  return words.map(stripControl).join("  ");
}

/** Returns the commit or version to show beside the digest, if it adds anything. */
function pinWords(resolved: string): readonly string[] {
  const pin = parseJson(resolved) as Resolved | undefined;
  if (pin === undefined || pin.kind === "local") return [];
  const shown = showPin(pin);
  const ref = showRef(pin);
  return [ref === undefined || ref === shown ? shown : `${shown} [${ref}]`];
}
