/**
 * What a program can be told to do besides its own work: run another, load code, or write where nobody looks.
 *
 * A rule that ends in a wildcard does not cover words that do so; a rule that spells them out does.
 */
export interface ProgramTraits {
  /** Long options without their dashes; abbreviations count, because most programs take them. */
  readonly long?: readonly string[];
  /** Letters of short options, wherever they stand in a cluster. */
  readonly short?: string;
  /** Whole words, with one dash or two for options, and with or without `=value`. */
  readonly words?: readonly string[];
  /** What no word may look like. */
  readonly pattern?: RegExp;
  /** What the known start of an otherwise unknown word has to look like for `pattern` to be out of question. */
  readonly safePrefix?: RegExp;
  readonly operands?: Operands;
  readonly subcommands?: Subcommands;
  readonly script?: ScriptOperand;
  /** Why no wildcard covers the program at all. */
  readonly never?: string;
  /** Starts the command in its arguments, which a rule has to name. */
  readonly startsArguments?: true;
  /** Subcommands that do so. */
  readonly starters?: readonly string[];
}

/** Programs whose operands are told apart by their place. */
interface Operands {
  /** The only options there may be. */
  readonly flags: RegExp;
  /** What the first operand has to look like. */
  readonly first?: RegExp;
  /** How many operands there may be. */
  readonly most?: number;
}

/** Programs of many commands; unknown ones may be aliases or plug-ins. */
interface Subcommands {
  /** Words that may stand before the subcommand. */
  readonly globals: RegExp;
  readonly known: ReadonlyMap<string, ProgramTraits>;
}

/** Interpreters: what stands before the script is theirs, what follows is the script's. */
interface ScriptOperand {
  /** Options that neither hold code nor load any. */
  readonly flags: RegExp;
}

/** The words of a text. */
export function list(words: string): readonly string[] {
  return words.split(" ");
}

/** The same traits, usually none, for several subcommands. */
export function subcommands(
  names: string,
  special: Readonly<Record<string, ProgramTraits>> = {},
): ReadonlyMap<string, ProgramTraits> {
  return new Map([
    ...list(names).map((name): [string, ProgramTraits] => [name, {}]),
    ...Object.entries(special),
  ]);
}
