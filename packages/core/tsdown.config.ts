import { defineConfig, type UserConfig } from "tsdown";
import { codeIdentity } from "../../scripts/code-identity.ts";
import { lateImports } from "../../scripts/late-imports.ts";

const config: UserConfig = defineConfig({
  entry: ["src/index.ts", "src/internal.ts", "src/testing.ts"],
  format: "esm",
  platform: "node",
  target: "node20.19",
  dts: { sourcemap: true },
  sourcemap: true,
  outputOptions: { sourcemapExcludeSources: true }, // the package has them
  fixedExtension: false,
  plugins: [lateImports()],
  define: { BUILT_CODE_IDENTITY: JSON.stringify(codeIdentity()) },
  // The bundled skills ship with the package that finds them.
  copy: [{ from: "../../skills", to: "dist" }],
});

export default config;
