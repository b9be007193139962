import ts from "typescript";
import type { SourceProgram } from "./source-program.ts";

/** A stable code that the sources can give, and every severity it is written with beside it. */
interface SourceCode {
  readonly code: string;
  /** A diagnostic is returned, an error is thrown. */
  readonly kind: "diagnostic" | "error";
  readonly severities: ReadonlySet<string>;
}

/** What the sources can give: codes, and patterns where a code is put together, such as `*-too-long`. */
export interface SourceCodes {
  readonly codes: readonly SourceCode[];
  readonly patterns: readonly RegExp[];
}

const TABLES = [
  ["codes", "diagnostic"],
  ["errorCodes", "error"],
] as const;

const CODE = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/**
 * Collects codes from `code` and `errorCode` properties, from tables called `codes` and `errorCodes`, and from arguments
 * for a parameter called `code`, by their types.
 */
export function collectSourceCodes({ program, sources }: SourceProgram): SourceCodes {
  const checker = program.getTypeChecker();
  const found = new Map<string, { code: string; kind: SourceCode["kind"]; severities: Set<string> }>();
  const patterns = new Map<string, RegExp>();
  const add = (kind: SourceCode["kind"], expression: ts.Expression, severity?: ts.Expression): void => {
    if (ts.isTemplateExpression(expression)) {
      const pattern = templatePattern(expression);
      patterns.set(pattern.source, pattern);
    }
    const codes = literalsOf(checker, expression);
    const severities = severity === undefined ? [] : literalsOf(checker, severity);
    for (const code of codes) {
      if (!CODE.test(code)) continue;
      const entry = found.get(`${kind} ${code}`) ?? { code, kind, severities: new Set<string>() };
      found.set(`${kind} ${code}`, entry);
      // Where both depend on a condition, it is not known which goes with which.
      if (codes.length === 1 || severities.length === 1)
        for (const name of severities) entry.severities.add(name);
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node))
      for (const { kind, code, severity } of codesIn(node)) add(kind, code, severity);
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const parameters = checker.getResolvedSignature(node)?.getParameters() ?? [];
      const place = parameters.findIndex(({ name }) => name === "code");
      const argument = place < 0 ? undefined : node.arguments?.[place];
      const isError = checker.getTypeAtLocation(node).symbol?.name.endsWith("Error") === true;
      if (argument !== undefined) add(isError ? "error" : "diagnostic", argument);
    }
    ts.forEachChild(node, visit);
  };
  for (const source of sources) visit(source);
  return { codes: [...found.values()], patterns: [...patterns.values()] };
}

function codesIn(node: ts.ObjectLiteralExpression): readonly {
  readonly kind: SourceCode["kind"];
  readonly code: ts.Expression;
  readonly severity?: ts.Expression | undefined;
}[] {
  const code = propertyOf(node, "code");
  const errorCode = propertyOf(node, "errorCode");
  // The command line's own failures carry an exit code; they are thrown, not returned.
  const kind = propertyOf(node, "exitCode") === undefined ? "diagnostic" : "error";
  const tables = TABLES.flatMap(([name, tableKind]) => {
    const table = propertyOf(node, name);
    const entries = table !== undefined && ts.isObjectLiteralExpression(table) ? [...table.properties] : [];
    return entries
      .filter(ts.isPropertyAssignment)
      .map(({ initializer }) => ({ kind: tableKind, code: initializer }));
  });
  return [
    ...(code === undefined ? [] : [{ kind, code, severity: propertyOf(node, "severity") } as const]),
    ...(errorCode === undefined ? [] : [{ kind: "error", code: errorCode } as const]),
    ...tables,
  ];
}

function propertyOf(node: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const property of node.properties) {
    if (property.name === undefined || property.name.getText() !== name) continue;
    if (ts.isPropertyAssignment(property)) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property)) return property.name;
  }
  return undefined;
}

function literalsOf(checker: ts.TypeChecker, expression: ts.Expression): string[] {
  // For `{ code }` the checker may give the type that is wanted there; then that of the variable says more.
  const direct = literalsIn(checker.getTypeAtLocation(expression));
  const { parent } = expression;
  if (direct.length > 0 || !ts.isShorthandPropertyAssignment(parent)) return direct;
  const symbol = checker.getShorthandAssignmentValueSymbol(parent);
  return symbol === undefined ? [] : literalsIn(checker.getTypeOfSymbolAtLocation(symbol, expression));
}

function literalsIn(type: ts.Type): string[] {
  const parts = type.isUnion() ? type.types : [type];
  return parts.filter((part) => part.isStringLiteral()).map(({ value }) => value);
}

function templatePattern({ head, templateSpans }: ts.TemplateExpression): RegExp {
  return new RegExp(`^${head.text}${templateSpans.map(({ literal }) => `[a-z-]+${literal.text}`).join("")}$`);
}
