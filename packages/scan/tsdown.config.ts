import { defineConfig, type UserConfig } from "tsdown";
import { ruleSet } from "../../scripts/code-identity.ts";

const config: UserConfig = defineConfig({
  entry: ["src/index.ts"],
  format: "esm",
  platform: "node",
  target: "node20.19",
  dts: { sourcemap: true },
  sourcemap: true,
  outputOptions: { sourcemapExcludeSources: true }, // the package has them
  fixedExtension: false,
  define: { BUILT_RULE_SET: JSON.stringify(ruleSet()) },
});

export default config;
