import { defineConfig, type UserConfig } from "tsdown";
import { codeIdentity } from "../../scripts/code-identity.ts";
import { lateImports } from "../../scripts/late-imports.ts";

const config: UserConfig = defineConfig({
  entry: ["src/index.ts", "src/internal.ts", "src/testing.ts"],
  format: "esm",
  platform: "node",
  target: "node20.19",
  dts: true,
  fixedExtension: false,
  plugins: [lateImports()],
  // Comments are for readers of the source; without them the command starts sooner.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  define: { BUILT_CODE_IDENTITY: JSON.stringify(codeIdentity()) },
  // The bundled skills ship with the package that finds them.
  copy: [{ from: "../../skills", to: "dist" }],
});

export default config;
