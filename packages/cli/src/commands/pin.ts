import type { LockEntry } from "@skillet/hub";
import {
  answer,
  type CommandContext,
  type ExitCode,
  type Flags,
  type Texts,
} from "../context/command-context.ts";
import { showPin } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { stripControl } from "../ui/text.ts";

interface PinOptions extends Flags<"project"> {
  readonly name: string;
}

export async function pin(
  context: CommandContext,
  { name, reason: given, project = false }: PinOptions & Texts<"reason">,
): Promise<ExitCode> {
  return withHub(context, { project }, async ({ hub }) => {
    const reason = given ?? "no reason given";
    const entry = await hub.pin(name, reason);
    const why = given === undefined ? "" : `: ${stripControl(given)}`;
    const text = `is pinned at ${stripControl(showPin(entry.resolved, entry.digest))}${why}`;
    return report(context, entry, { name, outcome: "pinned", reason }, text);
  });
}

export async function unpin(
  context: CommandContext,
  { name, project = false }: PinOptions,
): Promise<ExitCode> {
  return withHub(context, { project }, async ({ hub }) => {
    const before = (await hub.list()).skills.get(name);
    const isUnchanged = before !== undefined && before.pinned === undefined;
    // Whatever is not installed is refused there.
    const entry = isUnchanged ? before : await hub.unpin(name);
    return isUnchanged
      ? report(context, entry, { name, outcome: "unchanged" }, "was not pinned; nothing was changed")
      : report(context, entry, { name, outcome: "unpinned" }, "is no longer pinned");
  });
}

function report(
  context: CommandContext,
  { source, resolved, digest }: LockEntry,
  { name, ...row }: { readonly name: string; readonly outcome: string; readonly reason?: string },
  text: string,
): ExitCode {
  const { dim, green } = context.terminal.colours;
  const mark = row.outcome === "unchanged" ? dim("○") : green("✓");
  const results = [{ name, source, resolved, digest, ...row }];
  return answer(context, { results }, () => `${mark} ${stripControl(name)} ${text}`);
}
