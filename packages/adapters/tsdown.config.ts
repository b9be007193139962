import { defineConfig, type UserConfig } from "tsdown";

// One entry an adapter, so that an agent loads the one that it uses.
const config: UserConfig = defineConfig({
  entry: ["src/ai-sdk.ts", "src/hooks.ts", "src/openai-agents.ts", "src/plain.ts", "src/telemetry.ts"],
  format: "esm",
  platform: "node",
  target: "node20.19",
  dts: { sourcemap: true },
  sourcemap: true,
  outputOptions: { sourcemapExcludeSources: true }, // the package has them
  fixedExtension: false,
});

export default config;
