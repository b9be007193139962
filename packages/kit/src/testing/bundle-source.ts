import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "tsdown";

const PACKAGES = join(import.meta.dirname, "../../..");

const built = new Map<string, Promise<ReadonlyMap<string, string>>>();

/**
 * Bundles source files such as `core/src/a/b.ts` with all their imports, for use in a plain Node process.
 *
 * For tests with real processes, as Node 20 does not run TypeScript. Returns the bundles: `<directory>/b.js`.
 */
export async function bundleSource<const Entries extends readonly string[]>(
  directory: string,
  ...entries: Entries
): Promise<{ [Index in keyof Entries]: string }> {
  const key = entries.join("\n");
  const texts = built.get(key) ?? bundle(entries);
  built.set(key, texts);
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of await texts) writeFileSync(join(directory, name), text);
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
  return entries.map((entry) => join(directory, `${basename(entry, ".ts")}.js`)) as {
    [Index in keyof Entries]: string;
  };
}

async function bundle(entries: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const [bundles] = await build({
    config: false,
    entry: Object.fromEntries(entries.map((entry) => [basename(entry, ".ts"), join(PACKAGES, entry)])),
    format: "esm",
    platform: "node",
    target: "node20.19",
    fixedExtension: false,
    dts: false,
    write: false,
    logLevel: "silent",
    // Its paths lead to the packages' sources.
    tsconfig: join(PACKAGES, "../tsconfig.json"),
    deps: { alwaysBundle: [/./], onlyBundle: false },
  });
  return new Map((bundles?.chunks ?? []).map((chunk) => [chunk.fileName, "code" in chunk ? chunk.code : ""]));
}
