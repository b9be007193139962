import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: {
      "@skillet/core": source("./packages/core/src/index.ts"),
      "@skillet/hub": source("./packages/hub/src/index.ts"),
      "@skillet/process": source("./packages/process/src/index.ts"),
      "@skillet/run": source("./packages/run/src/index.ts"),
      "@skillet/scan": source("./packages/scan/src/index.ts"),
    },
  },
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts", "bench/src/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

export default config;
