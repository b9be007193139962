import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { carryOut, createInstallAsk } from "../hub/carry-out.ts";
import { withHub } from "../hub/with-hub.ts";
import { loadInstalling } from "../load-beside.ts";
import { stripControl, wrap } from "../ui/text.ts";

/** Which skill goes back, and how far. */
export interface RollbackOptions {
  readonly name: string;
  readonly to?: string;
  readonly project?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly discard?: boolean;
  readonly acceptCapabilities?: boolean;
}

/** Goes back to the version before the installed one, or to one that is named; it is scanned and decided about anew. */
export async function rollback(context: CommandContext, options: RollbackOptions): Promise<ExitCode> {
  const { name, to, project = false, force = false, dryRun = false } = options;
  return withHub(
    context,
    { project, dryRun, ask: (progress) => createInstallAsk(context, progress) },
    async (work) => {
      const plan = await work.hub.planRollback({ name, force, ...(to !== undefined && { to }) });
      return carryOut(context, work, plan, {
        verb: "Roll back",
        nothing: "There was nothing to roll back.",
        yes: options.yes ?? false,
        dryRun,
        discardEdits: options.discard ?? false,
        acceptCapabilities: options.acceptCapabilities ?? false,
        advice: async () => {
          const command = loadInstalling().scopedCommand(work, `pin ${name} --reason TEXT`);
          const text = `The next update brings the newer version back. To stay with this one: ${command}`;
          return wrap(stripControl(text), { width: context.terminal.width });
        },
      });
    },
  );
}
