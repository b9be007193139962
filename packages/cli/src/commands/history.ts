import type { HistoryEntry } from "@skillet/hub";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { showDigest } from "../hub/show-pin.ts";
import { withHub } from "../hub/with-hub.ts";
import { printJson } from "../output/json-document.ts";
import { stripControl } from "../ui/strip-control.ts";

/** Lists the versions that a skill had, oldest first, as the audit log tells them. */
export async function history(
  context: CommandContext,
  { name, project = false }: { readonly name: string; readonly project?: boolean },
): Promise<ExitCode> {
  const { terminal, json } = context;
  return withHub(context, { project }, async ({ hub }) => {
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
      terminal.print(lineOf(entry, index === current ? terminal.colours.green("*") : " "));
    return 0;
  });
}

// The log has the pin as text; whoever reads a document should not have to parse twice.
function rowOf({ resolved, ...entry }: HistoryEntry): Readonly<Record<string, unknown>> {
  const pin = resolved === undefined ? undefined : parsePin(resolved);
  return { ...entry, ...(pin !== undefined && { resolved: pin }) };
}

function parsePin(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function lineOf(
  { time, actor, action, digest, source, verdict, forced }: HistoryEntry,
  mark: string,
): string {
  const words = [
    time.slice(0, 19).replace("T", " "),
    action,
    digest === undefined ? "-" : showDigest(digest),
    ...(verdict === undefined ? [] : [`${verdict}${forced === true ? ", forced" : ""}`]),
    ...(source === undefined ? [] : [source]),
    `by ${actor}`,
  ];
  return `${mark} ${words.map(stripControl).join("  ")}`;
}
