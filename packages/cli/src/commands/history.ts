import type { HistoryEntry, Resolved } from "@skillet/hub";
import { parseJson } from "@skillet/kit/json";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { showDigest, showPin, showRef } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import { printJson } from "../ui/json-document.ts";
import type { Terminal } from "../ui/terminal.ts";
import { stripControl } from "../ui/text.ts";

/** Lists the versions that a skill had, oldest first, as the audit log tells them. */
export async function history(
  context: CommandContext,
  { name, project = false }: { readonly name: string; readonly project?: boolean },
): Promise<ExitCode> {
  const { terminal, json } = context;
  return withHub(context, { project }, async (work) => {
    const { hub } = work;
    const entries = await hub.history(name);
    const installed = (await hub.list()).skills.get(name)?.digest;
    if (json) {
      printJson(terminal, {
        name,
        ...(installed !== undefined && { installed }),
        history: entries.map(rowOf),
      });
      return entries.length === 0 ? 1 : 0;
    }
    if (entries.length === 0) {
      terminal.print(`Nothing is known of ${stripControl(name)}: ${hub.lockFile} never installed it.`);
      return 1;
    }
    const current = entries.findLastIndex(({ digest }) => digest !== undefined && digest === installed);
    for (const [index, entry] of entries.entries())
      terminal.print(lineOf(entry, markOf(entry, { isCurrent: index === current, terminal })));
    if (entries.some(({ digest, reachable }) => reachable === true && digest !== installed))
      terminal.print(
        `* is installed; with + you can go to: ${loadInstalling().scopedCommand(work, `rollback ${stripControl(name)} --to ID`)}`,
      );
    return 0;
  });
}

// The log has the pin as text; whoever reads a document should not have to parse twice.
function rowOf({ resolved, ...entry }: HistoryEntry): Readonly<Record<string, unknown>> {
  const pin = parseJson(resolved);
  return { ...entry, ...(pin !== undefined && { resolved: pin }) };
}

function markOf(
  { reachable }: HistoryEntry,
  { isCurrent, terminal: { colours } }: { readonly isCurrent: boolean; readonly terminal: Terminal },
): string {
  if (isCurrent) return colours.green("*");
  return reachable === true ? "+" : " ";
}

function lineOf(
  { time, actor, action, digest, source, verdict, forced, resolved }: HistoryEntry,
  mark: string,
): string {
  const words = [
    time.slice(0, 19).replace("T", " "),
    action,
    digest === undefined ? "-" : showDigest(digest),
    ...(resolved === undefined ? [] : pinWords(resolved)),
    ...(verdict === undefined ? [] : [`${verdict}${forced === true ? ", forced" : ""}`]),
    ...(source === undefined ? [] : [source]),
    `by ${actor}`,
  ];
  return `${mark} ${words.map(stripControl).join("  ")}`;
}

/** The commit or version beside the digest, where that is another word. */
function pinWords(resolved: string): readonly string[] {
  const pin = parseJson(resolved) as Resolved | undefined;
  if (pin === undefined || pin.kind === "local") return [];
  const shown = showPin(pin);
  const ref = showRef(pin);
  return [ref === undefined || ref === shown ? shown : `${shown} [${ref}]`];
}
