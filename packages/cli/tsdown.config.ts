import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "tsdown";
import { codeIdentity } from "../../scripts/code-identity.ts";

const LIBRARIES = ["commander", "picocolors", "unbash", "yaml"];

const SHARED: UserConfig = {
  // One file of CommonJS with everything in it: resolving modules one by one takes a fifth of a start, and one file
  // has one code cache.
  format: "cjs",
  outputOptions: { codeSplitting: false },
  shims: true,
  platform: "node",
  target: "node20.19",
  dts: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  define: { BUILT_CODE_IDENTITY: JSON.stringify(codeIdentity()) },
  plugins: [
    {
      // Core loads its libraries on first need; here they are in the bundle, and still run on first need.
      name: "bundle-required",
      transform: (code) => code.replaceAll("createRequire(import.meta.url)(", "require("),
    },
    {
      // So that the launcher can read it as Latin-1, which takes a fraction of the time of UTF-8.
      name: "ascii-only",
      generateBundle: (_options, bundle) => {
        for (const file of Object.values(bundle))
          if (file.type === "chunk") file.code = file.code.replaceAll(/[^\0-\x7f]/g, escapeUnit);
      },
    },
  ],
};

const config: readonly UserConfig[] = defineConfig([
  {
    ...SHARED,
    entry: ["src/main.ts"],
    alias: { "node:child_process": fileURLToPath(new URL("./src/no-child-process.ts", import.meta.url)) },
    deps: { alwaysBundle: ["@skillet/core", ...LIBRARIES], onlyBundle: LIBRARIES },
    copy: [
      { from: "../../skills", to: "dist" },
      ...LIBRARIES.map((library) => ({
        from: `../../node_modules/${library}/LICENSE*`,
        to: `dist/licenses/${library}`,
      })),
    ],
  },
  {
    ...SHARED,
    // What starts processes, for the commands that do: no other command waits for it.
    entry: { run: "src/run/running.ts" },
    clean: false,
    deps: { alwaysBundle: [/^@skillet\//], onlyBundle: [] },
  },
]);

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export default config;
