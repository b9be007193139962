import { createRequire } from "node:module";

/** The scanner, as commands take it. */
export type Scanning = typeof import("./scanning.ts");

let loaded: Scanning | undefined;

/**
 * Loads the scanner, which is a file of its own beside the built command, with a code cache of its own.
 *
 * It holds parsers of several languages; commands that judge no skill must not wait for them.
 */
export function loadScanning(): Scanning {
  if (loaded !== undefined) return loaded;
  const load = createRequire(import.meta.url);
  const bundle = load("../bin/load-bundle.cjs").loadBundle("scan");
  if (bundle === undefined)
    throw Object.assign(new Error("Cannot find module 'scan.cjs'"), { code: "ERR_MODULE_NOT_FOUND" });
  const scanning: Scanning = bundle.exports;
  loaded = scanning;
  return scanning;
}
