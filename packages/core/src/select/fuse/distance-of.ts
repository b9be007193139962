import type { Origin, Skill } from "../../registry/skill.ts";

/** How far a skill's origin is from the person who runs it: 0 for what somebody vouches for, more for the rest. */
export function distanceOf({ origin }: Skill): number {
  return DISTANCE[origin];
}

const DISTANCE: Readonly<Record<Origin, number>> = {
  builtin: 0,
  organisation: 0,
  trusted: 0,
  local: 0,
  community: 1,
  "agent-created": 2,
};
