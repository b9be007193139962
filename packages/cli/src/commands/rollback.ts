import type { CommandContext, ExitCode, OfName, Texts } from "../context/command-context.ts";
import { type CarryOutFlags, carryOut } from "../hub/carry-out.ts";
import { withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import { hang } from "../ui/text.ts";

type RollbackOptions = CarryOutFlags & OfName & Texts<"to">;

export async function rollback(context: CommandContext, options: RollbackOptions): Promise<ExitCode> {
  const { name, to, force = false } = options;
  return withHub(context, { ...options, asks: true }, async (work) => {
    const plan = await work.hub.planRollback({ name, force, ...(to !== undefined && { to }) });
    return carryOut(context, work, plan, {
      ...options,
      verb: "Roll back",
      nothing: "There was nothing to roll back.",
      advice: async () => {
        const command = loadInstalling().scopedCommand(work, `pin ${name}`);
        return hang(
          `The next update brings the newer version back. To stay with this one: ${command}`,
          context.terminal,
        );
      },
    });
  });
}
