import type { InstallRequest, Plan } from "@skillet/hub";
import type { CommandContext } from "../command-context.ts";
import { askOnTerminal } from "../ui/ask-on-terminal.ts";
import { wrap } from "../ui/fit-text.ts";
import { showSentence } from "../ui/show-path.ts";
import { newNameProblem } from "./check-new-name.ts";
import type { HubWork } from "./with-hub.ts";

/** Plans an install; where the only name is taken, somebody who is there can give another one. */
export async function planRenamed(
  { terminal, environment, dialog, json }: CommandContext,
  { hub, progress, signal }: HubWork,
  request: InstallRequest,
): Promise<Plan> {
  let plan = await hub.planInstall(request);
  if (dialog === undefined || json || request.as !== undefined) return plan;
  for (;;) {
    const [refusal, ...others] = plan.refusals;
    if (refusal?.code !== "name-taken" || others.length > 0 || plan.items.length > 0) return plan;
    progress.clear();
    for (const line of wrap(showSentence(refusal.reason, environment), { width: terminal.errorLineWidth }))
      terminal.warn(line);
    const name = await askOnTerminal(dialog, "Another name for it (enter: stop):", signal);
    signal.throwIfAborted();
    if (name === undefined || name === "") return plan;
    const problem = newNameProblem(name);
    if (problem !== undefined) {
      for (const line of wrap(problem, { width: terminal.errorLineWidth })) terminal.warn(line);
      continue;
    }
    // The same skill, whatever was picked from: nobody is to pick twice.
    plan = await hub.planInstall({ ...request, names: [refusal.name], as: name });
  }
}
