import type { LockEntry } from "@skillet/hub";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { allowedWords } from "../hub/allowed-words.ts";
import { loadInstalling } from "../hub/load-installing.ts";
import { showPin } from "../hub/show-pin.ts";
import { withHub } from "../hub/with-hub.ts";
import { printJson } from "../output/json-document.ts";
import { wrap } from "../ui/fit-text.ts";
import { showSentence } from "../ui/show-path.ts";
import { stripControl } from "../ui/strip-control.ts";

/** Says what an installed plugin is and may run; undefined where neither the user nor the project has one of that name. */
export async function explainPlugin(
  context: CommandContext,
  { name, skills }: { readonly name: string; readonly skills: readonly string[] },
): Promise<ExitCode | undefined> {
  for (const project of [false, true]) {
    let isTold = false;
    await withHub(context, { project }, async (work) => {
      const entry = (await work.hub.list()).skills.get(name);
      work.progress.clear();
      if (entry?.kind !== "plugin") return 0;
      isTold = true;
      const command = loadInstalling().scopedCommand(work, `allow ${name}`);
      tell(context, { name, entry, skills, command });
      return 0;
    });
    if (isTold) return 0;
  }
  return undefined;
}

function tell(
  { terminal, environment, json }: CommandContext,
  plugin: {
    readonly name: string;
    readonly entry: LockEntry;
    readonly skills: readonly string[];
    readonly command: string;
  },
): void {
  const { name, entry, skills, command } = plugin;
  const { source, resolved, digest, allowed } = entry;
  if (json) {
    printJson(terminal, { plugin: { name, source, resolved, digest, allowed, skills } });
    return;
  }
  const { colours, width } = terminal;
  terminal.print(`${colours.bold(stripControl(name))}  plugin  ${stripControl(showPin(resolved, digest))}`);
  const texts = [
    `installed from ${source}`,
    `${allowedWords(allowed)}; to change that: ${command} with --hooks, --mcp or --none`,
    `skills: ${skills.length === 0 ? "none" : skills.join(", ")}`,
  ];
  for (const text of texts)
    for (const line of wrap(showSentence(text, environment), { width: width - 2 }))
      terminal.print(`  ${line}`);
}
