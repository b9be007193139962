import { join } from "node:path";
import { build } from "tsdown";

const PACKAGES = join(import.meta.dirname, "../../../..");

/** Bundles `commit-child.ts` with all that it imports, since Node 20 does not run TypeScript; returns the file to run. */
export async function buildChild(outDir: string): Promise<string> {
  const source = (name: string): string => join(PACKAGES, name, "src/index.ts");
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
    tsconfig: false,
    clean: false,
    alias: { "@skillet/core": source("core"), "@skillet/scan": source("scan") },
    deps: { alwaysBundle: [/./], onlyBundle: false },
    logLevel: "silent",
  });
  return join(outDir, "commit-child.mjs");
}
