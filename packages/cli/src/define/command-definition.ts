import { nearestName } from "@skillet/kit/nearest-name";
import { type Command, InvalidArgumentError, Option } from "commander";
import { CliError, didYouMean } from "../context/cli-error.ts";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { durationMs } from "../ui/text.ts";

export interface CommandDefinition {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary?: string;
  readonly description: string;
  /** The first line of help, if it cannot be derived from arguments and options. */
  readonly usage?: string;
  /** One per line: `field: <syntax>  description`; the command's code gets the value under that field. */
  readonly arguments?: string;
  /** One per line, as in help: `--flag <value>  description`. */
  readonly options?: string;
  /** Parsers by field, for options that are not plain text, flags or "(repeatable)". */
  readonly read?: Readonly<Record<string, (option: Option) => Option>>;
  /** Without the program's name. */
  readonly examples?: readonly string[];
  readonly actions?: readonly CommandDefinition[];
  /** Gets everything that was typed, so that surplus arguments are explained instead of just refused. */
  readonly checkWords?: (words: readonly string[]) => void;
  /** Loads the code, so that no other command has to wait for it. */
  readonly load?: () => Promise<(context: CommandContext, given: never) => Promise<ExitCode>>;
}

export type RunCommand = (command: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;

export function defineCommand(parent: Command, definition: CommandDefinition, run: RunCommand): void {
  const { name, description, actions = [], examples = [], load, checkWords } = definition;
  const command = parent
    .command(name)
    .description(description)
    .aliases(definition.aliases ?? []);
  if (definition.summary !== undefined) command.summary(definition.summary);
  if (definition.usage !== undefined) command.usage(definition.usage);
  for (const { term, text } of rowsOf(definition.arguments))
    command.argument(term.replace(/^\w+: /, ""), text);
  for (const { term, text } of rowsOf(definition.options)) {
    const option = new Option(term, text);
    const isRepeated = text.includes("(repeatable");
    const read = definition.read?.[option.attributeName()] ?? (isRepeated ? repeated : undefined);
    command.addOption(read?.(option) ?? option);
  }
  for (const action of actions) defineCommand(command, action, run);
  if (examples.length > 0)
    command.addHelpText("after", `\nExamples:\n${examples.map((line) => `  $ skillet ${line}`).join("\n")}`);
  if (actions.length > 0 || checkWords !== undefined) command.allowExcessArguments();
  command.action(() => {
    checkWords?.(command.args);
    if (actions.length > 0) refuseAction(command.args[0], definition);
    return run(async (context) => {
      const code = await load?.();
      return code === undefined ? 0 : code(context, givenTo(command, definition) as never);
    });
  });
}

// Two spaces separate a term from its description.
function rowsOf(text = ""): readonly { readonly term: string; readonly text: string }[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const gap = line.indexOf("  ");
      return { term: line.slice(0, gap), text: line.slice(gap).trim() };
    });
}

function refuseAction(action: string | undefined, { name, actions = [], load }: CommandDefinition): void {
  if (action === undefined && load !== undefined) return;
  const near = action && nameMeant(action, actions);
  throw new CliError(
    "usage",
    action === undefined ? `skillet ${name} needs an action.` : `There is no action '${action}'.`,
    {
      hints: didYouMean(
        near ? [`${name} ${near}`] : [],
        `Actions: ${actions.map((one) => one.name).join(", ")}`,
      ),
    },
  );
}

// Names of commands, actions and options, best first, and what other tools call them.
const OTHER_WORDS = [
  ["new", "create make scaffold"],
  ["init", "setup"],
  ["try", "inspect"],
  ["update", "upgrade"],
  ["remove unset", "delete uninstall rm del"],
  ["prune", "clean gc"],
  ["show list status", "ls view agents"],
  ["install add set", "i get"],
  ["explain", "info why"],
  ["doctor verify status", "check"],
  ["revoke", "untrust distrust"],
].map(([names = "", words]) => [names.split(" "), `${names} ${words}`.split(" ")] as const);

/** Returns the word and the names that it stands for in other tools. */
export function otherWords(word: string): readonly string[] {
  return [word, ...OTHER_WORDS.flatMap(([names, words]) => (words.includes(word) ? names : []))];
}

/** Returns the command or action that a word most likely means, with an option it stands for, if any. */
export function nameMeant(word: string, definitions: readonly CommandDefinition[]): string | undefined {
  const names = definitions.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const meant = otherWords(word);
  const flags = definitions.flatMap(({ name, options = "" }) =>
    meant.filter((one) => options.includes(`--${one} `)).map((one) => `${name} --${one}`),
  );
  const known = meant.find((one) => names.includes(one)) ?? (flags.length === 1 ? flags[0] : undefined);
  return known ?? nearestName(word, names);
}

function givenTo(command: Command, definition: CommandDefinition): Readonly<Record<string, unknown>> {
  const fields = rowsOf(definition.arguments).map(({ term }, index) => [
    term.slice(0, term.indexOf(":")),
    command.processedArgs[index],
  ]);
  return { ...command.opts(), ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)) };
}

/** Lists every word of a type, checked by the compiler, so that help need not load the type's package. */
export const wordsOf =
  <Word extends string>() =>
  <const Given extends readonly Word[]>(
    words: Given & ([Exclude<Word, Given[number]>] extends [never] ? unknown : Exclude<Word, Given[number]>),
  ): readonly string[] =>
    words;

export const oneOf =
  (words: readonly string[], { first }: { readonly first?: "default" } = {}) =>
  (option: Option): Option =>
    first === "default" ? option.choices(words).default(words[0]) : option.choices(words);

export const repeated = (option: Option): Option => option.argParser(collect);

// One value per flag: if a flag took several, names of skills would be taken for values.
const collect = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value];

/** The same with only a few allowed words, which are then listed in the description. */
export const someOf =
  (words: readonly string[]) =>
  (option: Option): Option => {
    option.description += ` (repeatable): ${words.join(", ")}`;
    return option.argParser((value: string, previous?: readonly string[]) => {
      if (words.includes(value)) return collect(value, previous);
      throw new InvalidArgumentError(`It can be ${words.join(", ")}.`);
    });
  };

export const commaList = (option: Option): Option =>
  option.argParser((value: string, previous: readonly string[] = []) => [
    ...previous,
    ...value
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  ]);

export const parsedBy =
  <Value>(parse: (text: string) => Value | undefined, wrong: string) =>
  (option: Option): Option =>
    option.argParser((text: string) => {
      const value = parse(text);
      if (value !== undefined) return value;
      throw new InvalidArgumentError(wrong);
    });

export const wholeNumber = (least: number, most: number, wrong: string): ((option: Option) => Option) =>
  parsedBy((text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    return value >= least && value <= most ? value : undefined;
  }, wrong);

/** A duration in milliseconds, written `30s` or `5m`; a bare number means seconds, as users expect. */
export const duration = (most: number): ((option: Option) => Option) =>
  parsedBy((text) => {
    const value = durationMs(/^\d+$/.test(text) ? `${text}s` : text) ?? 0;
    return value >= 1 && value <= most ? value : undefined;
  }, "Write 30s, 5m or a number of seconds; ten minutes is the most.");

export const share: (option: Option) => Option = parsedBy((text) => {
  const value = /^(?:0|1|[01]?\.\d{1,6})$/.test(text) ? Number(text) : 2;
  return value <= 1 ? value : undefined;
}, "Use a number from 0 to 1, such as 0.9.");
