import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// Files of these touch nothing that a process has only one of, so they can share one with their modules loaded.
const SHARING = ["packages/scan/src/**/*.test.ts"];

const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: [
      { find: /^@skillet\/kit\/(.+)$/, replacement: source("./packages/kit/src/$1.ts") },
      { find: /^@skillet\/(author|core|hub|run|scan)$/, replacement: source("./packages/$1/src/index.ts") },
    ],
  },
  test: {
    // Left to itself, the runner keeps one core free; most of these tests wait for processes, and on two cores that halves it.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: [source("./test/property-seed.ts")],
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
