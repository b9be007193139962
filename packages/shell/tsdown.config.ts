import { defineConfig, type UserConfig } from "tsdown";
import { lateImports } from "../../scripts/late-imports.ts";

const config: UserConfig = defineConfig({
  entry: ["src/index.ts", "src/programs.ts"],
  format: "esm",
  platform: "node",
  target: "node20.19",
  dts: { sourcemap: true },
  sourcemap: true,
  outputOptions: { sourcemapExcludeSources: true }, // the package has them
  fixedExtension: false,
  plugins: [lateImports()],
});

export default config;
