import type { Span } from "../fact-writer.ts";
import type { ApiTable } from "./named-value.ts";

export type Expression =
  | (Span & {
      readonly kind: "literal";
      readonly value: string | number | boolean | null;
      readonly isBytes?: boolean;
    })
  | (Span & { readonly kind: "name"; readonly name: string })
  | (Span & { readonly kind: "member"; readonly object: Expression; readonly property: string })
  | (Span & { readonly kind: "index"; readonly object: Expression; readonly index: Expression })
  | (Span & {
      readonly kind: "slice";
      readonly object: Expression;
      /** Start, end and step; undefined where left out. */
      readonly bounds: readonly (Expression | undefined)[];
    })
  | (Span & {
      readonly kind: "call";
      readonly callee: Expression;
      readonly positional: readonly Expression[];
      readonly keywords: readonly Keyword[];
    })
  /** String templates and chains of `+`, which may be thousands long. */
  | (Span & { readonly kind: "concat"; readonly parts: readonly Expression[]; readonly template: boolean })
  | (Span & {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    })
  | (Span & { readonly kind: "unary"; readonly operator: string; readonly operand: Expression })
  | (Span & { readonly kind: "list"; readonly items: readonly Expression[] })
  | (Span & { readonly kind: "spread"; readonly value: Expression })
  | (Span & { readonly kind: "dictionary"; readonly entries: readonly DictionaryEntry[] })
  | (Span & { readonly kind: "function"; readonly definition: FunctionDefinition })
  | (Span & { readonly kind: "class"; readonly definition: ClassDefinition })
  | (Span & {
      readonly kind: "comprehension";
      readonly clauses: readonly { readonly target: Expression; readonly iterable: Expression }[];
      readonly conditions: readonly Expression[];
      readonly key?: Expression;
      readonly element: Expression;
    })
  | (Span & {
      readonly kind: "conditional";
      readonly test: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    })
  | Assignment
  /** `a, b` of JavaScript: the value is the last. */
  | (Span & { readonly kind: "sequence"; readonly items: readonly Expression[] })
  /** Anything else: its parts count, its value is not known. */
  | (Span & { readonly kind: "unknown"; readonly parts: readonly Expression[] });

export interface Assignment extends Span {
  readonly kind: "assign";
  readonly target: Expression;
  readonly value: Expression;
  /** Whether the name is new in this scope, as every assignment of Python is. */
  readonly declares?: boolean;
}

export interface Keyword {
  readonly name: string;
  readonly value: Expression;
}

/** An entry of a dictionary; without a key it is spread into it. */
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

export type Statement =
  | (Span & { readonly kind: "expression"; readonly value: Expression })
  | (Span & {
      readonly kind: "branch";
      /** In the order of the bodies; the last body may have none: `if`, `elif`, `else`. */
      readonly tests: readonly Expression[];
      readonly bodies: readonly Statements[];
    })
  | (Span & {
      readonly kind: "loop";
      readonly target: Expression;
      readonly iterable: Expression;
      /** `for (k in o)` goes over the keys. */
      readonly over: "items" | "keys";
      readonly body: Statements;
    })
  | (Span & {
      readonly kind: "while";
      readonly test: Expression | undefined;
      readonly body: Statements;
    })
  | (Span & { readonly kind: "return"; readonly value: Expression | undefined })
  | (Span & { readonly kind: "function"; readonly definition: FunctionDefinition })
  | (Span & { readonly kind: "class"; readonly definition: ClassDefinition })
  | (Span & { readonly kind: "global"; readonly names: readonly string[] })
  | (Span & {
      readonly kind: "import";
      readonly module: string;
      readonly names: readonly ImportedName[];
    });

export type Statements = readonly Statement[];
export type StatementOf<Kind extends Statement["kind"]> = Extract<Statement, { readonly kind: Kind }>;
export type ExpressionOf<Kind extends Expression["kind"]> = Extract<Expression, { readonly kind: Kind }>;

/** One name that an import binds; `*` as `imported` is the module itself. */
export interface ImportedName {
  readonly imported: string;
  readonly local: string;
}

export interface Program {
  readonly language: "python" | "javascript" | "code";
  readonly api: ApiTable;
  readonly body: Statements;
  /** Comments and bare strings, in the order of the text. */
  readonly remarks: readonly Remark[];
  readonly errorCharacters: number;
  /** Why not all of it was read. */
  readonly cut: string | undefined;
}

export interface Remark extends Span {
  readonly kind: "comment" | "docstring" | "string";
  readonly text: string;
}

/** Nesting beyond this is not followed: deep enough for code by people, and for the stack. */
export const MAX_NESTING = 200;
export const NESTED: string = "code is nested deeper than is followed";
