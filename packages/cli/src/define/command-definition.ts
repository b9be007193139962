import { type Command, InvalidArgumentError, Option } from "commander";
import { CliError } from "../context/cli-error.ts";
import type { CommandContext, ExitCode } from "../context/command-context.ts";

/** A command: what it is called, takes and does; parser, help and examples are made from it. */
export interface CommandDefinition {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary?: string;
  readonly description: string;
  /** How arguments and options stand in the first line of help, where that is not plain. */
  readonly usage?: string;
  /** Each with the field that the command's code gets it in. */
  readonly arguments?: readonly (readonly [field: string, syntax: string, description: string])[];
  readonly options?: readonly OptionDefinition[];
  /** Without the name of the program. */
  readonly examples?: readonly string[];
  readonly actions?: readonly CommandDefinition[];
  /** Given everything that was typed, where more arguments than those above are explained instead of refused. */
  readonly checkWords?: (words: readonly string[]) => void;
  /** Loads the code, which nothing but this command should have to wait for. */
  readonly load?: () => Promise<(context: CommandContext, given: never) => Promise<ExitCode>>;
}

type OptionDefinition = readonly [flags: string, description: string, refine?: (option: Option) => Option];

export type RunCommand = (command: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;

export function defineCommand(parent: Command, definition: CommandDefinition, run: RunCommand): void {
  const { name, description, actions = [], examples = [], load, checkWords } = definition;
  const command = parent
    .command(name)
    .description(description)
    .aliases(definition.aliases ?? []);
  if (definition.summary !== undefined) command.summary(definition.summary);
  if (definition.usage !== undefined) command.usage(definition.usage);
  for (const [, syntax, text] of definition.arguments ?? []) command.argument(syntax, text);
  for (const [flags, text, refine] of definition.options ?? []) {
    const option = new Option(flags, text);
    command.addOption(refine?.(option) ?? option);
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

function refuseAction(action: string | undefined, { name, actions = [], load }: CommandDefinition): void {
  if (action === undefined && load !== undefined) return;
  throw new CliError(
    "usage",
    action === undefined ? `skillet ${name} needs an action.` : `There is no action '${action}'.`,
    { hints: [`Actions: ${actions.map((one) => one.name).join(", ")}`] },
  );
}

function givenTo(command: Command, definition: CommandDefinition): Readonly<Record<string, unknown>> {
  const fields = (definition.arguments ?? []).map(([field], index) => [field, command.processedArgs[index]]);
  const given = fields.filter(([, value]) => value !== undefined);
  return { ...command.opts(), ...Object.fromEntries(given) };
}

/** An option that can be one of a few words; the first is the default where there is one. */
export const oneOf =
  (words: readonly string[], { first }: { readonly first?: "default" } = {}) =>
  (option: Option): Option =>
    first === "default" ? option.choices(words).default(words[0]) : option.choices(words);

export const repeated = (option: Option): Option => option.argParser(collect);

// One value each time: with several after one flag, names of skills would be taken for values.
const collect = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value];

/** The same where only a few words are allowed, which then stand in its description. */
export const someOf =
  (words: readonly string[]) =>
  (option: Option): Option => {
    option.description += ` (repeatable): ${words.join(", ")}`;
    return option.argParser((value: string, previous?: readonly string[]) => {
      if (words.includes(value)) return collect(value, previous);
      throw new InvalidArgumentError(`It can be ${words.join(", ")}.`);
    });
  };

/** An option that takes several values between commas, and can be given several times. */
export const commaList = (option: Option): Option =>
  option.argParser((value: string, previous: readonly string[] = []) => [
    ...previous,
    ...value
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  ]);

/** An option whose value is understood by a function; undefined where it cannot be. */
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

export const share: (option: Option) => Option = parsedBy((text) => {
  const value = /^(?:0|1|[01]?\.\d{1,6})$/.test(text) ? Number(text) : 2;
  return value <= 1 ? value : undefined;
}, "It is a number from 0 to 1, such as 0.9.");
