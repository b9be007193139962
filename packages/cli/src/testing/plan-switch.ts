import type { SwitchParts, SwitchRequest } from "@skillet/hub";
import { planSwitches, type SwitchPlan } from "../hub/plan-switch.ts";

/** The plan for one name. */
export async function planSwitch(parts: SwitchParts, request: SwitchRequest): Promise<SwitchPlan> {
  const { steps, plans } = await planSwitches(parts, [request]);
  return { name: request.name, action: request.action, remaining: [], ...plans[0], steps };
}
