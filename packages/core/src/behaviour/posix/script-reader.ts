import type {
  AndOr,
  Command,
  CommandNode,
  CompoundList,
  For,
  ParsedScript,
  PipelineNode,
  Redirection,
  Select,
  Statement,
} from "unbash";
import { type Argument, exact, UNKNOWN } from "../command/argument.ts";
import type { CommandScope } from "../command/command-scope.ts";
import {
  type CommandReader,
  NOTHING,
  type ProgramInput,
  type ProgramOutput,
} from "../command/program-call.ts";
import { expandWord, type Substitute } from "./expand-word.ts";

/** Where a part of a script runs. */
interface Surroundings {
  readonly scope: CommandScope;
  /** Programs and shells around the script. */
  readonly depth: number;
  /** Lists, loops and substitutions around it in the script. */
  readonly nesting: number;
  readonly input?: ProgramInput;
}

/** Deeper parts are not read: the parser takes more than our stack does. */
const MAX_NESTING = 40;
/** Rounds of a loop that are read. */
const MAX_ROUNDS = 8;

/** Walks a parsed script in the order in which a shell would run it, with its folder and its variables. */
export class ScriptReader {
  readonly #reader: CommandReader;
  readonly #functions = new Map<string, CommandNode | CompoundList>();
  readonly #called = new Set<CommandNode | CompoundList>();

  constructor(reader: CommandReader) {
    this.#reader = reader;
  }

  /** Reads statements one after the other; what comes out is the last one's. */
  statements(statements: readonly Statement[], around: Surroundings): ProgramOutput {
    let output = NOTHING;
    if (around.nesting > MAX_NESTING) return output;
    for (const { command } of statements)
      output = command.type === "AndOr" ? this.#chain(command, around) : this.#pipeline(command, around);
    return output;
  }

  /** `a && b` is how people write one thing after another; behind a condition and behind `||` it is a branch. */
  #chain({ commands, operators }: AndOr, around: Surroundings): ProgramOutput {
    let output = NOTHING;
    let isInDoubt = false;
    commands.forEach((command, place) => {
      const previous = commands[place - 1];
      isInDoubt ||= operators[place - 1] === "||" || (previous !== undefined && isCondition(previous));
      const read = (): ProgramOutput => this.#pipeline(command, around);
      output = isInDoubt ? this.#reader.log.inDoubt(read) : read();
    });
    return output;
  }

  #pipeline(node: PipelineNode, around: Surroundings): ProgramOutput {
    if (node.type !== "Pipeline") return this.#node(node, around);
    if (node.commands.length === 1 && node.commands[0] !== undefined)
      return this.#node(node.commands[0], around);
    let output: ProgramOutput | undefined;
    for (const command of node.commands)
      output = this.#node(command, {
        ...around,
        scope: around.scope.copy(),
        ...(output !== undefined && { input: output }),
      });
    return output ?? NOTHING;
  }

  #node(node: CommandNode | CompoundList, around: Surroundings): ProgramOutput {
    if (!this.#reader.log.step()) return NOTHING;
    const inside = { ...around, nesting: around.nesting + 1 };
    switch (node.type) {
      case "Command":
        return this.#command(node, around);
      case "CompoundList":
        return this.statements(node.commands, inside);
      case "BraceGroup":
        return this.#node(node.body, inside);
      case "Function":
        this.#functions.set(node.name.text, node.body);
        // Nobody may ever call it.
        return this.#branches([node.body], { ...inside, scope: around.scope.copy() });
      case "Subshell":
      case "Coproc":
        return this.#node(node.body, { ...inside, scope: around.scope.copy() });
      case "Redirected":
        return this.#node(node.command, { ...inside, ...this.#inputOf(node.redirects, around) });
      case "If":
        this.#node(node.clause, inside);
        return this.#branches(
          [node.then, ...node.elif.flatMap(({ clause, then }) => [clause, then])].concat(node.else ?? []),
          inside,
        );
      case "While":
        this.#node(node.clause, inside);
        return this.#branches([node.body], inside);
      case "Case":
        return this.#branches(
          node.items.map(({ body }) => body),
          inside,
        );
      case "For":
      case "Select":
        return this.#loop(node, inside);
      case "ArithmeticFor":
        return this.#branches([node.body], inside);
      default:
        return NOTHING;
    }
  }

  /** Parts of which it shows only when the script runs whether they do. */
  #branches(parts: readonly (CommandNode | CompoundList)[], around: Surroundings): ProgramOutput {
    return this.#reader.log.inDoubt(() => {
      let output = NOTHING;
      for (const part of parts) output = this.#node(part, around);
      return output;
    });
  }

  #loop({ name, wordlist, body }: For | Select, around: Surroundings): ProgramOutput {
    const values = (wordlist ?? []).flatMap((word) => this.#expand(word, around)).slice(0, MAX_ROUNDS);
    let output = NOTHING;
    if (values.length === 0) {
      around.scope.assign(name.value, UNKNOWN);
      return this.#branches([body], around);
    }
    for (const value of values) {
      around.scope.assign(name.value, value);
      output = this.#node(body, around);
    }
    return output;
  }

  #command({ name, prefix, args, redirects }: Command, around: Surroundings): ProgramOutput {
    const words = name === undefined ? [] : this.#expand(name, around);
    const assignsArguments = DECLARATIONS.has(name?.value ?? "");
    // What is set before a command is set for it alone.
    const scope = words.length > 0 && prefix.length > 0 ? around.scope.copy() : around.scope;
    for (const item of [...prefix, ...args]) {
      if (item.type === "Word") words.push(...this.#expand(item, around));
      else if (item.type === "Assignment") {
        const values = item.value.type === "Word" ? this.#expand(item.value, around) : [];
        const isPrefix = prefix.includes(item);
        if (isPrefix || assignsArguments) scope.assign(item.name, values[0] ?? UNKNOWN);
        else words.push(exact(item.text));
      }
    }
    const { input } = this.#inputOf(redirects, around);
    const [program] = words;
    if (program === undefined) return NOTHING;
    const called = program.kind === "exact" ? this.#functions.get(program.text) : undefined;
    if (called !== undefined) return this.#call(called, { ...around, scope, input });
    return this.#reader.readProgram({ words, scope, input, shell: "posix", depth: around.depth });
  }

  // A function that calls itself says nothing new, and twice at a time it would use up all steps.
  #call(body: CommandNode | CompoundList, around: Surroundings): ProgramOutput {
    if (this.#called.has(body)) return NOTHING;
    this.#called.add(body);
    const output = this.#node(body, around);
    this.#called.delete(body);
    return output;
  }

  #inputOf(redirections: readonly Redirection[], around: Surroundings): { readonly input: ProgramInput } {
    let input: ProgramInput = around.input ?? NOTHING;
    for (const redirection of redirections) {
      if (redirection.type === "HereDoc") {
        input = { ...NOTHING, text: redirection.body.text };
        expandWord(
          { text: "", value: "", parts: redirection.body.parts },
          around.scope,
          this.#substitute(around),
        );
        continue;
      }
      const { target } = redirection;
      const [value] = target === undefined ? [] : this.#expand(target, around);
      if (value === undefined) continue;
      if (redirection.type === "HereString")
        input = { content: [], lines: [value], ...(value.kind === "exact" && { text: value.text }) };
      else if (redirection.operator === "<") {
        this.#reader.log.file("read", value, around.scope.cwd);
        input = { content: [value], lines: [] };
      }
    }
    return { input };
  }

  #expand(word: Parameters<typeof expandWord>[0], around: Surroundings): Argument[] {
    if (!this.#reader.log.step()) return [];
    return expandWord(word, around.scope, this.#substitute(around));
  }

  #substitute({ scope, depth, nesting }: Surroundings): Substitute {
    return (script: ParsedScript) =>
      this.statements(script.commands, { scope: scope.copy(), depth, nesting: nesting + 1 }).lines;
  }
}

const DECLARATIONS: ReadonlySet<string> = new Set(["declare", "export", "local", "readonly", "typeset"]);

/** Whether a command is there to ask something, so that what comes behind it may not run. */
function isCondition(node: PipelineNode): boolean {
  if (node.type === "Pipeline" && node.prefixes.some(({ type }) => type === "Negation")) return true;
  const last = node.type === "Pipeline" ? node.commands.at(-1) : node;
  if (last?.type === "Command") return CONDITIONS.has(last.name?.value ?? "");
  return last?.type === "TestCommand" || last?.type === "ArithmeticCommand";
}

const CONDITIONS: ReadonlySet<string> = new Set(["[", "exit", "false", "return", "test"]);
