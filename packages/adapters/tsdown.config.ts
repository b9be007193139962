import { defineConfig, type UserConfig } from "tsdown";

// One entry an adapter, so that an agent loads the one that it uses.
const config: UserConfig = defineConfig({
  entry: [
    ...["adk", "ai-sdk", "anthropic", "claude-agent-sdk", "codex", "hooks", "langchain"],
    ...["openai-agents", "plain", "telemetry"],
  ].map((name) => `src/${name}.ts`),
  format: "esm",
  platform: "node",
  target: "node20.19",
  dts: { sourcemap: true },
  sourcemap: true,
  outputOptions: { sourcemapExcludeSources: true }, // the package has them
  fixedExtension: false,
});

export default config;
