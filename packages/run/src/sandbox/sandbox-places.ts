/** Where things lie for a script; nothing of the host can be mounted there, since these folders are refused to it. */
export const SKILL_PLACE = "/skill";
export const PRIVATE_PLACE = "/run/skillet";
export const HOME_PLACE = "/run/skillet/home";
/** Stands in for a workspace where there is none. */
export const EMPTY_WORKSPACE_PLACE = "/run/skillet/workspace";
