import {
  type EffectSink,
  known,
  type SecretKind,
  ShellMachine,
  type Value as ShellValue,
  type Source,
  unknown,
} from "@skillet/shell";
import type { Sink } from "../../fact/fact.ts";
import { classifyVariable, privateKind } from "../../secret/classify-path.ts";
import type { Span } from "../fact-writer.ts";
import type { Evaluator } from "./evaluator.ts";
import { type Box, HOLE, type Taint, taintsOf, textsOf, unionTaints, type Value } from "./value.ts";

export interface ProgramCommand {
  readonly command: Value | readonly Value[];
  readonly input?: Value | undefined;
  readonly variables?: ReadonlyMap<string, Value> | undefined;
  readonly by: string;
  readonly span: Span;
}

/** A program, and its commands, are evaluated many times. */
const MAX_RUNS = 2_000;

/**
 * The shell that a program passes its commands to: follows data that goes in by words, input, variables or
 * files, and knows the output by its origin. The shell's own analysis reports the commands' own effects.
 */
export class ProgramShell implements EffectSink {
  readonly variables: Map<string, Value> = new Map();
  readonly #machine: Evaluator;
  readonly #shell: ShellMachine = new ShellMachine({ firstLine: 1, keepsLines: false, chain: [] }, this);
  readonly #children = new WeakMap<Box, ProgramCommand>();
  readonly #printed = new Map<string, readonly Taint[]>();
  /** The path of each source before it entered the shell. */
  readonly #given = new Map<Source, Taint>();
  #span: Span = { from: 0, to: 0 };

  constructor(machine: Evaluator) {
    this.#machine = machine;
  }

  run(command: ProgramCommand): readonly Taint[] {
    const key = keyOf(command);
    const before = this.#printed.get(key);
    if (before !== undefined || this.#printed.size >= MAX_RUNS) return before ?? [];
    this.#printed.set(key, []);
    this.#span = command.span;
    for (const [path, taints] of this.#machine.writtenTo)
      if (taints.length > 0)
        this.#shell.files.set(path.replaceAll(HOLE, "_"), unknown(this.#enter(taints)), { append: false });
    const variables = new Map([...this.variables, ...(command.variables ?? [])]);
    for (const [name, value] of variables) this.#shell.setVariable(name, this.#valueOf(value));
    const step = this.#machine.recorder.step(command.span);
    const taints = this.#start(command).sources.map(
      (source): Taint => this.#given.get(source) ?? { source, steps: [step], isDirect: true },
    );
    this.#printed.set(key, taints);
    return taints;
  }

  keep(child: Box, command: ProgramCommand): void {
    this.#children.set(child, command);
  }

  feed(child: Box | undefined, input: Value, span: Span): readonly Taint[] {
    const command = child === undefined ? undefined : this.#children.get(child);
    return command === undefined ? [] : this.run({ ...command, input, span });
  }

  flow(sources: readonly Source[], sink: Sink): void {
    const taints = sources.flatMap((source) => this.#given.get(source) ?? []);
    if (taints.length > 0) this.#machine.recorder.flow(this.#span, taints, sink);
  }

  write(path: string, written: ShellValue): void {
    const step = this.#machine.recorder.step(this.#span);
    const taints = written.sources.map(
      (source): Taint => this.#given.get(source) ?? { source, steps: [step], isDirect: true },
    );
    const { writtenTo } = this.#machine;
    writtenTo.set(path, unionTaints(writtenTo.get(path) ?? [], taints));
  }

  secretAt(path: string): SecretKind | undefined {
    return privateKind(path);
  }

  secretIn(variable: string): SecretKind | undefined {
    return classifyVariable(variable);
  }

  #start({ command, input, by }: ProgramCommand): ShellValue {
    const shell = this.#shell;
    const piped = input === undefined ? undefined : this.#valueOf(input);
    if ("length" in command) {
      const words = command.map((word) => this.#valueOf(word));
      return shell.inSubshell(() =>
        shell.runWords(words, piped?.sources.length === 0 && !piped.isKnown ? undefined : piped),
      );
    }
    let printed: readonly Source[] = [];
    for (const text of textsOf(command)) {
      shell.marked = this.#enter(taintsOf(command));
      const whole = text === HOLE ? unknown(shell.marked) : { text, isKnown: true, sources: [] };
      printed = [...printed, ...shell.inSubshell(() => shell.runText(whole, by, piped)).sources];
    }
    return unknown(printed);
  }

  #valueOf(value: Value): ShellValue {
    const text = value.text ?? (value.number === undefined ? HOLE : String(value.number));
    const sources = this.#enter(taintsOf(value));
    if (!text.includes(HOLE)) return known(text, sources);
    return unknown(sources, text.replaceAll(HOLE, /^[~/.]./.test(text) ? "_" : "*"));
  }

  /** A download that an unknown function transformed does not run in its original form. */
  #enter(taints: readonly Taint[]): readonly Source[] {
    return taints.flatMap((taint) => {
      const { source, isDirect } = taint;
      if (source.type === "conversation") return [];
      if (!isDirect && (source.type === "network" || source.type === "decoded")) return [];
      this.#given.set(source, taint);
      return [source];
    });
  }
}

function keyOf({ command, input, variables, span }: ProgramCommand): string {
  const shown = (value: Value): unknown => [
    value.text ?? value.number,
    taintsOf(value).map(({ source }) => source),
  ];
  const words = "length" in command ? command.map(shown) : [shown(command)];
  return JSON.stringify([
    span.from,
    words,
    input && shown(input),
    [...(variables ?? [])].map(([name, value]) => [name, shown(value)]),
  ]);
}
