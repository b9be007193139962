import { EMPTY, type Value } from "../model/value.ts";
import type { OptionStyle, Starts } from "./program-row.ts";

export interface GivenOption {
  readonly name: string;
  readonly value?: Value;
}

/** The options from a word on, up to the first word that is not an option, and the position of that word. */
export function splitOptions(
  words: readonly Value[],
  from: number,
  style: OptionStyle,
  isOption: RegExp = /^-./,
): { readonly options: readonly GivenOption[]; readonly next: number } {
  const options: GivenOption[] = [];
  let next = from;
  for (; next < words.length; next++) {
    const word = words[next] ?? EMPTY;
    const { text } = word;
    if (text === "--") return { options, next: next + 1 };
    if (!isOption.test(text)) break;
    const read = readOption(word, style);
    const last = read.at(-1);
    if (last?.value === undefined && style.valued?.has(last?.name ?? "") && next + 1 < words.length)
      read[read.length - 1] = { name: last?.name ?? "", value: words[++next] ?? EMPTY };
    if (style.twiceValued?.has(text)) {
      next += 2;
      // Its first value is a name.
      read[read.length - 1] = { name: text, value: words[next] ?? EMPTY };
    }
    options.push(...read);
  }
  return { options, next: Math.min(next, words.length) };
}

/** A call up to what it starts or runs: options, subcommand if the row has it, and the rest's position. */
export interface SplitCall {
  readonly options: readonly GivenOption[];
  readonly next: number;
  readonly verb: string;
  readonly hasSubcommand: boolean;
}

export function splitCall(
  words: readonly Value[],
  row: OptionStyle & Pick<Starts, "subcommands" | "beforeSubcommand">,
  isOption?: RegExp,
): SplitCall {
  const before = splitOptions(words, 0, row, isOption);
  const at = before.next + (row.beforeSubcommand?.has(words[before.next]?.text ?? "") ? 1 : 0);
  const verb = words[at]?.text ?? "";
  if (!row.subcommands?.has(verb)) return { ...before, verb, hasSubcommand: false };
  const after = splitOptions(words, at + 1, row, isOption);
  return { options: [...before.options, ...after.options], next: after.next, verb, hasSubcommand: true };
}

/** The value of the first given option among these. */
export function optionValue(
  options: readonly GivenOption[],
  names: ReadonlySet<string> | undefined,
): Value | undefined {
  return options.find(({ name }) => names?.has(name))?.value;
}

export function splitArguments(
  words: readonly Value[],
  style: OptionStyle,
): { readonly options: readonly GivenOption[]; readonly operands: readonly Value[] } {
  const options: GivenOption[] = [];
  const operands: Value[] = [];
  for (let at = 0; at < words.length; ) {
    const split = splitOptions(words, at, style);
    // Not pushed as arguments, whose number in one call is limited.
    for (const option of split.options) options.push(option);
    if (split.next > at && words[split.next - 1]?.text === "--")
      return { options, operands: [...operands, ...words.slice(split.next)] };
    operands.push(...words.slice(split.next, split.next + 1));
    at = split.next + 1;
  }
  return { options, operands };
}

function readOption(word: Value, { valued, style }: OptionStyle): GivenOption[] {
  const { text } = word;
  if (/^(?:--|\/)/.test(text) || style === "words" || valued?.has(text)) {
    const equals = text.indexOf("=");
    const cut = equals > 0 ? equals : style === "words" ? text.indexOf(":") : -1;
    const name = cut > 0 ? text.slice(0, cut) : text;
    return [
      {
        name: style === "words" ? name.toLowerCase() : name,
        ...(cut > 0 && { value: { ...word, text: text.slice(cut + 1) } }),
      },
    ];
  }
  const options: GivenOption[] = [];
  for (let at = 1; at < Math.min(text.length, MAX_CLUSTER); at++) {
    const name = `-${text.charAt(at)}`;
    const rest = text.slice(at + 1).replace(/^=/, "");
    if (valued?.has(name) && rest !== "") return [...options, { name, value: { ...word, text: rest } }];
    options.push({ name });
  }
  return options;
}

const MAX_CLUSTER = 40;

/** Where the commands that `find` starts begin and end among its words; unknown words are empty. */
export function findCommands(texts: readonly string[]): readonly (readonly [from: number, end: number])[] {
  const commands: [number, number][] = [];
  for (let at = 0; at < texts.length; at++) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(texts[at] ?? "")) continue;
    const from = at + 1;
    // Anywhere else, a plus is a word like any other.
    while (at < texts.length && texts[at] !== ";" && !(texts[at] === "+" && texts[at - 1] === "{}")) at++;
    commands.push([from, at]);
  }
  return commands;
}

/** The arguments of a program, parsed as getopt does: `-ofile`, `-fsSLo file`, `--output=file`, `--`. */
export class Options {
  readonly operands: readonly Value[];
  /** `-f`, `-s` of `-fs`, `--force`. */
  readonly #flags: Set<string>;
  readonly #values = new Map<string, Value[]>();

  /** `valued` are the options that take a value, with their dashes. */
  constructor(words: readonly Value[], valued: ReadonlySet<string> = NONE) {
    const { options, operands } = splitArguments(words, { valued });
    this.operands = operands;
    this.#flags = new Set(
      words.filter(({ text }) => /^-./.test(text)).map(({ text }) => text.slice(0, MAX_CLUSTER)),
    );
    for (const { name, value } of options) {
      this.#flags.add(name);
      if (value === undefined && !valued.has(name)) continue;
      const given = this.#values.get(name);
      if (given === undefined) this.#values.set(name, [value ?? EMPTY]);
      else given.push(value ?? EMPTY);
    }
  }

  // Names are given in one text: "-o --output".
  has(names: string | undefined): boolean {
    return listed(names).some((name) => this.#flags.has(name));
  }

  all(names: string | undefined): readonly Value[] {
    return listed(names).flatMap((name) => this.#values.get(name) ?? []);
  }

  /** The last value of the first given option among these. */
  get(names: string | undefined): Value | undefined {
    const first = listed(names).find((name) => this.#values.has(name));
    return first === undefined ? undefined : this.#values.get(first)?.at(-1);
  }
}

function listed(names: string | undefined): readonly string[] {
  return names?.split(" ") ?? [];
}

const NONE: ReadonlySet<string> = new Set();
