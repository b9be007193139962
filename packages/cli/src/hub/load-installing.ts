import { loadBeside } from "../load-beside.ts";

/** The hub, as commands take it. */
export type Installing = typeof import("./installing.ts");

/** Loads the hub, which fetches, unpacks and starts git; commands that install nothing must not wait for it. */
export function loadInstalling(): Installing {
  return loadBeside<Installing>("hub");
}
