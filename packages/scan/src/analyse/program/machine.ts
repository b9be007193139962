import type { Act, DataSource, Sink } from "../../fact/fact.ts";
import type { Language } from "../../file/file-kind.ts";
import type { Derivation, SourceText } from "../../text/source-text.ts";
import { FactWriter, type Span } from "../fact-writer.ts";
import type { Evaluator } from "./evaluator.ts";
import type { Slot } from "./named-value.ts";
import { HOLE, listValue, MAX_ITEMS, type Taint, taintsOfAll, UNKNOWN, type Value } from "./value.ts";

export class Site {
  readonly machine: Evaluator;
  readonly span: Span;

  constructor(machine: Evaluator, span: Span) {
    this.machine = machine;
    this.span = span;
  }

  act(act: Act): void {
    this.machine.recorder.act(act, this.span);
  }

  flow(taints: readonly Taint[], sink: Sink): void {
    this.machine.recorder.flow(this.span, taints, sink);
  }

  text(text: string, language: Language, derivations?: readonly string[]): void {
    this.machine.recorder.text(this.span, text, language, derivations);
  }

  remoteShell(host: string | undefined, how: string): void {
    this.act({ type: "remote-shell", host: display(host ?? HOLE), how });
  }

  taint(source: DataSource): Taint {
    return { source, steps: [this.machine.recorder.step(this.span)], isDirect: true };
  }

  invoke(callee: Value, positional: readonly Value[], receiver?: Value): Value {
    const { machine, span } = this;
    return machine.call(new Call(machine, span, callee, { positional, receiver }));
  }
}

export interface Given {
  readonly positional: readonly Value[];
  readonly keywords?: ReadonlyMap<string, Value>;
  readonly receiver?: Value | undefined;
}

const NO_KEYWORDS: ReadonlyMap<string, Value> = new Map();

export class Call extends Site {
  readonly api: string;
  readonly callee: Value;
  readonly receiver: Value;
  readonly positional: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;

  constructor(machine: Evaluator, span: Span, callee: Value, { positional, keywords, receiver }: Given) {
    super(machine, span);
    this.api = callee.api ?? "";
    this.callee = callee;
    this.receiver = receiver ?? UNKNOWN;
    this.positional = positional;
    this.keywords = keywords ?? NO_KEYWORDS;
  }

  get values(): readonly Value[] {
    return this.keywords.size === 0 ? this.positional : [...this.positional, ...this.keywords.values()];
  }

  get taints(): readonly Taint[] {
    return taintsOfAll(this.values);
  }

  of(...positional: readonly Value[]): Call {
    return new Call(this.machine, this.span, this.callee, { ...this, positional });
  }

  at(place: number): Value {
    return this.positional[place] ?? UNKNOWN;
  }

  argument(slot: Slot | undefined): Value {
    return this.given(slot) ?? UNKNOWN;
  }

  given(slot: Slot | undefined): Value | undefined {
    if (slot === undefined) return undefined;
    if (slot === "last") return this.positional.at(-1);
    if (slot === "self") return this.receiver;
    if (slot === "all") return listValue(this.positional);
    const [place, ...names] = slot;
    for (const name of names) {
      const named = this.keywords.get(name) ?? this.option(name);
      if (named !== undefined) return named;
    }
    return this.positional.at(place);
  }

  /** A field of an object among the arguments, JavaScript's form of named arguments. */
  option(name: string): Value | undefined {
    for (const { box } of this.positional) {
      const field = box?.definition === undefined ? box?.fields?.get(name) : undefined;
      if (field !== undefined) return field;
    }
    return undefined;
  }
}

export interface Modules {
  /** The value of an import, if it refers to a file of the skill. */
  module(specifier: string): Value | undefined;
  text(path: string): string | undefined;
}

/** Halves of an act, joined at the end. */
export interface Signs {
  socketOnDescriptor: { readonly span: Span; readonly host: string } | undefined;
  ranShell: boolean;
  connected: string | undefined;
  readonly encryptedPaths: Map<string, Span>;
  readonly removedPaths: Set<string>;
}

const CALL_STEPS = 24_000;
/** Rounds of loops over constants: enough to decode a payload of some kilobytes. */
const LOOP_STEPS = 120_000;

/** Work beyond the one pass over the program: repeated calls and unrolled loops. */
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

  /** One step of evaluation, charged to the innermost reason for repeating it. */
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

  /** Processes known items one by one, unless there are too many; returns whether it did. */
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

/** The facts of one program, each once however often its code was evaluated. */
export class FactRecorder extends FactWriter {
  readonly #handed = new Set<string>();
  readonly #prefix: string;

  /** In a sibling, lines are named with their file, since they appear in another file's findings. */
  constructor(source: SourceText, role: "main" | "sibling" = "main") {
    super(source);
    this.#prefix = role === "sibling" ? `${source.file} ` : "";
  }

  flow(span: Span, taints: readonly Taint[], sink: Sink): void {
    const steps = [...new Set(taints.flatMap((taint) => taint.steps))].slice(0, 12);
    const sources = taints.map((taint) => shown(taint.source));
    if (taints.length > 0) this.addFlow(sources, sink, steps, this.placeOf(span));
  }

  /** A text to analyse next; of two equal ones, keeps the one with more derivations. */
  text(span: Span, text: string, language: Language, derivations: readonly string[] = []): void {
    const line = this.lineOf(span.from);
    const chain = [...this.source.chain, ...derivations.map((how): Derivation => ({ how, line }))];
    const known = this.texts.findIndex(
      (other) => other.firstLine === line && other.language === language && other.text === text,
    );
    const added = {
      ...this.source,
      text,
      language,
      firstLine: line,
      keepsLines: false,
      chain,
      isRepetition: false,
    };
    this.#handed.add(text);
    if (known === -1) this.addText(added);
    else if (chain.length > (this.texts[known]?.chain.length ?? 0)) this.texts[known] = added;
  }

  hasHanded(text: string): boolean {
    return this.#handed.has(text);
  }

  holds(text: string): boolean {
    return this.source.text.includes(text);
  }

  step(span: Span): string {
    const words = this.textOf({ from: span.from, to: Math.min(span.to, span.from + 80) }).replace(
      /\s+/g,
      " ",
    );
    return `${this.#prefix}line ${this.lineOf(span.from)}: ${words}`;
  }

  textOf({ from, to }: Span): string {
    return this.source.text.slice(from, to);
  }
}

/** A text as facts show it: unknown parts as `*`. */
export function display(text: string): string {
  return text.replaceAll(HOLE, "*");
}

function shown(source: DataSource): DataSource {
  if (source.type === "decoded" && source.text?.includes(HOLE))
    return { ...source, text: display(source.text) };
  return source;
}
