import type { Span } from "../fact-writer.ts";
import { recordHiddenText } from "./decode-constant.ts";
import {
  assignTo,
  bindParameters,
  declareExports,
  evaluateComprehension,
  evaluateParts,
  exportedValue,
  importNames,
  literalValue,
  recordFlood,
} from "./evaluate-parts.ts";
import { foldBinary, foldUnary, rearranged, truthOf } from "./fold-operator.ts";
import {
  Call,
  type FactRecorder,
  type Given,
  type Modules,
  type Signs,
  Site,
  StepBudget,
} from "./machine.ts";
import { type ApiTable, freeName, memberOf } from "./named-value.ts";
import { performCall } from "./perform-call.ts";
import { ProgramShell } from "./program-shell.ts";
import type {
  Assignment,
  ClassDefinition,
  Expression,
  ExpressionOf,
  FunctionDefinition,
  Program,
  Statement,
  StatementOf,
  Statements,
} from "./program-tree.ts";
import { Scope } from "./scope.ts";
import {
  type Box,
  type Closure,
  itemAt,
  itemOf,
  itemsOf,
  iteratedOf,
  joinValues,
  knownText,
  MAX_ITEMS,
  type Maker,
  type Taint,
  taintsOfAll,
  UNKNOWN,
  unknownWith,
  type Value,
  withStep,
} from "./value.ts";

const MAX_CALL_DEPTH = 32;
/** Of nested evaluation in total, so that the stack does not overflow. */
const MAX_EVALUATION_DEPTH = 500;

export class Evaluator {
  readonly language: Program["language"];
  readonly api: ApiTable;
  readonly modules: Modules | undefined;
  readonly writtenTo: Map<string, readonly Taint[]> = new Map();
  readonly signs: Signs = {
    socketOnDescriptor: undefined,
    ranShell: false,
    connected: undefined,
    encryptedPaths: new Map(),
    removedPaths: new Set(),
  };
  /** The libraries without an entry in the tables, by the first part of their names. */
  readonly makers: Map<string, Maker> = new Map();
  isCut = false;
  #shell: ProgramShell | undefined;
  #recorder: FactRecorder;
  readonly #body: Statements;
  readonly #program = new Scope();
  readonly budget: StepBudget = new StepBudget();
  #depth = 0;
  /** Branch bodies that were skipped in every round of a loop; another run may take them. */
  readonly #passedOver = new Map<Statements, { readonly scope: Scope; readonly recorder: FactRecorder }>();
  readonly #taken = new Set<Statements>();
  readonly #calling: FunctionDefinition[] = [];
  readonly #entered = new Set<FunctionDefinition>();
  readonly #waiting: Closure[] = [];
  readonly #returns: (Value | undefined)[] = [];

  constructor(options: {
    readonly program: Program;
    readonly recorder: FactRecorder;
    readonly modules?: Modules | undefined;
  }) {
    this.#body = options.program.body;
    this.language = options.program.language;
    this.api = options.program.api;
    this.#recorder = options.recorder;
    this.modules = options.modules;
  }

  get recorder(): FactRecorder {
    return this.#recorder;
  }

  get shell(): ProgramShell {
    this.#shell ??= new ProgramShell(this);
    return this.#shell;
  }

  exported(): Value {
    return exportedValue(this.#program, this.language);
  }

  run(): void {
    if (this.language === "javascript") declareExports(this.#program);
    this.#returns.push(undefined);
    this.#block(this.#body, this.#program);
    // Uncalled functions may be called from elsewhere. Evaluating them may add new ones.
    for (let index = 0; index < this.#waiting.length; index++) {
      const closure = this.#waiting[index];
      if (closure !== undefined && !this.#entered.has(closure.definition))
        this.#enter(closure, { positional: [] });
    }
    for (const [body, { scope, recorder }] of this.#passedOver) {
      if (this.#taken.has(body)) continue;
      this.#recorder = recorder;
      scope.branch([() => this.#block(body, scope)], "may-skip");
    }
  }

  call(call: Call): Value {
    const { callee } = call;
    if (callee.closure !== undefined) return this.#enter(callee.closure, call);
    if (callee.box?.isClass === true) return this.#construct(callee.box, call);
    return performCall(call);
  }

  #block(statements: Statements, scope: Scope): void {
    for (const statement of statements)
      if (statement.kind === "function") this.#declareFunction(statement.definition, scope);
    for (const statement of statements) this.#statement(statement, scope);
  }

  #declareFunction(definition: FunctionDefinition, scope: Scope): void {
    const closure = this.#closureOf(definition, scope, undefined);
    if (definition.name !== undefined) scope.declare(definition.name, { closure, taints: [] });
  }

  #closureOf(definition: FunctionDefinition, scope: Scope, owner: Value | undefined): Closure {
    const first = definition.parameters[0]?.target;
    const takesOwner =
      this.language === "javascript" ||
      (first?.kind === "name" && (first.name === "self" || first.name === "cls"));
    const closure: Closure = { definition, scope, owner, takesOwner, recorder: this.#recorder };
    if (!this.#entered.has(definition)) this.#waiting.push(closure);
    return closure;
  }

  #statement(statement: Statement, scope: Scope): void {
    switch (statement.kind) {
      case "expression":
        this.evaluate(statement.value, scope);
        break;
      case "branch":
        this.#branch(statement, scope);
        break;
      case "loop":
        this.#loop(statement, scope);
        break;
      case "while":
        this.#while(statement, scope);
        break;
      case "return":
        if (statement.value !== undefined) {
          const value = this.evaluate(statement.value, scope);
          this.#noteHidden(statement, value);
          this.#returns.push(joinValues(this.#returns.pop(), value));
        }
        break;
      case "class":
        this.#class(statement.definition, scope);
        break;
      case "global":
        for (const name of statement.names) scope.markOuter(name);
        break;
      case "import":
        importNames(this, statement, scope);
        break;
    }
  }

  #branch(statement: StatementOf<"branch">, scope: Scope): void {
    const taken = this.budget.isUnrolling ? this.#bodyTaken(statement, scope) : undefined;
    if (taken === undefined) {
      for (const test of statement.tests) this.evaluate(test, scope);
      scope.branch(
        statement.bodies.map((body) => () => this.#block(body, scope)),
        statement.bodies.length > 1 ? "covers-all" : "may-skip",
      );
      return;
    }
    for (const [index, body] of statement.bodies.entries()) {
      if (index !== taken) this.#passedOver.set(body, { scope, recorder: this.#recorder });
      else {
        this.#taken.add(body);
        this.#block(body, scope);
      }
    }
  }

  /** The body that this round of a loop takes, or an index past the last if none; undefined if not known. */
  #bodyTaken(statement: StatementOf<"branch">, scope: Scope): number | undefined {
    const { tests, bodies } = statement;
    if (tests.length !== bodies.length && tests.length !== bodies.length - 1) return undefined;
    for (const [index, one] of tests.entries()) {
      const truth = truthOf(this.evaluate(one, scope));
      if (truth === undefined) return undefined;
      if (truth) return index;
    }
    return tests.length;
  }

  #assign(expression: Assignment, scope: Scope): Value {
    let value = this.evaluate(expression.value, scope);
    if (value.taints.length > 0)
      value = { ...value, taints: withStep(value.taints, this.recorder.step(expression)) };
    this.#noteHidden(expression, value);
    assignTo(this, expression.target, value, scope, expression.declares === true ? "declare" : "assign");
    if (value.api === "net.object" && expression.value.kind === "call")
      this.#callBackAgain(expression.value, scope);
    return value;
  }

  /** A connection's callback runs later and knows its name: `s = connect(port, () => s.pipe(…))`. */
  #callBackAgain({ positional }: ExpressionOf<"call">, scope: Scope): void {
    for (const part of positional)
      if (part.kind === "function") new Site(this, part).invoke(this.evaluate(part, scope), []);
  }

  #loop(statement: StatementOf<"loop">, scope: Scope): void {
    const iterable = this.evaluate(statement.iterable, scope);
    const { target } = statement;
    const items = statement.over === "items" ? iteratedOf(iterable) : undefined;
    const known = items?.length === 0 ? undefined : items;
    const isUnrolled = this.budget.unrollItems(known, 1 + statement.body.length, (item) => {
      assignTo(this, target, item, scope, "declare");
      this.#block(statement.body, scope);
    });
    if (isUnrolled) {
      this.#noteHidden(statement, ...scope.own().values());
      return;
    }
    assignTo(this, target, itemOf(iterable), scope, "declare");
    scope.branch([() => this.#block(statement.body, scope)], "may-skip");
  }

  #noteHidden(span: Span, ...values: readonly Value[]): void {
    if (this.budget.isUnrolling) return;
    for (const value of values) recordHiddenText(new Site(this, span), value);
  }

  /** Counts if the count is constant, as in decoders; any other loop is evaluated once. */
  #while(statement: StatementOf<"while">, scope: Scope): void {
    const round = (): void => this.#block(statement.body, scope);
    const before = this.recorder.facts.length;
    let last: string | undefined;
    // If nothing was counted since the last round, the loop waits for an outside event.
    const goesOn = (): boolean => {
      const { test } = statement;
      if (test?.kind !== "binary") return false;
      const [left, right] = [this.evaluate(test.left, scope), this.evaluate(test.right, scope)];
      const state = `${left.number} ${right.number}`;
      if (left.number === undefined || right.number === undefined || state === last) return false;
      last = state;
      return truthOf(foldBinary(test.operator, left, right)) === true;
    };
    if (!goesOn()) {
      if (statement.test !== undefined) this.evaluate(statement.test, scope);
      scope.branch([round], "may-skip");
      recordFlood(this, statement, before);
      return;
    }
    this.budget.unroll(() => {
      round();
      for (let count = 1; count < MAX_ITEMS && this.budget.mayLoop && goesOn(); count++) round();
    });
    this.#noteHidden(statement, ...scope.own().values());
  }

  #class(definition: ClassDefinition, scope: Scope): Value {
    const base = definition.base === undefined ? UNKNOWN : this.evaluate(definition.base, scope);
    const fields = new Map<string, Value>(base.box?.isClass === true ? base.box.fields : []);
    const box: Box = { fields, taints: [], definition, isClass: true };
    const value: Value = { box, taints: [] };
    if (definition.name !== undefined) scope.declare(definition.name, value);
    const instance: Value = { box: { fields, taints: [], definition }, taints: [] };
    const inner = new Scope(scope);
    for (const statement of definition.body) {
      if (statement.kind === "function") {
        const closure = this.#closureOf(statement.definition, scope, instance);
        if (statement.definition.name !== undefined)
          fields.set(statement.definition.name, { closure, taints: [] });
      } else {
        this.#statement(statement, inner);
        const target =
          statement.kind === "expression" && statement.value.kind === "assign" && statement.value.target;
        if (target && target.kind === "name") fields.set(target.name, inner.get(target.name) ?? UNKNOWN);
      }
    }
    return value;
  }

  evaluate(expression: Expression, scope: Scope): Value {
    if (this.#depth >= MAX_EVALUATION_DEPTH) {
      this.isCut = true;
      return UNKNOWN;
    }
    this.#depth++;
    this.budget.spend();
    const value = this.#evaluateInner(expression, scope);
    this.#depth--;
    return value;
  }

  #evaluateInner(expression: Expression, scope: Scope): Value {
    switch (expression.kind) {
      case "literal":
        return literalValue(expression.value, expression.isBytes);
      case "name":
        return scope.get(expression.name) ?? freeName(this.api, expression.name);
      case "member":
        return memberOf(
          new Site(this, expression),
          this.evaluate(expression.object, scope),
          expression.property,
        );
      case "index":
        return this.#index(expression, scope);
      case "call":
        return this.#call(expression, scope);
      case "binary":
        return foldBinary(
          expression.operator,
          this.evaluate(expression.left, scope),
          this.evaluate(expression.right, scope),
        );
      case "unary":
        return foldUnary(expression.operator, this.evaluate(expression.operand, scope));
      case "spread":
        return this.evaluate(expression.value, scope);
      case "function":
        return { closure: this.#closureOf(expression.definition, scope, scope.get("this")), taints: [] };
      case "class":
        return this.#class(expression.definition, scope);
      case "comprehension":
        return evaluateComprehension(this, expression, scope);
      case "assign":
        return this.#assign(expression, scope);
      default:
        return evaluateParts(this, expression, scope);
    }
  }

  #index(expression: ExpressionOf<"index">, scope: Scope): Value {
    const object = this.evaluate(expression.object, scope);
    const index = this.evaluate(expression.index, scope);
    const key = knownText(index);
    const isChosen = expression.index.kind !== "literal";
    if (key !== undefined) {
      const how = index.isBuilt === true ? "built" : "plain";
      const field = memberOf(new Site(this, expression), object, key, how);
      return isChosen ? rearranged(field) : field;
    }
    if (index.number !== undefined) {
      const item = itemAt(object, index.number) ?? object.box?.fields?.get(String(index.number));
      if (item !== undefined) return isChosen ? rearranged(item) : item;
    }
    if (object.api !== undefined && this.api.environments.has(object.api)) return UNKNOWN;
    return itemOf(object);
  }

  #call(expression: ExpressionOf<"call">, scope: Scope): Value {
    const callee = this.evaluate(expression.callee, scope);
    const positional: Value[] = [];
    for (const part of expression.positional) {
      const value = this.evaluate(part, scope);
      const spread = part.kind === "spread" ? (itemsOf(value) ?? value.box?.items) : undefined;
      if (spread === undefined) positional.push(value);
      else positional.push(...spread.slice(0, MAX_ITEMS));
    }
    const keywords = new Map<string, Value>();
    for (const { name, value } of expression.keywords) keywords.set(name, this.evaluate(value, scope));
    return this.call(new Call(this, expression, callee, { positional, keywords, receiver: callee.subject }));
  }

  #construct(box: Box, call: Call): Value {
    const instance: Value = { box: { ...box, isClass: false, taints: call.taints }, taints: [] };
    const start = box.fields?.get("__init__") ?? box.fields?.get("constructor");
    if (start?.closure !== undefined) this.#enter({ ...start.closure, owner: instance }, call);
    return instance;
  }

  #enter(closure: Closure, given: Given): Value {
    const { definition } = closure;
    const isFirst = !this.#entered.has(definition);
    const isRefused =
      this.#calling.length >= MAX_CALL_DEPTH ||
      this.#calling.includes(definition) ||
      (!isFirst && !this.budget.mayCall);
    if (this.#calling.length >= MAX_CALL_DEPTH) this.isCut = true;
    if (isRefused) return unknownWith(taintsOfAll(given.positional));
    this.#entered.add(definition);
    this.#calling.push(definition);
    const recorder = this.#recorder;
    this.#recorder = closure.recorder;
    this.#returns.push(undefined);
    const scope = new Scope(closure.scope);
    bindParameters(this, closure, given, scope);
    if (isFirst) this.#block(definition.body, scope);
    else this.budget.again(() => this.#block(definition.body, scope));
    this.#recorder = recorder;
    this.#calling.pop();
    return this.#returns.pop() ?? UNKNOWN;
  }
}
