import { createRequire } from "node:module";

export type Scanning = typeof import("./bundles/scanning.ts");

function loadBeside<Module>(
  file: "skillify.cjs" | "conversing.cjs" | "hub.cjs" | "mcp.cjs" | "run.cjs" | "scan.cjs" | "select.cjs",
): Module {
  const load = createRequire(import.meta.url);
  return load("../bin/load-bundle.cjs").loadBundle(file);
}

/** Gives the script that a shell reads for completion; on each Tab it calls the launcher, which loads nothing else. */
export const completionScript = (shell: string): string =>
  createRequire(import.meta.url)("../bin/complete.cjs").script(shell);

/** Loads the agent with its SDK, which takes a quarter of a second. */
export const loadAgent = (): typeof import("./bundles/conversing.ts") => loadBeside("conversing.cjs");

/** Loads what reads conversations and makes skills of them; only `skillify` does. */
export const loadAuthoring = (): typeof import("./bundles/authoring.ts") => loadBeside("skillify.cjs");

/** Loads the hub, which fetches, unpacks and starts git; commands that install nothing must not wait for it. */
export const loadInstalling = (): typeof import("./bundles/installing.ts") => loadBeside("hub.cjs");

/** Loads the scanner, which holds parsers of several languages; commands that judge no skill must not wait for them. */
export const loadScanning = (): Scanning => loadBeside("scan.cjs");

/** Loads the selector; only commands that rank skills against messages wait for it. */
export const loadSelecting = (): typeof import("./bundles/selecting.ts") => loadBeside("select.cjs");

/** Loads what speaks the Model Context Protocol; only `serve` and `mcp` do. */
export const loadServing = (): typeof import("./bundles/serving.ts") => loadBeside("mcp.cjs");

/** Loads what starts processes; only two commands want it, and the others must not wait for it. */
export const loadRunning = (): typeof import("./bundles/running.ts") => loadBeside("run.cjs");
