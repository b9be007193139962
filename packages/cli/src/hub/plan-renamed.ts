import type { InstallRequest, Offer, Plan } from "@skillet/hub";
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
  const again = choosingOnce(request);
  let plan = await hub.planInstall(again);
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
    plan = await hub.planInstall({ ...again, as: name });
  }
}

// The same again, whatever was picked from: nobody is to pick twice.
function choosingOnce({ choose, ...request }: InstallRequest): InstallRequest {
  if (choose === undefined) return request;
  let chosen: ReadonlySet<string> | undefined;
  const keyOf = ({ kind, name, folder }: Offer): string => JSON.stringify([kind, name, folder]);
  return {
    ...request,
    choose: async (offers) => {
      chosen ??= new Set((await choose(offers)).map(keyOf));
      return offers.filter((offer) => chosen?.has(keyOf(offer)));
    },
  };
}
