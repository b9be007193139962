import { readFileSync } from "node:fs";
import ts from "typescript";
import { repositoryPath } from "./pages.ts";

/** The packages whose main entry is for others to import. */
export const PUBLIC_PACKAGES: readonly string[] = ["core", "select", "run", "scan", "hub", "author"];

/** A page about everything that the main entry of a package exports: its comment and its declaration. */
export function apiReference(packageName: string, program: ts.Program): string {
  const entry = repositoryPath(`packages/${packageName}/src/index.ts`).replaceAll("\\", "/");
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entry} is not a module of the program`);
  const symbols = checker
    .getExportsOfModule(module)
    .map((symbol) => ({ name: symbol.name, symbol: resolveAlias(checker, symbol) }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  const isValue = ({ symbol }: { symbol: ts.Symbol }): boolean => (symbol.flags & ts.SymbolFlags.Value) !== 0;
  const sections = (heading: string, rows: typeof symbols): string[] =>
    rows.length === 0
      ? []
      : [`## ${heading}`, ...rows.map(({ name, symbol }) => section(name, symbol, checker))];
  return `${[
    `# API of @skillet/${packageName}`,
    "Generated from the types by `npm run docs:generate`; a test compares them.",
    ...sections("Values", symbols.filter(isValue)),
    ...sections(
      "Types",
      symbols.filter((row) => !isValue(row)),
    ),
  ].join("\n\n")}\n`;
}

function resolveAlias(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

function section(name: string, symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
  const declarations = (symbol.declarations ?? []).map((node) => declarationText(node)).join("\n");
  return [`### ${name}`, ...(comment === "" ? [] : [comment]), `\`\`\`text\n${declarations}\n\`\`\``].join(
    "\n\n",
  );
}

const declarationFiles = new Map<string, ts.SourceFile>();

// What the compiler would write into a .d.ts: signatures and members, without bodies and private state.
function declarationText(node: ts.Node): string {
  const { fileName } = node.getSourceFile();
  let file = declarationFiles.get(fileName);
  if (file === undefined) {
    const { outputText } = ts.transpileDeclaration(readFileSync(fileName, "utf8"), {
      fileName,
      compilerOptions: { isolatedDeclarations: true, target: ts.ScriptTarget.ES2023 },
    });
    file = ts.createSourceFile(`${fileName}.d.ts`, outputText, ts.ScriptTarget.ES2023, true);
    declarationFiles.set(fileName, file);
  }
  const name = ts.getNameOfDeclaration(node as ts.Declaration)?.getText();
  const found = file.statements.find((statement) =>
    ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.some((one) => one.name.getText() === name)
      : ts.getNameOfDeclaration(statement as unknown as ts.Declaration)?.getText() === name,
  );
  return (found?.getText() ?? node.getText())
    .replace(/^export (?:declare )?/, "")
    .replace(/^ {4,}(#private;\n)/gm, "");
}
