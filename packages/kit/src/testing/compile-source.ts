import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, normalize, relative } from "node:path";
import ts from "typescript";

const PACKAGES = join(import.meta.dirname, "../../..");

/**
 * Translates a source file such as `core/src/a/b.ts`, and all that it imports, so that a plain Node process can import it.
 *
 * For tests that need real processes, since Node 20 does not run TypeScript itself. Returns the translated file:
 * `<directory>/core/src/a/b.js`.
 */
export async function compileSource(directory: string, entry: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "package.json"), '{ "type": "module" }');
  const waiting = [normalize(entry)];
  const seen = new Set(waiting);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    for (const imported of await compileFile(directory, file)) {
      if (!seen.has(imported)) waiting.push(imported);
      seen.add(imported);
    }
  }
  return join(directory, entry.replace(/\.ts$/, ".js"));
}

async function compileFile(directory: string, file: string): Promise<string[]> {
  const { outputText } = ts.transpileModule(await readFile(join(PACKAGES, file), "utf8"), {
    fileName: file,
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  });
  const text = outputText.replaceAll(
    /(?<= from ")@skillet\/(?:kit\/([\w-]+)|([\w-]+))(?=")/g,
    (_, entry: string | undefined, name: string) =>
      relative(dirname(file), entry === undefined ? `${name}/src/index.js` : `kit/src/${entry}.js`),
  );
  const target = join(directory, file.replace(/\.ts$/, ".js"));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
  const imports = text.matchAll(/ from "(\.[^"]+)\.js"/g);
  return Array.from(imports, ([, path]) => join(dirname(file), `${path}.ts`));
}
