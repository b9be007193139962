import type { CodeLanguage } from "../model/effect.ts";

/** One program, by what it can do; most do only one of these. */
export interface ProgramRow {
  readonly starts?: Starts;
  readonly interprets?: Interprets;
  readonly reads?: Reads;
  readonly hazards?: Hazards;
}

export interface OptionStyle {
  /** Those that take a value, in lower case where words are used. */
  readonly valued?: ReadonlySet<string>;
  readonly twiceValued?: ReadonlySet<string>;
  /** `words`: a dash begins a whole word in any case, such as `-NoProfile`; otherwise letters may stand together. */
  readonly style?: "words";
}

export interface Starts extends OptionStyle {
  /** Words before the command: `uv run`; without one of them it starts nothing. */
  readonly subcommands?: ReadonlySet<string>;
  /** A word that may stand before that one: `uv tool run`. */
  readonly beforeSubcommand?: ReadonlySet<string>;
  /** Words between the options and the command: a duration, say. */
  readonly operands?: number;
  /** `NAME=value` before the command sets a variable for it. */
  readonly takesAssignments?: true;
  /** Whether a bare file name such as `fill.py` is a file to it, and not a program. */
  readonly runsFiles?: true;
  /** Options whose value is where the command runs. */
  readonly directory?: ReadonlySet<string>;
  /** Options whose value is a text for a shell. */
  readonly text?: ReadonlySet<string>;
  /** Without a command it runs what it reads from its input. */
  readonly runsInput?: true;
  readonly changesUser?: true;
  /** It adds nothing of its own: no rights, no variables, no place. */
  readonly isTransparent?: true;
  /** The options that may stand before a command that is allowed without asking; all others need a rule. */
  readonly harmless?: HarmlessOptions;
}

/** Options that change nothing about what a started command does. */
export interface HarmlessOptions {
  /** Options without a value, or that hold their value. */
  readonly plain?: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
}

/** A program that runs the script that its first operand names. */
export interface Interprets extends OptionStyle {
  /** The language of the scripts; without it they are not read. */
  readonly language?: CodeLanguage;
  /** An option whose next word is code. */
  readonly code?: RegExp;
  /** A word before code: `deno eval`. */
  readonly codeVerb?: RegExp;
  /** Their value is a file that it runs besides. */
  readonly loads?: ReadonlySet<string>;
  /** Their value is the script. */
  readonly script?: ReadonlySet<string>;
  /** With these it looks at the script and runs nothing. */
  readonly checks?: ReadonlySet<string>;
  /** Words before the script: `deno run`. */
  readonly subcommands?: ReadonlySet<string>;
  /** Whether it does something else entirely without one of them. */
  readonly needsSubcommand?: true;
  readonly directory?: ReadonlySet<string>;
  /** Options that neither hold code nor load any; all others need a rule. */
  readonly harmless?: RegExp;
}

/** A program that shows or filters the files that its operands name. */
export interface Reads extends OptionStyle {
  /** Its first operand is a pattern or a program, unless one of these options gave it. */
  readonly patternUnless?: ReadonlySet<string>;
  /** Options whose value is a file that tells it what to do. */
  readonly loads?: ReadonlySet<string>;
  /** Operands that are not files: `tail +5`, and variables between the files of `awk`. */
  readonly otherOperands?: RegExp;
  /** Options whose value is a file that it reads. */
  readonly files?: ReadonlySet<string>;
  /** It goes through folders, of which nothing is known. */
  readonly searches?: true;
}

/**
 * Ways to make a program do more than its own work: run another, load code, or write an unexpected file.
 *
 * A rule that ends in a wildcard does not cover words that do so; a rule that spells them out does.
 */
export interface Hazards {
  /** Long options without their dashes; abbreviations count, because most programs take them. */
  readonly long?: readonly string[];
  /** Letters of short options, wherever they stand in a cluster. */
  readonly short?: string;
  /** Whole words, with one dash or two for options, and with or without `=value`. */
  readonly words?: readonly string[];
  /** No word may look like this. */
  readonly pattern?: RegExp;
  /** The known start of an otherwise unknown word has to look like this to rule `pattern` out. */
  readonly safePrefix?: RegExp;
  readonly operands?: OperandLimits;
  readonly subcommands?: Subcommands;
  /** Why no wildcard covers the program at all. */
  readonly never?: string;
}

/** Programs whose operands are told apart by their place. */
interface OperandLimits {
  /** The only options there may be. */
  readonly flags: RegExp;
  /** The first operand has to look like this. */
  readonly first?: RegExp;
  readonly most?: number;
}

/** Programs of many commands; unknown ones may be aliases or plug-ins. */
interface Subcommands {
  /** Words that may stand before the subcommand. */
  readonly globals: RegExp;
  readonly known: ReadonlyMap<string, Hazards>;
}

/** Rows of one column; a key may name several programs that are alike. */
export type Column<Cell> = Readonly<Record<string, Cell>>;

/** A cell as its table has it: several words are written as one text. */
export type Written<Cell> = {
  [Field in keyof Cell]: NonNullable<Cell[Field]> extends ReadonlySet<string> | readonly string[]
    ? string
    : Cell[Field];
};

export function readCell<Cell extends object>(written: Written<Cell>): Cell {
  const read = ([field, value]: [string, unknown]): [string, unknown] => {
    if (typeof value !== "string") return [field, value];
    return [field, SETS.has(field) ? words(value) : LISTS.has(field) ? value.split(" ") : value];
  };
  return Object.fromEntries(Object.entries(written).map(read)) as Cell;
}

export function byName<Cell>(column: Column<Cell>): readonly (readonly [name: string, Cell])[] {
  return Object.entries(column).flatMap(([names, cell]) =>
    names.split(" ").map((name) => [name, cell] as const),
  );
}

/**
 * Finds a program's cell, the last one that names it. Nothing is made of the columns before: a command names few programs,
 * and an agent waits for the hook that looks them up.
 */
export function lookUp<Cell>(columns: () => readonly Column<Cell>[]): (program: string) => Cell | undefined {
  let names: string | undefined;
  const found = new Map<string, Cell | undefined>();
  return (program) => {
    if (found.has(program)) return found.get(program);
    names ??= ` ${columns().flatMap(Object.keys).join(" ")} `;
    const rows = names.includes(` ${program} `) ? columns().flatMap((column) => Object.entries(column)) : [];
    const cell = rows.findLast(([key]) => key.split(" ").includes(program))?.[1];
    if (found.size < MAX_FOUND) found.set(program, cell);
    return cell;
  };
}

export const MAX_FOUND = 5_000;

export function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

const LISTS: ReadonlySet<string> = words("long words");
const SETS: ReadonlySet<string> = words(
  "valued twiceValued subcommands beforeSubcommand directory text loads script checks patternUnless files",
);
