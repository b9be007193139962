import { defineConfig, type UserConfig } from "tsdown";

const config: UserConfig = defineConfig({
  entry: ["src/client.ts", "src/server.ts"],
  format: "esm",
  platform: "node",
  target: "node20.19",
  dts: { sourcemap: true },
  sourcemap: true,
  outputOptions: { sourcemapExcludeSources: true }, // the package has them
  fixedExtension: false,
});

export default config;
