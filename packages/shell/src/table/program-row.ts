import type { CodeLanguage } from "../model/effect.ts";

/** One program, by what it can do; most can do only one of these. */
export interface ProgramRow {
  readonly starts?: Starts;
  readonly interprets?: Interprets;
  readonly reads?: Reads;
  readonly hazards?: Hazards;
}

export interface OptionStyle {
  /** Options that take a value; in lower case for style `words`. */
  readonly valued?: ReadonlySet<string>;
  readonly twiceValued?: ReadonlySet<string>;
  /** `words`: a dash begins one word in any case, such as `-NoProfile`; otherwise letters may cluster. */
  readonly style?: "words";
}

export interface Starts extends OptionStyle {
  /** Words before the command, as in `uv run`; without one of them it starts nothing. */
  readonly subcommands?: ReadonlySet<string>;
  /** A word that may come before the subcommand: `uv tool run`. */
  readonly beforeSubcommand?: ReadonlySet<string>;
  /** The number of words between the options and the command, such as a duration. */
  readonly operands?: number;
  /** `NAME=value` before the command sets a variable for it. */
  readonly takesAssignments?: true;
  /** Whether it treats a bare file name such as `fill.py` as a file, not as a program. */
  readonly runsFiles?: true;
  /** Options whose value is the folder that the command runs in. */
  readonly directory?: ReadonlySet<string>;
  /** Options whose value is a shell command. */
  readonly text?: ReadonlySet<string>;
  /** Without a command it runs its input. */
  readonly runsInput?: true;
  readonly changesUser?: true;
  /** It adds nothing of its own: no rights, no variables, no folder. */
  readonly isTransparent?: true;
  /** The options that may precede a command that is allowed without asking; all others need a rule. */
  readonly harmless?: HarmlessOptions;
}

/** Options that change nothing about what a started command does. */
export interface HarmlessOptions {
  /** Options without a value, or with an attached value. */
  readonly plain?: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
}

/** A program that runs the script named by its first operand. */
export interface Interprets extends OptionStyle {
  /** The language of the scripts; if absent, they are not read. */
  readonly language?: CodeLanguage;
  /** An option whose next word is code. */
  readonly code?: RegExp;
  /** A word before code: `deno eval`. */
  readonly codeVerb?: RegExp;
  /** Options whose value is a further file that it runs. */
  readonly loads?: ReadonlySet<string>;
  /** Options whose value is the script. */
  readonly script?: ReadonlySet<string>;
  /** With these options it only checks the script and runs nothing. */
  readonly checks?: ReadonlySet<string>;
  /** Words before the script: `deno run`. */
  readonly subcommands?: ReadonlySet<string>;
  /** Whether it does something entirely different without a subcommand. */
  readonly needsSubcommand?: true;
  readonly directory?: ReadonlySet<string>;
  /** Options that neither contain code nor load any; all others need a rule. */
  readonly harmless?: RegExp;
}

/** A program that shows or filters the files named by its operands. */
export interface Reads extends OptionStyle {
  /** Its first operand is a pattern or a program, unless one of these options is given. */
  readonly patternUnless?: ReadonlySet<string>;
  /** Options whose value is a file with its instructions. */
  readonly loads?: ReadonlySet<string>;
  /** Operands that are not files: `tail +5`, and variables between the files of `awk`. */
  readonly otherOperands?: RegExp;
  /** Options whose value is a file that it reads. */
  readonly files?: ReadonlySet<string>;
  /** It searches folders, whose contents are unknown. */
  readonly searches?: true;
}

/**
 * Ways to make a program exceed its own work: run another program, load code, or write an unexpected file.
 *
 * A rule that ends in a wildcard does not cover such words; a rule that spells them out does.
 */
export interface Hazards {
  /** Long options without their dashes; abbreviations count, because most programs accept them. */
  readonly long?: readonly string[];
  /** Letters of short options, anywhere in a cluster. */
  readonly short?: string;
  /** Whole words; options with one dash or two, and with or without `=value`. */
  readonly words?: readonly string[];
  /** No word may match this. */
  readonly pattern?: RegExp;
  /** The known start of a partly unknown word must match this to rule `pattern` out. */
  readonly safePrefix?: RegExp;
  readonly operands?: OperandLimits;
  readonly subcommands?: Subcommands;
  /** Why no wildcard covers the program at all. */
  readonly never?: string;
}

/** Programs whose operands differ in meaning by position. */
interface OperandLimits {
  /** The only options allowed. */
  readonly flags: RegExp;
  /** The first operand must match this. */
  readonly first?: RegExp;
  readonly most?: number;
}

/** Programs with many subcommands; unknown ones may be aliases or plug-ins. */
interface Subcommands {
  /** Words that may precede the subcommand. */
  readonly globals: RegExp;
  readonly known: ReadonlyMap<string, Hazards>;
}

/** Rows of one column; a key may name several similar programs. */
export type Column<Cell> = Readonly<Record<string, Cell>>;

/** A cell as written in its table: several words are one text. */
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
 * Finds a program's cell, the last one that names it. Columns are built only on demand: a command names few
 * programs, and an agent waits for the hook that looks them up.
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
