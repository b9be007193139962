import type { Rolldown } from "tsdown";

const LATE = /createRequire\(import\.meta\.url\)\("([\w-]+)"\)/g;

/**
 * Lets bundlers follow what a package requires on first need, which they cannot see in `createRequire`.
 *
 * The package's `imports` (`#late/NAME`) choose between two files: Node loads the library when it is first used, and a
 * bundler, by the condition `module` and those of other runtimes, finds an ordinary import.
 */
export function lateImports(): Rolldown.Plugin {
  const names = new Set<string>();
  return {
    name: "late-imports",
    resolveId: (source) => (source.startsWith("#late/") ? { id: source, external: true } : undefined),
    transform: (code) => {
      const found = Array.from(code.matchAll(LATE), ([, name = ""]) => name);
      for (const name of found) names.add(name);
      if (found.length === 0) return undefined;
      const imports = found.map((name) => `import { load as load_${name} } from "#late/${name}";\n`);
      return `${imports.join("")}${code.replaceAll(LATE, "load_$1()")}`;
    },
    generateBundle() {
      for (const name of names) {
        const required = `import { createRequire } from "node:module";\nexport const load = () => createRequire(import.meta.url)("${name}");\n`;
        const imported = `import * as library from "${name}";\nexport const load = () => library;\n`;
        this.emitFile({ type: "asset", fileName: `late/${name}.js`, source: required });
        this.emitFile({ type: "asset", fileName: `late/${name}.bundled.js`, source: imported });
      }
    },
  };
}
