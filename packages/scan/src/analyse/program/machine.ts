import type { ApiTable } from "./api.ts";
import { MAX_ITEMS } from "./call.ts";
import type { FactRecorder } from "./fact-recorder.ts";
import type { ProgramShell } from "./program-shell.ts";
import type { Expression, Program, Span } from "./program-tree.ts";
import type { Scope } from "./scope.ts";
import type { Maker, Taint, Value } from "./value.ts";

export interface Machine {
  readonly language: Program["language"];
  readonly api: ApiTable;
  readonly recorder: FactRecorder;
  readonly modules?: Modules | undefined;
  readonly writtenTo: Map<string, readonly Taint[]>;
  readonly shell: ProgramShell;
  /** By the first part of their names, the libraries of which nothing is known. */
  readonly makers: Map<string, Maker>;
  readonly signs: Signs;
  readonly budget: StepBudget;
  evaluate(expression: Expression, scope: Scope): Value;
  call(callee: Value, positional: readonly Value[], span: Span, receiver?: Value): Value;
  member(object: Value, property: string, span: Span, how: "plain" | "built"): Value;
}

export interface Modules {
  /** The value of an import, if it means a file of the skill. */
  module(specifier: string): Value | undefined;
  text(path: string): string | undefined;
}

/** Halves of a deed, joined at the end. */
export interface Signs {
  socketOnDescriptor: { readonly span: Span; readonly host: string } | undefined;
  ranShell: boolean;
  readonly encryptedPaths: Map<string, Span>;
  readonly removedPaths: Set<string>;
}

const CALL_STEPS = 24_000;
/** Rounds of loops over constants: a payload of some kilobytes is decoded in so many. */
const LOOP_STEPS = 120_000;

/** Work beyond the one walk over the program: calls that are followed again and loops that are unrolled. */
export class StepBudget {
  #calls = CALL_STEPS;
  #rounds = LOOP_STEPS;
  #callDepth = 0;
  #loopDepth = 0;

  get isUnrolling(): boolean {
    return this.#loopDepth > 0;
  }

  get mayCall(): boolean {
    return this.#loopDepth > 0 ? this.#rounds > 0 : this.#calls > 0;
  }

  get mayLoop(): boolean {
    return this.#rounds > 0;
  }

  /** One step of evaluation, paid for by the innermost reason for doing it again. */
  spend(): void {
    if (this.#loopDepth > 0) this.#rounds--;
    else if (this.#callDepth > 0) this.#calls--;
  }

  again<Result>(step: () => Result): Result {
    this.#callDepth++;
    const result = step();
    this.#callDepth--;
    return result;
  }

  /** Goes through known items one by one, where they are not too many; says whether it did. */
  unrollItems(items: readonly Value[] | undefined, stepsEach: number, round: (item: Value) => void): boolean {
    if (items === undefined || items.length > MAX_ITEMS || items.length * stepsEach >= this.#rounds)
      return false;
    this.unroll(() => {
      for (const item of items) if (this.mayLoop) round(item);
    });
    return true;
  }

  unroll<Result>(step: () => Result): Result {
    this.#loopDepth++;
    const result = step();
    this.#loopDepth--;
    return result;
  }
}
