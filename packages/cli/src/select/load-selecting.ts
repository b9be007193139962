import { loadBeside } from "../load-beside.ts";

/** The selector and what evaluates it, as commands take them. */
export type Selecting = typeof import("./selecting.ts");

/** Loads the selector; only commands that rank skills against messages wait for it. */
export function loadSelecting(): Selecting {
  return loadBeside<Selecting>("select");
}
