import { createRequire } from "node:module";

/** Loads a file that the build puts beside the command, with a code cache of its own. */
function loadBeside<Module>(file: "hub.cjs" | "run.cjs" | "scan.cjs" | "select.cjs"): Module {
  const load = createRequire(import.meta.url);
  return load("../bin/load-bundle.cjs").loadBundle(file);
}

type Installing = typeof import("./bundles/installing.ts");

/** Loads the hub, which fetches, unpacks and starts git; commands that install nothing must not wait for it. */
export function loadInstalling(): Installing {
  return loadBeside<Installing>("hub.cjs");
}

export type Scanning = typeof import("./bundles/scanning.ts");

/** Loads the scanner, which holds parsers of several languages; commands that judge no skill must not wait for them. */
export function loadScanning(): Scanning {
  return loadBeside<Scanning>("scan.cjs");
}

type Selecting = typeof import("./bundles/selecting.ts");

/** Loads the selector; only commands that rank skills against messages wait for it. */
export function loadSelecting(): Selecting {
  return loadBeside<Selecting>("select.cjs");
}

type Running = typeof import("./bundles/running.ts");

/** Loads what starts processes; only two commands want it, and the others must not wait for it. */
export function loadRunning(): Running {
  return loadBeside<Running>("run.cjs");
}
