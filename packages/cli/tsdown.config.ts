import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "tsdown";

const config: UserConfig = defineConfig({
  entry: ["src/main.ts"],
  format: "esm",
  platform: "node",
  target: "node20.19",
  dts: false,
  fixedExtension: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  alias: { "node:child_process": fileURLToPath(new URL("./src/no-child-process.ts", import.meta.url)) },
  // Bundled, so that a start opens a few files only; core stays a package of its own, because it finds the
  // bundled skills beside itself.
  deps: { alwaysBundle: ["commander", "picocolors"], onlyBundle: ["commander", "picocolors"] },
});

export default config;
