import type { CandidateReading } from "../candidate/candidate-reading.ts";
import { renameCandidate } from "../candidate/rename-candidate.ts";
import type { LockedTarget } from "../lock/lock-entry.ts";
import { targetsFor } from "../target/targets-for.ts";
import type { HubParts } from "./hub-parts.ts";
import type { PlanItem, Refusal } from "./plan.ts";
import { planItem } from "./plan-item.ts";
import { refuseReading } from "./refuse-reading.ts";

/** How something is placed. */
export interface PlacingRequest {
  /** Another name for the one that is installed. */
  readonly as?: string;
  /** Whose folders get it besides Skillet's own. */
  readonly agents: readonly string[];
  /** How they get it. */
  readonly agentTargets: "link" | "copy";
  /** Use a local folder in place. */
  readonly link: boolean;
  readonly force: boolean;
}

/** Plans one reading: under the name, for the agents and in the way that was asked for. */
export async function planReading(
  parts: HubParts,
  request: PlacingRequest,
  read: {
    readonly reading: CandidateReading;
    readonly source: string;
    readonly requiredBy: readonly string[] | undefined;
    /** Who named the source: somebody at the keyboard or what is theirs, or what came from elsewhere. */
    readonly askedBy: "person" | "content";
  },
): Promise<PlanItem | Refusal> {
  const { reading, source, requiredBy, askedBy } = read;
  if ("problem" in reading) return refuseReading(reading, { source, verb: "installed" });
  const candidate = request.as === undefined ? reading : renameCandidate(reading, request.as);
  const { name } = candidate;
  const targets = targetsFor({
    scope: parts.scope,
    name,
    agents: request.agents,
    how: request.agentTargets,
    userHome: parts.userHome,
    environment: parts.environment,
  }).map((target): LockedTarget => (request.link ? { ...target, how: "link" } : target));
  return planItem(parts, candidate, {
    source,
    targets: withEarlier(parts, name, targets),
    force: request.force,
    isLinked: request.link,
    requiredBy,
    askedBy,
    ...(name !== reading.name && { declaredName: reading.name }),
  });
}

// Another agent gets it besides those that have it; nobody loses it by that.
function withEarlier(
  { lock }: HubParts,
  name: string,
  targets: readonly LockedTarget[],
): readonly LockedTarget[] {
  const entry = lock.skills.get(name);
  const isLinked = targets.every(({ how }) => how === "link");
  if (entry === undefined || (entry.linked === true) !== isLinked) return targets;
  const earlier = entry.targets.filter(({ path }) => targets.every((target) => target.path !== path));
  return [...targets, ...earlier];
}
