import { EMPTY, type Value } from "./value.ts";

/** The arguments of a program, sorted into options and what is left. */
export interface Options {
  /** `-f`, `-s` of `-fs`, `--force`. */
  readonly flags: ReadonlySet<string>;
  /** By option name with its dashes, in order. */
  readonly values: ReadonlyMap<string, readonly Value[]>;
  readonly operands: readonly Value[];
}

/** Which options take a value: short ones as letters, long ones by name. */
export interface OptionShape {
  readonly short?: string;
  readonly long?: ReadonlySet<string>;
}

/** Sorts arguments the way getopt does: `-ofile`, `-fsSLo file`, `--output=file`, `--`. */
export function readOptions(words: readonly Value[], { short = "", long = NONE }: OptionShape = {}): Options {
  const flags = new Set<string>();
  const values = new Map<string, Value[]>();
  const operands: Value[] = [];
  const add = (name: string, value: Value): void => {
    const list = values.get(name);
    if (list === undefined) values.set(name, [value]);
    else list.push(value);
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? EMPTY;
    const { text } = word;
    if (text === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (text.startsWith("--")) {
      const equals = text.indexOf("=");
      const name = equals === -1 ? text : text.slice(0, equals);
      if (equals !== -1) add(name, { ...word, text: text.slice(equals + 1) });
      else if (long.has(name)) add(name, words[++at] ?? EMPTY);
      flags.add(name);
    } else if (text.length > 1 && text.startsWith("-")) {
      at = readShort(at);
    } else operands.push(word);
  }
  return { flags, values, operands };

  function readShort(at: number): number {
    const word = words[at] ?? EMPTY;
    // `-name` of find and `-out` of openssl are one option.
    if (long.has(word.text)) {
      flags.add(word.text);
      add(word.text, words[at + 1] ?? EMPTY);
      return at + 1;
    }
    flags.add(word.text.slice(0, 40));
    for (let index = 1; index < Math.min(word.text.length, 40); index++) {
      const letter = word.text.charAt(index);
      flags.add(`-${letter}`);
      if (!short.includes(letter)) continue;
      const rest = word.text.slice(index + 1);
      if (rest !== "") add(`-${letter}`, { ...word, text: rest });
      else add(`-${letter}`, words[at + 1] ?? EMPTY);
      return rest === "" ? at + 1 : at;
    }
    return at;
  }
}

/** The last value of any of the names. */
export function optionOf(options: Options, ...names: readonly string[]): Value | undefined {
  for (const name of names) {
    const value = options.values.get(name)?.at(-1);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** All values of all the names. */
export function optionsOf(options: Options, ...names: readonly string[]): readonly Value[] {
  return names.flatMap((name) => options.values.get(name) ?? []);
}

export function hasFlag(options: Options, ...names: readonly string[]): boolean {
  return names.some((name) => options.flags.has(name));
}

const NONE: ReadonlySet<string> = new Set();
