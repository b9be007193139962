import { createRequire } from "node:module";

/** The hub, as commands take it. */
export type Installing = typeof import("./installing.ts");

let loaded: Installing | undefined;

/**
 * Loads the hub, which is a file of its own beside the built command, with a code cache of its own.
 *
 * It fetches, unpacks and starts git; commands that install nothing must not wait for it.
 */
export function loadInstalling(): Installing {
  if (loaded !== undefined) return loaded;
  const load = createRequire(import.meta.url);
  const bundle = load("../bin/load-bundle.cjs").loadBundle("hub");
  if (bundle === undefined)
    throw Object.assign(new Error("Cannot find module 'hub.cjs'"), { code: "ERR_MODULE_NOT_FOUND" });
  const installing: Installing = bundle.exports;
  loaded = installing;
  return installing;
}
