import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "tsdown";
import { codeIdentity, ruleSet } from "../../scripts/code-identity.ts";

const LIBRARIES = ["commander", "picocolors", "unbash", "yaml"];

const SCAN_LIBRARIES = [
  "@lezer/common",
  "@lezer/highlight",
  "@lezer/html",
  "@lezer/javascript",
  "@lezer/lr",
  "@lezer/markdown",
  "@lezer/python",
  "re2js",
  "smol-toml",
  "unbash",
  "yaml",
];

const HUB_LIBRARIES = ["fflate", "yaml"];

const SELECT_LIBRARIES = ["re2js", "unbash", "yaml"];

type Plugins = Extract<NonNullable<UserConfig["plugins"]>, readonly unknown[]>;

const SHARED_PLUGINS: Plugins = [
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
];

/** What stands in for modules of core by which it loads what it does not need at once. */
const STAND_INS: ReadonlyMap<string, URL> = new Map([
  ["load-selection.ts", new URL("./src/load-beside.ts", import.meta.url)],
  ["load-use-detector.ts", new URL("./src/load-beside.ts", import.meta.url)],
]);

/** Core loads its selector and its detector on first need; here they are a file of their own, which few commands wait for. */
const SELECTION_BESIDE: Plugins[number] = {
  name: "selection-beside",
  resolveId: (source, importer) => {
    const standIn = STAND_INS.get(source.slice(source.lastIndexOf("/") + 1));
    return standIn !== undefined && importer?.includes("/packages/core/src/") === true
      ? fileURLToPath(standIn)
      : undefined;
  },
};

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
  define: {
    BUILT_CODE_IDENTITY: JSON.stringify(codeIdentity()),
    BUILT_RULE_SET: JSON.stringify(ruleSet()),
  },
  plugins: SHARED_PLUGINS,
};

/**
 * For bundles in which a module is imported both at once and on demand: the bundler wraps it, and would leave out the
 * call that sets it up where its package says that it has no side effects.
 */
const KEEP_SET_UP: NonNullable<UserConfig["treeshake"]> = {
  moduleSideEffects: [{ test: /packages\/[a-z]+\/src/, sideEffects: true }],
};

const config: readonly UserConfig[] = defineConfig([
  {
    ...SHARED,
    entry: ["src/main.ts"],
    alias: { "node:child_process": fileURLToPath(new URL("./src/no-child-process.ts", import.meta.url)) },
    plugins: [...SHARED_PLUGINS, SELECTION_BESIDE],
    // Of the scanner only what looks verdicts up, of the hub what reads a lock, of core all but selection; the rest is beside.
    treeshake: {
      moduleSideEffects: [{ test: /packages\/(?:core|hub|kit|scan|shell)\/src/, sideEffects: false }],
    },
    deps: {
      alwaysBundle: [/^@skillet\/(?:core|core\/internal|hub|kit\/.*|scan|shell(?:\/.*)?)$/, ...LIBRARIES],
      onlyBundle: LIBRARIES,
    },
    copy: [{ from: "../../skills", to: "dist" }, ...LIBRARIES.map(copyLicence)],
  },
  {
    ...SHARED,
    // What starts processes, for the commands that do: no other command waits for it.
    entry: { run: "src/bundles/running.ts" },
    clean: false,
    treeshake: KEEP_SET_UP,
    deps: { alwaysBundle: [/^@skillet\//], onlyBundle: [] },
  },
  {
    ...SHARED,
    // The scanner and its parsers, for the commands that judge skills.
    entry: { scan: "src/bundles/scanning.ts" },
    clean: false,
    deps: { alwaysBundle: [/^@skillet\//, ...SCAN_LIBRARIES], onlyBundle: SCAN_LIBRARIES },
    copy: licencesOf(SCAN_LIBRARIES, LIBRARIES),
  },
  {
    ...SHARED,
    // What fetches and installs, and starts git; it takes the scanner from the command.
    entry: { hub: "src/bundles/installing.ts" },
    clean: false,
    treeshake: { moduleSideEffects: [{ test: /packages\/(?:scan|shell)\/src/, sideEffects: false }] },
    deps: { alwaysBundle: [/^@skillet\//, ...HUB_LIBRARIES], onlyBundle: HUB_LIBRARIES },
    copy: licencesOf(HUB_LIBRARIES, [...LIBRARIES, ...SCAN_LIBRARIES]),
  },
  {
    ...SHARED,
    // What ranks skills against messages, and what evaluates that.
    entry: { select: "src/bundles/selecting.ts" },
    clean: false,
    treeshake: KEEP_SET_UP,
    deps: { alwaysBundle: [/^@skillet\//, ...SELECT_LIBRARIES], onlyBundle: SELECT_LIBRARIES },
    copy: licencesOf(SELECT_LIBRARIES, [...LIBRARIES, ...SCAN_LIBRARIES, ...HUB_LIBRARIES]),
  },
]);

// The files are built side by side, and two copies to one place get in each other's way.
function licencesOf(
  libraries: readonly string[],
  elsewhere: readonly string[],
): ReturnType<typeof copyLicence>[] {
  return libraries.filter((library) => !elsewhere.includes(library)).map(copyLicence);
}

function copyLicence(library: string): { from: string; to: string } {
  return { from: `../../node_modules/${library}/LICENSE*`, to: `dist/licenses/${library}` };
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export default config;
