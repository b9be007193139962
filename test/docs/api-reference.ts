import { readFileSync } from "node:fs";
import ts from "typescript";
import { repositoryPath } from "./pages.ts";

/** The packages that are for others to import. */
export const PUBLIC_PACKAGES: readonly string[] = [
  "core",
  "select",
  "run",
  "scan",
  "hub",
  "author",
  "adapters",
];

/** Those with an entry for each SDK instead of a main one; `hooks` is for the command alone. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  adapters: [
    ...["plain", "ai-sdk", "openai-agents", "anthropic", "langchain", "adk", "claude-agent-sdk", "codex"],
    "telemetry",
  ],
};

/** A page about everything that the entries of a package export: its comment and its declaration. */
export function apiReference(packageName: string, program: ts.Program): string {
  const entries = ENTRIES[packageName] ?? ["index"];
  const shown = new Set<ts.Symbol>();
  return `${[
    `# API of @skillet/${packageName}`,
    "Generated from the types by `npm run docs:generate`; a test compares them.",
    ...entries.flatMap((entry) => entrySections({ packageName, entry, program, shown })),
  ].join("\n\n")}\n`;
}

/** What several entries export is shown at the first of them. */
function entrySections(asked: {
  readonly packageName: string;
  readonly entry: string;
  readonly program: ts.Program;
  readonly shown: Set<ts.Symbol>;
}): string[] {
  const { packageName, entry, program, shown } = asked;
  const file = repositoryPath(`packages/${packageName}/src/${entry}.ts`).replaceAll("\\", "/");
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} is not a module of the program`);
  const symbols = checker
    .getExportsOfModule(module)
    .map((symbol) => ({ name: symbol.name, symbol: resolveAlias(checker, symbol) }))
    .filter(({ symbol }) => !shown.has(symbol))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const { symbol } of symbols) shown.add(symbol);
  const of = entry === "index" ? "" : ` of @skillet/${packageName}/${entry}`;
  const isValue = ({ symbol }: { symbol: ts.Symbol }): boolean => (symbol.flags & ts.SymbolFlags.Value) !== 0;
  const sections = (heading: string, rows: typeof symbols): string[] =>
    rows.length === 0
      ? []
      : [`## ${heading}${of}`, ...rows.map(({ name, symbol }) => section(name, symbol, checker))];
  return [
    ...sections("Values", symbols.filter(isValue)),
    ...sections(
      "Types",
      symbols.filter((row) => !isValue(row)),
    ),
  ];
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
