import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "tsdown";
import { codeIdentity, ruleSet } from "../../scripts/code-identity.ts";

const LIBRARIES = [
  "@lezer/common",
  "@lezer/highlight",
  "@lezer/html",
  "@lezer/javascript",
  "@lezer/lr",
  "@lezer/python",
  "commander",
  "fflate",
  "picocolors",
  "re2js",
  "smol-toml",
  "unbash",
  "yaml",
];

const config: UserConfig = defineConfig({
  entry: {
    main: "src/main.ts",
    run: "src/bundles/running.ts",
    scan: "src/bundles/scanning.ts",
    hub: "src/bundles/installing.ts",
    select: "src/bundles/selecting.ts",
    skillify: "src/bundles/authoring.ts",
    mcp: "src/bundles/serving.ts",
    hooking: "src/hook/make-view.ts",
  },
  // CommonJS has a code cache in every version of Node; see bin/load-bundle.cjs.
  format: "cjs",
  outputOptions: {
    chunkFileNames: "[name].cjs",
    // Few files, since each takes time to open; and none with much that the commands do not need which load it.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: "yaml", test: /node_modules\/yaml\// },
        { name: "re2", test: /node_modules\/re2js\// },
        { name: "shell", test: /packages\/shell\/src\/|node_modules\/unbash\// },
        {
          name: "session",
          test: /core\/src\/(?:audit|policy(?!\/decision)|session(?!\/skill-reader))\/|select\/src\/text\/find-mentions|kit\/src\/(?:chat|log|markdown)|scan\/src\/(?:file|judge|text)\//,
        },
        { name: "common", minShareCount: 15 },
      ],
    },
  },
  inputOptions: { preserveEntrySignatures: "allow-extension" }, // as that splitting asks for
  shims: true,
  platform: "node",
  target: "node20.19",
  dts: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  define: {
    BUILT_CODE_IDENTITY: JSON.stringify(codeIdentity()),
    BUILT_RULE_SET: JSON.stringify(ruleSet()),
  },
  treeshake: { moduleSideEffects: [{ test: /packages\/\w+\/src/, sideEffects: false }] },
  deps: { alwaysBundle: [/^@skillet\//, ...LIBRARIES], onlyBundle: LIBRARIES },
  copy: [
    { from: "../../skills", to: "dist" },
    ...LIBRARIES.map((library) => ({
      from: `../../node_modules/${library}/LICENSE*`,
      to: `dist/licenses/${library}`,
    })),
  ],
  plugins: [
    {
      name: "no-child-process",
      resolveId: (source, importer) =>
        source === "node:child_process" && importer?.includes("/node_modules/commander/") === true
          ? fileURLToPath(new URL("./src/no-child-process.ts", import.meta.url))
          : undefined,
    },
    {
      // It looks at standard output when it is loaded, which makes the stream; the terminal decides about colours itself.
      name: "no-standard-output",
      transform: (code, id) =>
        id.endsWith("/picocolors/picocolors.js")
          ? code.replace("(p.stdout || {}).isTTY", "false")
          : undefined,
    },
    {
      // Core loads its libraries on first need; here they are in the bundle, and still run on first need.
      name: "bundle-required",
      transform: (code) => code.replaceAll("createRequire(import.meta.url)(", "require("),
    },
    {
      name: "finish-files",
      generateBundle: (_options, bundle) => {
        for (const file of Object.values(bundle))
          if (file.type === "chunk") file.code = wrap(escapeNonAscii(requireLate(file.code)));
      },
    },
  ],
});

// Stands at the end of a file. No export changes after that, and hundreds of getters take a millisecond to define.
const LIVE_EXPORT =
  /Object\.defineProperty\(exports,(`[^`]+`),\{enumerable:true,get:function\(\)\{return ([\w$]+)\}\}\);/g;

/**
 * Lets a file load another, or a module of Node, on first use instead of at its top.
 *
 * Nothing here has an effect when it is loaded, so nothing can tell, and a command loads only what it comes to.
 */
function requireLate(code: string): string {
  // Only the names that the bundler itself gives: libraries have variables such as `path`.
  const late = new Set<string>();
  return code
    .replaceAll(
      /(?:const|let) ((?:node|require)_[\w$]+)=require\((`[^`]+`)\);/g,
      (_, name: string, path: string) => {
        late.add(name);
        return `const ${name}={get _(){const value=require(${path});Object.defineProperty(this,"_",{value});return value}};`;
      },
    )
    .replaceAll(/(?<![\w$]|[^.]\.)([\w$]+)\./g, (use, name: string) => (late.has(name) ? `${name}._.` : use))
    .replaceAll(LIVE_EXPORT, "exports[$1]=$2;");
}

/** So that the launcher can read it as Latin-1, which takes a fraction of the time of UTF-8. */
function escapeNonAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** As Node wraps a module, so that the launcher need not copy the text. */
function wrap(code: string): string {
  return `(function(exports,require,module,__filename,__dirname){${code}\n})`;
}

/** Hooks run before every tool call of an agent: theirs has nothing but what they need, and shares no file with the others. */
const hooks: UserConfig = {
  ...config,
  entry: { "answer-hook": "../adapters/src/hooks/run-hook.ts" },
  outputOptions: {
    chunkFileNames: "hook-[name].cjs",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: "re2", test: /node_modules\/re2js\// },
        {
          name: "common",
          test: /packages\/kit\/src\/(?:async|errors|files|glob|json|order|text)/,
        },
        {
          name: "command",
          test: /packages\/shell\/src\/|node_modules\/unbash\/|core\/src\/behaviour\/|kit\/src\/archive\/|hooks\/detecting/,
        },
        { name: "prompt", test: /packages\/select\/src\/|kit\/src\/(?:words|markdown)|hooks\/selecting/ },
      ],
    },
  },
  clean: false,
  copy: [],
};

/** The agent's SDK is large, and no other command waits for it. */
const AGENT_LIBRARIES = [
  ...LIBRARIES,
  ...["ai", "zod", "eventsource-parser", "@ai-sdk/anthropic", "@ai-sdk/gateway", "@ai-sdk/openai-compatible"],
  ...[
    "@ai-sdk/provider",
    "@ai-sdk/provider-utils",
    "@opentelemetry/api",
    "@standard-schema/spec",
    "@vercel/oidc",
  ],
];
const conversing: UserConfig = {
  ...config,
  entry: { conversing: "src/bundles/conversing.ts" },
  outputOptions: { chunkFileNames: "conversing-[name].cjs", codeSplitting: false },
  deps: { alwaysBundle: [/^@skillet\//, ...AGENT_LIBRARIES], onlyBundle: AGENT_LIBRARIES },
  clean: false,
  copy: AGENT_LIBRARIES.filter((library) => !LIBRARIES.includes(library)).map((library) => ({
    from: `../../node_modules/${library}/LICENSE*`,
    to: `dist/licenses/${library}`,
  })),
};

const builds: UserConfig[] = [config, hooks, conversing];

export default builds;
