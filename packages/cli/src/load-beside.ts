import { createRequire } from "node:module";

export type Scanning = typeof import("./bundles/scanning.ts");

function loadBeside<Module>(
  file: "skillify.cjs" | "conversing.cjs" | "hub.cjs" | "mcp.cjs" | "run.cjs" | "scan.cjs" | "select.cjs",
): Module {
  const load = createRequire(import.meta.url);
  return load("../bin/load-bundle.cjs").loadBundle(file);
}

/** Returns the shell's completion script; on each Tab it calls the launcher, which loads nothing else. */
export const completionScript = (shell: string): string =>
  createRequire(import.meta.url)("../bin/complete.cjs").script(shell);

/** The agent's SDK takes a quarter of a second to load. */
export const loadAgent = (): typeof import("./bundles/conversing.ts") => loadBeside("conversing.cjs");

/** Only `skillify` needs it. */
export const loadAuthoring = (): typeof import("./bundles/authoring.ts") => loadBeside("skillify.cjs");

/** Commands that install nothing must not wait for the hub, which fetches, unpacks and starts git. */
export const loadInstalling = (): typeof import("./bundles/installing.ts") => loadBeside("hub.cjs");

/** Commands that judge no skill must not wait for the scanner's parsers of several languages. */
export const loadScanning = (): Scanning => loadBeside("scan.cjs");

/** Only commands that rank skills against messages wait for the selector. */
export const loadSelecting = (): typeof import("./bundles/selecting.ts") => loadBeside("select.cjs");

/** Only `serve` and `mcp` speak the Model Context Protocol. */
export const loadServing = (): typeof import("./bundles/serving.ts") => loadBeside("mcp.cjs");

/** Only two commands start processes; the others must not wait for this code. */
export const loadRunning = (): typeof import("./bundles/running.ts") => loadBeside("run.cjs");
