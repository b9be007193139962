import { join } from "node:path";
import { build } from "tsdown";

// Its paths lead to the packages' sources.
const TSCONFIG = join(import.meta.dirname, "../../../../../tsconfig.json");

/** Bundles `commit-child.ts` with all that it imports, since Node 20 does not run TypeScript; returns the file to run. */
export async function buildChild(outDir: string): Promise<string> {
  await build({
    config: false,
    cwd: import.meta.dirname,
    entry: ["commit-child.ts"],
    outDir,
    format: "esm",
    platform: "node",
    target: "node20.19",
    dts: false,
    fixedExtension: true,
    tsconfig: TSCONFIG,
    clean: false,
    deps: { alwaysBundle: [/./], onlyBundle: false },
    logLevel: "silent",
  });
  return join(outDir, "commit-child.mjs");
}
