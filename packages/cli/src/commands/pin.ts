import type { LockEntry } from "@skillet/hub";
import {
  answer,
  type CommandContext,
  type ExitCode,
  type OfNames,
  type Texts,
} from "../context/command-context.ts";
import { showPin } from "../hub/report-results.ts";
import { type HubWork, withHub } from "../hub/with-hub.ts";
import { stripControl } from "../ui/text.ts";

type PinOptions = OfNames<"project">;

interface Changed {
  readonly entry: LockEntry;
  readonly outcome: string;
  readonly reason?: string;
  readonly text: string;
}

export async function pin(
  context: CommandContext,
  { reason: given, ...options }: PinOptions & Texts<"reason">,
): Promise<ExitCode> {
  const why = given === undefined ? "" : `: ${stripControl(given)}`;
  return changeEach(context, options, async ({ hub }, name) => {
    const entry = await hub.pin(name, given ?? "");
    const text = `is pinned at ${stripControl(showPin(entry.resolved, entry.digest))}${why}`;
    return { entry, outcome: "pinned", reason: entry.pinned?.reason ?? "", text };
  });
}

export async function unpin(context: CommandContext, options: PinOptions): Promise<ExitCode> {
  return changeEach(context, options, async ({ hub }, name, entry) =>
    entry !== undefined && entry.pinned === undefined
      ? { entry, outcome: "unchanged", text: "was not pinned; nothing was changed" }
      : { entry: await hub.unpin(name), outcome: "unpinned", text: "is no longer pinned" },
  );
}

async function changeEach(
  context: CommandContext,
  { names, project = false }: PinOptions,
  change: (work: HubWork, name: string, before: LockEntry | undefined) => Promise<Changed>,
): Promise<ExitCode> {
  return withHub(context, { project }, async (work) => {
    const { skills } = await work.hub.list();
    const { dim, green } = context.terminal.colours;
    const results: Record<string, unknown>[] = [];
    const lines: string[] = [];
    // Names that are not installed come first, so that they are refused before anything is changed.
    const order = names.toSorted((left, right) => Number(skills.has(left)) - Number(skills.has(right)));
    for (const name of new Set(order)) {
      const { entry, text, ...row } = await change(work, name, skills.get(name));
      const { source, resolved, digest } = entry;
      results.push({ name, source, resolved, digest, ...row });
      lines.push(`${row.outcome === "unchanged" ? dim("○") : green("✓")} ${stripControl(name)} ${text}`);
    }
    return answer(context, { results }, () => lines);
  });
}
