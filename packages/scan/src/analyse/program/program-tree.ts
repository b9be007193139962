import type { Span } from "../fact-writer.ts";
import type { ApiTable } from "./named-value.ts";

interface Expressions {
  readonly literal: { readonly value: string | number | boolean | null; readonly isBytes?: boolean };
  readonly name: { readonly name: string };
  readonly member: { readonly object: Expression; readonly property: string };
  readonly index: { readonly object: Expression; readonly index: Expression };
  /** Start, end and step; undefined if left out. */
  readonly slice: { readonly object: Expression; readonly bounds: readonly (Expression | undefined)[] };
  readonly call: {
    readonly callee: Expression;
    readonly positional: readonly Expression[];
    readonly keywords: readonly Keyword[];
  };
  /** String templates and chains of `+`, which may have thousands of parts. */
  readonly concat: { readonly parts: readonly Expression[]; readonly template: boolean };
  readonly binary: { readonly operator: string; readonly left: Expression; readonly right: Expression };
  readonly unary: { readonly operator: string; readonly operand: Expression };
  readonly list: { readonly items: readonly Expression[] };
  readonly spread: { readonly value: Expression };
  readonly dictionary: { readonly entries: readonly DictionaryEntry[] };
  readonly function: { readonly definition: FunctionDefinition };
  readonly class: { readonly definition: ClassDefinition };
  readonly comprehension: {
    readonly clauses: readonly { readonly target: Expression; readonly iterable: Expression }[];
    readonly conditions: readonly Expression[];
    readonly key?: Expression;
    readonly element: Expression;
  };
  readonly conditional: {
    readonly test: Expression;
    readonly then: Expression;
    readonly otherwise: Expression;
  };
  /** Whether the name is new in this scope, as in every Python assignment. */
  readonly assign: { readonly target: Expression; readonly value: Expression; readonly declares?: boolean };
  /** JavaScript's `a, b`: the value is the last. */
  readonly sequence: { readonly items: readonly Expression[] };
  /** Anything else: its parts are evaluated, its value is not known. */
  readonly unknown: { readonly parts: readonly Expression[] };
}

export type Expression = {
  [Kind in keyof Expressions]: Span & { readonly kind: Kind } & Expressions[Kind];
}[keyof Expressions];
export type ExpressionOf<Kind extends keyof Expressions> = Extract<Expression, { readonly kind: Kind }>;
export type Assignment = ExpressionOf<"assign">;

export interface Keyword {
  readonly name: string;
  readonly value: Expression;
}

/** An entry of a dictionary; without a key, the value is spread into it. */
export interface DictionaryEntry {
  readonly key: Expression | undefined;
  readonly value: Expression;
}

export interface Parameter {
  readonly target: Expression;
  readonly fallback: Expression | undefined;
  readonly isRest: boolean;
}

export interface FunctionDefinition extends Span {
  readonly name: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: Statements;
}

export interface ClassDefinition extends Span {
  readonly name: string | undefined;
  readonly base: Expression | undefined;
  readonly body: Statements;
}

interface StatementParts {
  readonly expression: { readonly value: Expression };
  /** Tests in the order of the bodies; the last body may have none: `if`, `elif`, `else`. */
  readonly branch: { readonly tests: readonly Expression[]; readonly bodies: readonly Statements[] };
  readonly loop: {
    readonly target: Expression;
    readonly iterable: Expression;
    /** `for (k in o)` iterates over the keys. */
    readonly over: "items" | "keys";
    readonly body: Statements;
  };
  readonly while: { readonly test: Expression | undefined; readonly body: Statements };
  readonly return: { readonly value: Expression | undefined };
  readonly function: { readonly definition: FunctionDefinition };
  readonly class: { readonly definition: ClassDefinition };
  readonly global: { readonly names: readonly string[] };
  readonly import: { readonly module: string; readonly names: readonly ImportedName[] };
}

export type Statement = {
  [Kind in keyof StatementParts]: Span & { readonly kind: Kind } & StatementParts[Kind];
}[keyof StatementParts];
export type StatementOf<Kind extends keyof StatementParts> = Extract<Statement, { readonly kind: Kind }>;
export type Statements = readonly Statement[];

/** One name that an import binds; `*` as `imported` is the module itself. */
export interface ImportedName {
  readonly imported: string;
  readonly local: string;
}

export interface Program {
  readonly language: "python" | "javascript" | "code";
  readonly api: ApiTable;
  readonly body: Statements;
  readonly remarks: readonly Remark[];
  readonly errorCharacters: number;
  readonly cut: string | undefined;
}

export interface Remark extends Span {
  readonly kind: "comment" | "docstring" | "string";
  readonly text: string;
}

/** Deeper nesting is not followed: enough for human code, and safe for the stack. */
export const MAX_NESTING = 200;
export const NESTED: string = "code is nested deeper than is followed";
