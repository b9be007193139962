import { join } from "node:path";
import { build } from "tsdown";

/** Builds what measures selection together with the selector's own sources: what is measured is what is there. */
export async function buildSelectBench() {
  await build({
    config: false,
    cwd: import.meta.dirname,
    entry: ["src/eval-bundled.ts", "src/eval-messages.ts", "src/eval-select.ts", "src/select-scale.ts"],
    outDir: "dist/select",
    format: "esm",
    platform: "node",
    target: "node20.19",
    dts: false,
    fixedExtension: false,
    // Its paths lead to the packages' sources.
    tsconfig: join(import.meta.dirname, "../tsconfig.json"),
    deps: { alwaysBundle: [/^@skillet\//] },
    logLevel: "warn",
  });
}
