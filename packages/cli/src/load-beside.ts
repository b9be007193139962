import { createRequire } from "node:module";
import type { createUseDetector, Selector, SelectorOptions, Snapshot } from "@skillet/core";
import type { readLearned } from "@skillet/core/internal";

const loaded = new Map<string, unknown>();

/** Loads a file that the build puts beside the command, with a code cache of its own; each once. */
function loadBeside<Module>(name: "hub" | "scan" | "select"): Module {
  if (!loaded.has(name)) loaded.set(name, loadFile(name));
  return loaded.get(name) as Module;
}

function loadFile(name: string): unknown {
  const load = createRequire(import.meta.url);
  const bundle = load("../bin/load-bundle.cjs").loadBundle(name);
  if (bundle === undefined)
    throw Object.assign(new Error(`Cannot find module '${name}.cjs'`), { code: "ERR_MODULE_NOT_FOUND" });
  return bundle.exports;
}

type Installing = typeof import("./bundles/installing.ts");

/** Loads the hub, which fetches, unpacks and starts git; commands that install nothing must not wait for it. */
export function loadInstalling(): Installing {
  return loadBeside<Installing>("hub");
}

/** The scanner, as commands take it. */
export type Scanning = typeof import("./bundles/scanning.ts");

/** Loads the scanner, which holds parsers of several languages; commands that judge no skill must not wait for them. */
export function loadScanning(): Scanning {
  return loadBeside<Scanning>("scan");
}

type Selecting = typeof import("./bundles/selecting.ts");

/** Loads the selector; only commands that rank skills against messages wait for it. */
export function loadSelecting(): Selecting {
  return loadBeside<Selecting>("select");
}

/**
 * Loads what starts processes, which is a file of its own beside the built command.
 *
 * Only two commands want it; the others must not wait for it, and their file stays without a way to start anything.
 */
export function loadRunning(): typeof import("./bundles/running.ts") {
  const load = createRequire(import.meta.url);
  return load("./run.cjs");
}

interface SelectionModule {
  readonly createSelector: (snapshot: Snapshot, options?: SelectorOptions) => Promise<Selector>;
  readonly readLearned: typeof readLearned;
}

/** Stands in for the module of core by which it loads its selector; the build puts it there. */
export async function loadSelection(): Promise<SelectionModule> {
  return loadSelecting();
}

/** Stands in for the module of core by which it loads its detector of use; the build puts it there. */
export async function loadUseDetector(): Promise<{ readonly createUseDetector: typeof createUseDetector }> {
  return loadSelecting();
}
