import ts from "typescript";
import type { SourceProgram } from "./source-program.ts";

/** A stable code that the sources can give, with every severity and message that is written beside it. */
export interface SourceCode {
  readonly code: string;
  /** A diagnostic is returned, an error is thrown. */
  readonly kind: "diagnostic" | "error";
  readonly severities: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
}

/** What the sources can give: codes, and patterns where a code is put together, such as `*-too-long`. */
export interface SourceCodes {
  readonly codes: readonly SourceCode[];
  readonly patterns: readonly RegExp[];
}

interface Collected extends SourceCode {
  readonly severities: Set<string>;
  readonly messages: Set<string>;
}

/** A place in the sources that gives a code. */
interface CodeSite {
  readonly kind: SourceCode["kind"];
  readonly code: ts.Expression;
  readonly severity?: ts.Expression | undefined;
  readonly message?: ts.Expression | undefined;
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
  const found = new Map<string, Collected>();
  const patterns = new Map<string, RegExp>();
  const add = ({ kind, code: expression, severity, message }: CodeSite): void => {
    if (ts.isTemplateExpression(expression)) {
      const pattern = templatePattern(expression);
      patterns.set(pattern.source, pattern);
    }
    const codes = literalsOf(checker, expression);
    const severities = severity === undefined ? [] : literalsOf(checker, severity);
    for (const code of codes) {
      if (!CODE.test(code)) continue;
      const entry = found.get(`${kind} ${code}`) ?? {
        code,
        kind,
        severities: new Set(),
        messages: new Set(),
      };
      found.set(`${kind} ${code}`, entry);
      // Where both depend on a condition, it is not known which goes with which.
      if (codes.length === 1 || severities.length === 1)
        for (const name of severities) entry.severities.add(name);
      if (message !== undefined) entry.messages.add(textOf(message));
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) for (const site of codesIn(node)) add(site);
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const parameters = checker.getResolvedSignature(node)?.getParameters() ?? [];
      const argument = (wanted: string): ts.Expression | undefined =>
        node.arguments?.[parameters.findIndex(({ name }) => name === wanted)];
      const code = argument("code");
      const kind = kindOf(checker.getTypeAtLocation(node));
      const severity = argument("severity");
      // Where a code depends on a condition, its severity may, too.
      const isPlain =
        severity !== undefined && [code, severity].every((one) => one && ts.isStringLiteral(one));
      if (code !== undefined) add({ kind, code, ...(isPlain && { severity }), message: argument("message") });
    }
    if (ts.isParameter(node) && node.name.getText() === "code" && node.initializer !== undefined) {
      const signature = checker.getSignatureFromDeclaration(node.parent as ts.SignatureDeclaration);
      if (signature !== undefined) add({ kind: kindOf(signature.getReturnType()), code: node.initializer });
    }
    ts.forEachChild(node, visit);
  };
  for (const source of sources) visit(source);
  return { codes: [...found.values()], patterns: [...patterns.values()] };
}

/** A function that gives a code throws it where it makes an error, or never returns. */
function kindOf(type: ts.Type): SourceCode["kind"] {
  const isThrown = (type.flags & ts.TypeFlags.Never) !== 0 || type.symbol?.name.endsWith("Error") === true;
  return isThrown ? "error" : "diagnostic";
}

function codesIn(node: ts.ObjectLiteralExpression): readonly CodeSite[] {
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
  const message = propertyOf(node, "message");
  return [
    ...(code === undefined ? [] : [{ kind, code, message, severity: propertyOf(node, "severity") } as const]),
    ...(errorCode === undefined ? [] : [{ kind: "error", code: errorCode, message } as const]),
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

function textOf(expression: ts.Expression): string {
  if (ts.isStringLiteralLike(expression)) return expression.text;
  if (!ts.isTemplateExpression(expression)) return "…";
  return expression.head.text + expression.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
}

function templatePattern({ head, templateSpans }: ts.TemplateExpression): RegExp {
  return new RegExp(`^${head.text}${templateSpans.map(({ literal }) => `[a-z-]+${literal.text}`).join("")}$`);
}
