import type { CommandContext, ExitCode, OfName, Texts } from "../context/command-context.ts";
import { type CarryOutFlags, carryOut } from "../hub/carry-out.ts";
import { showRef } from "../hub/report-results.ts";
import { withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import { hang, stripControl } from "../ui/text.ts";

type RollbackOptions = CarryOutFlags & OfName & Texts<"to">;

export async function rollback(context: CommandContext, options: RollbackOptions): Promise<ExitCode> {
  const { name, to, force = false } = options;
  return withHub(context, { ...options, asks: true }, async (work) => {
    const plan = await work.hub.planRollback({ name, force, ...(to !== undefined && { to }) });
    return carryOut(context, work, plan, {
      ...options,
      verb: "Roll back",
      nothing: "There was nothing to roll back.",
      advice: async ([item]) => {
        const resolved = item?.entry.resolved;
        if (resolved?.kind === "git" && resolved.ref?.startsWith("refs/tags/") === true)
          return [`Updates stay at the tag ${stripControl(showRef(resolved) ?? "")}.`];
        const pin = loadInstalling().scopedCommand(work, `pin ${name}`);
        const text = `The next update brings the newer version back. To stay with this one: ${pin}`;
        return hang(text, context.terminal);
      },
    });
  });
}
