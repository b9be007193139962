import { lockedFiles } from "../plan/create-entry.ts";
import type { PlanItem } from "../plan/plan.ts";
import { gainedPowers } from "./gained-powers.ts";
import { serverPower } from "./power.ts";
import { abilitiesOf, type CapabilityChange } from "./version-changes.ts";

/** Everything that something can do, for people who have not met it before; what a plugin's parts are tells itself. */
export function firstAbilities({
  candidate,
  report: { capabilities },
}: Pick<PlanItem, "candidate" | "report">): readonly CapabilityChange[] {
  const version = { files: lockedFiles(candidate.files), capabilities };
  const all = [...abilitiesOf(version), ...gainedPowers(undefined, candidate)];
  const shown = partTexts(candidate);
  const told = all.filter(({ kind, value }) => !PARTS.has(kind) && !shown.has(value));
  return [...new Map(told.map((change) => [change.text, change])).values()];
}

const PARTS: ReadonlySet<CapabilityChange["kind"]> = new Set([
  "skills",
  "slashCommands",
  "agents",
  "instructions",
]);

// Hooks and servers of the plugin itself stay off, and are shown so; those of a header are used by whoever reads it.
function partTexts({ parts }: Pick<PlanItem["candidate"], "parts">): ReadonlySet<string> {
  const hooks = parts?.hooks.map(({ event, command }) => `${event}: ${command}`) ?? [];
  const servers = parts?.mcpServers.map((server) => serverPower(server).value) ?? [];
  return new Set([...hooks, ...servers, ...(parts?.settings ?? [])]);
}
