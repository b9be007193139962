import { readdirSync } from "node:fs";
import ts from "typescript";
import type { MarkdownBlock } from "./markdown-blocks.ts";
import { type Page, repositoryPath } from "./pages.ts";

/** A `ts` block as a source file that exists for the compiler only. */
interface BlockFile {
  readonly file: string;
  readonly page: Page;
  readonly block: MarkdownBlock;
}

/** One program over the packages and every block, with the repository's own options. */
export interface SourceProgram {
  readonly program: ts.Program;
  readonly sources: readonly ts.SourceFile[];
  readonly blocks: readonly BlockFile[];
}

/** Loads the sources of all packages and the `ts` blocks of pages. */
export function createSourceProgram(pages: readonly Page[]): SourceProgram {
  const blocks = pages.flatMap((page) =>
    page.blocks
      .filter(({ language, attributes }) => language === "ts" && !attributes.has("sdk"))
      .map((block) => ({
        file: repositoryPath(`test/docs/blocks/${page.path.replaceAll("/", "-")}-${block.line}.ts`),
        page,
        block,
      })),
  );
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(repositoryPath("tsconfig.json"), ts.sys.readFile).config,
    ts.sys,
    repositoryPath("."),
  );
  const files = sourceFiles();
  const program = ts.createProgram({
    rootNames: [...files, ...blocks.map(({ file }) => file)],
    options,
    host: hostWith(options, new Map(blocks.map(({ file, block }) => [file, moduleText(block)]))),
  });
  const wanted = new Set(files);
  return {
    program,
    blocks,
    sources: program.getSourceFiles().filter(({ fileName }) => wanted.has(fileName)),
  };
}

/** A block's code as a module, whatever it imports, so that it may await. */
export function moduleText({ code }: MarkdownBlock): string {
  return `${code}\nexport {};\n`;
}

function sourceFiles(): string[] {
  return readdirSync(repositoryPath("packages")).flatMap((name) =>
    readdirSync(repositoryPath(`packages/${name}/src`), { recursive: true, encoding: "utf8" })
      .filter(
        (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !/(^|[\\/])testing[\\/]/.test(file),
      )
      .map((file) => repositoryPath(`packages/${name}/src/${file}`).replaceAll("\\", "/")),
  );
}

function hostWith(options: ts.CompilerOptions, texts: ReadonlyMap<string, string>): ts.CompilerHost {
  const host = ts.createCompilerHost(options, true);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => texts.has(file) || fileExists(file);
  host.readFile = (file) => texts.get(file) ?? readFile(file);
  host.getSourceFile = (file, language, ...rest) => {
    const text = texts.get(file);
    return text === undefined
      ? getSourceFile(file, language, ...rest)
      : ts.createSourceFile(file, text, language, true);
  };
  return host;
}
