import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// Files of these touch nothing that a process has only one of, so they can share one with their modules loaded.
const SHARING = ["packages/scan/src/**/*.test.ts"];

const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: {
      "@skillet/author": source("./packages/author/src/index.ts"),
      "@skillet/core": source("./packages/core/src/index.ts"),
      "@skillet/hub": source("./packages/hub/src/index.ts"),
      "@skillet/process": source("./packages/process/src/index.ts"),
      "@skillet/run": source("./packages/run/src/index.ts"),
      "@skillet/scan": source("./packages/scan/src/index.ts"),
    },
  },
  test: {
    // Left to itself, the runner keeps one core free; most of these tests wait for processes, and on two cores that halves it.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "sharing", include: SHARING, isolate: false } },
      {
        extends: true,
        test: {
          name: "apart",
          include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts", "bench/src/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...SHARING],
        },
      },
    ],
  },
});

export default config;
