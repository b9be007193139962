import { createRequire } from "node:module";

const loaded = new Map<string, unknown>();

/** Loads a file that the build puts beside the command, with a code cache of its own; each once. */
export function loadBeside<Module>(name: "hub" | "scan" | "select"): Module {
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
