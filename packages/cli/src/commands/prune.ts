import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Leftover } from "@skillet/hub";
import { listFirst } from "@skillet/kit/text";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import { pathKind } from "../context/output-file.ts";
import { withHub } from "../hub/with-hub.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, formatBytes, hang, pad, showPath, stripControl } from "../ui/text.ts";

const TITLES: Readonly<Record<Leftover["kind"], string>> = {
  store: "versions that no installed skill needs",
  cache: "made again when needed",
  quarantine: "downloads that were never finished",
  removed: "skills that you removed from agents",
  own: "",
};

// `--json` lists them all.
const MAX_NAMES = 50;

// Each removed skill is in a folder of its own, under its former name.
function namesIn(path: string): readonly string[] {
  return pathKind(path) === "folder" ? readdirSync(path) : [];
}

function keptLines(names: readonly string[], layout: Layout): readonly string[] {
  if (names.length === 0) return [];
  const [what, them] =
    names.length === 1 ? ["A skill that you removed stays", "it"] : ["Skills that you removed stay", "them"];
  const text = `${what}, so that \`skillet enable\` can bring ${them} back: ${stripControl(listFirst(names, MAX_NAMES))}. To delete ${them} for good: skillet prune --all`;
  return hang(text, layout);
}

export async function prune(
  context: CommandContext,
  { all = false, yes = false, dryRun = false }: Flags<"all" | "yes" | "dryRun">,
): Promise<ExitCode> {
  const { terminal, environment, json } = context;
  // A dry run caches nothing, because a new cache would remain afterwards.
  return withHub(context, { dryRun: true }, async ({ hub, home }) => {
    const found = await hub.findUnneeded({ all });
    const removed = all
      ? []
      : namesIn(join(home, "removed")).flatMap((name) => namesIn(join(home, "removed", name)));
    const staying = keptLines(removed.sort(), terminal);
    const total = found.reduce((sum, { bytes }) => sum + bytes, 0);
    const kinds = (["store", "cache", "quarantine", "removed"] as const).flatMap((kind) => {
      const of = found.filter((one) => one.kind === kind);
      const bytes = of.reduce((sum, one) => sum + one.bytes, 0);
      const names = kind === "removed" ? { names: of.flatMap(({ path }) => namesIn(path)).sort() } : {};
      return of.length === 0 ? [] : [{ kind, count: of.length, bytes, ...names }];
    });
    const report = (isRemoved: boolean, lines: readonly string[], exitCode: ExitCode = 0): ExitCode =>
      answer(
        context,
        { home, all, removed: isRemoved, bytes: total, kinds, paths: found.map(({ path }) => path) },
        () => [...lines, ...staying],
        exitCode,
      );
    if (found.length === 0) return report(false, ["There is nothing to prune."]);
    const rows = kinds.flatMap((row) => {
      const lead = `  ${pad(row.kind, 12)}${pad(formatBytes(row.bytes), 10)}`;
      const names = row.names === undefined ? "" : `: ${listFirst(row.names, MAX_NAMES)}`;
      return hang(`${TITLES[row.kind]} (${row.count})${names}`, terminal, { indent: lead.length, lead });
    });
    if (!json) terminal.print([`In ${showPath(home, environment)}:`, ...rows]);
    if (dryRun) return report(false, ["Nothing was changed: this was a dry run."]);
    const items = `${count(found.length, "item")}, ${formatBytes(total)}`;
    const question = kinds.some(({ kind }) => kind === "removed")
      ? `Remove ${items}? Skills that you removed from agents go for good: \`skillet enable\` cannot bring them back then.`
      : `Remove ${items}?`;
    if (!yes && !(await confirmChange(context, question, { undone: "removed", details: { home } })))
      return report(false, ["Nothing was changed."], 1);
    await hub.removeLeftovers(found);
    return report(true, [`${terminal.colours.green("✓")} Removed ${formatBytes(total)}.`]);
  });
}
