import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const config: ViteUserConfig = defineConfig({
  resolve: {
    alias: [
      { find: "@skillet/core/internal", replacement: source("./packages/core/src/internal.ts") },
      { find: "@skillet/core/testing", replacement: source("./packages/core/src/testing.ts") },
      { find: /^@skillet\/adapters\/(.+)$/, replacement: source("./packages/adapters/src/$1.ts") },
      { find: /^@skillet\/kit\/(.+)$/, replacement: source("./packages/kit/src/$1.ts") },
      { find: /^@skillet\/mcp\/(.+)$/, replacement: source("./packages/mcp/src/$1.ts") },
      { find: "@skillet/select/parts", replacement: source("./packages/select/src/parts.ts") },
      { find: "@skillet/shell/programs", replacement: source("./packages/shell/src/programs.ts") },
      {
        find: /^@skillet\/(agent|author|core|hub|run|scan|select|shell)$/,
        replacement: source("./packages/$1/src/index.ts"),
      },
    ],
  },
  test: {
    // One more than there are cores: many of these tests wait for processes.
    maxWorkers: availableParallelism() + 1,
    // For what hangs; a test that is slow on a busy machine must not fail.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    globalSetup: [source("./test/same-surroundings.ts")],
    setupFiles: [source("./test/property-seed.ts")],
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts", "bench/src/**/*.test.ts"],
    // `npm run try:docker` and `npm run try:agents` alone: they need an engine with an image, and agents.
    exclude: [
      ...configDefaults.exclude,
      ...(process.env.TRY_DOCKER_IMAGE ? [] : ["**/real-engine.test.ts"]),
      ...(process.env.TRY_AGENTS ? [] : ["test/agents/**"]),
    ],
    isolate: false,
  },
});

export default config;
