import { defineConfig, type UserConfig } from "tsdown";

const config: UserConfig = defineConfig({
  entry: ["src/index.ts", "src/parts.ts"],
  format: "esm",
  platform: "node",
  target: "node20.19",
  dts: true,
  fixedExtension: false,
});

export default config;
