import { loadBeside } from "../load-beside.ts";

/** The scanner, as commands take it. */
export type Scanning = typeof import("./scanning.ts");

/** Loads the scanner, which holds parsers of several languages; commands that judge no skill must not wait for them. */
export function loadScanning(): Scanning {
  return loadBeside<Scanning>("scan");
}
