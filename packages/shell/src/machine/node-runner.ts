import type {
  AndOr,
  Assignment,
  CommandNode,
  CompoundList,
  Function as FunctionNode,
  PipelineNode,
  Statement,
  TestExpression,
  While,
  Word,
} from "unbash";
import { concatenate, EMPTY, known, type Value } from "../model/value.ts";
import { isWideTarget } from "../programs/destroyers.ts";
import { expandFields, expandWhole } from "./expand-word.ts";
import type { Frame } from "./frame.ts";
import { noteRemoteShell, openRedirections } from "./open-redirections.ts";
import type { ShellMachine } from "./shell-machine.ts";

/** Words of a loop that are tried one by one; further ones as one unknown word. */
const MAX_ROUNDS = 8;
/** Calls of a function with other words; what further ones do is much the same. */
const MAX_FUNCTION_CALLS = 100;
const MAX_RECURSION = 2;

interface ShellFunction {
  readonly node: FunctionNode;
  readonly frame: Frame;
  /** By what it was called with. */
  readonly printed: Map<string, Value>;
  depth: number;
}

/** Walks the tree of a script in the order in which it runs. */
export class NodeRunner {
  readonly #machine: ShellMachine;
  readonly #functions = new Map<string, ShellFunction>();

  constructor(machine: ShellMachine) {
    this.#machine = machine;
  }

  /** What all the statements print. */
  statements(statements: readonly Statement[], input: Value | undefined): Value {
    const printed: Value[] = [];
    for (const { command, background } of statements) {
      if (!this.#machine.mayGoOn()) break;
      const isBackground = background === true;
      if (command.type === "AndOr") printed.push(...this.#chain(command, input, isBackground));
      else printed.push(this.#pipeline(command, input, isBackground));
    }
    return concatenate(
      printed.filter(({ text, sources, isShell }) => text !== "" || sources.length > 0 || isShell),
    );
  }

  // `a && b` is how people write one thing after another; after a condition and after `||` it is a branch.
  #chain({ commands, operators }: AndOr, input: Value | undefined, isBackground: boolean): readonly Value[] {
    let isBranch = false;
    return commands.map((command, place) => {
      const before = commands[place - 1];
      isBranch ||= operators[place - 1] === "||" || (before !== undefined && isCondition(before));
      const run = (): Value => this.#pipeline(command, input, isBackground);
      return isBranch ? this.#machine.inDoubt(run) : run();
    });
  }

  /** Runs a function of the script; undefined where there is none of that name. */
  callFunction(name: string, words: readonly Value[], input: Value | undefined): Value | undefined {
    const found = this.#functions.get(name);
    if (found === undefined) return undefined;
    // The same call again does the same again, and so does one from within.
    const { isCertain, files } = this.#machine;
    const key = JSON.stringify([words.map(({ text }) => text), input?.text, files.directory, isCertain]);
    const before = found.printed.get(key);
    if (before !== undefined) return before;
    if (found.depth >= MAX_RECURSION) return EMPTY;
    if (found.printed.size >= MAX_FUNCTION_CALLS) {
      this.#machine.unread(`a function is called in more than ${MAX_FUNCTION_CALLS} ways`);
      return EMPTY;
    }
    found.depth++;
    try {
      const printed = this.#machine.inFrameOf(found.frame, words, () =>
        this.#compound(found.node.body, input),
      );
      found.printed.set(key, printed);
      return printed;
    } finally {
      found.depth--;
    }
  }

  /** Runs the functions that the script does not call: calling them from elsewhere is a disguise. */
  leftFunctions(): void {
    for (const [name, { printed }] of this.#functions)
      if (printed.size === 0)
        this.#machine.inDoubt(() =>
          this.callFunction(name, [this.#machine.variable("1") ?? EMPTY], undefined),
        );
  }

  #pipeline(node: PipelineNode, input: Value | undefined, isBackground: boolean): Value {
    return this.#machine.within(node, () => {
      if (node.type !== "Pipeline") return this.#node(node, input, isBackground);
      const [only, ...others] = node.commands;
      if (only !== undefined && others.length === 0) return this.#node(only, input, isBackground);
      let stream = input;
      for (const command of node.commands)
        stream = this.#machine.inOwnFolder(() => this.#node(command, stream, isBackground));
      return stream ?? EMPTY;
    });
  }

  #node(node: CommandNode, input: Value | undefined, isBackground: boolean): Value {
    switch (node.type) {
      case "Command":
        return this.#command(node, input, isBackground);
      case "Redirected": {
        const opened = openRedirections(node.redirects, input, this.#machine);
        noteRemoteShell([], opened, this.#machine);
        return opened.finish(this.#node(node.command, opened.input, isBackground));
      }
      case "Function":
        this.#define(node);
        return EMPTY;
      case "Coproc": {
        const { body } = node;
        const printed =
          body.type === "CompoundList" ? this.#compound(body, input) : this.#node(body, input, true);
        this.#machine.setList(node.name?.text ?? "COPROC", [
          { ...EMPTY, text: "/dev/fd/63", content: printed },
        ]);
        return EMPTY;
      }
      default:
        return this.#compound(node, input);
    }
  }

  #compound(
    node: Exclude<CommandNode, { type: "Command" | "Function" | "Coproc" }> | CompoundList,
    input: Value | undefined,
  ): Value {
    const machine = this.#machine;
    switch (node.type) {
      case "CompoundList":
        return this.statements(node.commands, input);
      case "Subshell":
        return machine.inOwnFolder(() => this.statements(node.body.commands, input));
      case "BraceGroup":
        return this.statements(node.body.commands, input);
      case "Redirected":
        return this.#node(node, input, false);
      case "If": {
        const lists = [node.then, ...node.elif.flatMap(({ clause, then }) => [clause, then])];
        if (node.else !== undefined) lists.push(node.else);
        const asked = this.statements(node.clause.commands, input);
        return machine.inDoubt(() =>
          concatenate([asked, ...lists.map((list) => this.statements(list.commands, input))]),
        );
      }
      case "While":
        noteLoop(node, machine);
        this.statements(node.clause.commands, input);
        return machine.inDoubt(() => this.statements(node.body.commands, input));
      case "ArithmeticFor":
        return machine.inDoubt(() => this.statements(node.body.commands, input));
      case "For":
      case "Select":
        return this.#loop(node.name.text, node.wordlist, node.body, input);
      case "Case":
        expandWhole(node.word, machine);
        return machine.inDoubt(() =>
          concatenate(node.items.map(({ body }) => this.statements(body.commands, input))),
        );
      case "TestCommand":
        this.#test(node.expression);
        return EMPTY;
      case "ArithmeticCommand":
        return EMPTY;
    }
  }

  #loop(
    name: string,
    wordlist: readonly Word[] | undefined,
    body: CompoundList,
    input: Value | undefined,
  ): Value {
    const machine = this.#machine;
    const words = wordlist?.flatMap((word) => expandFields(word, machine)) ?? [...machine.list("@")];
    noteLoop({ type: "For", words, body }, machine);
    const rounds = words.length <= MAX_ROUNDS ? words : [concatenate(words.slice(0, 100), " ")];
    const printed: Value[] = [];
    const round = (word: Value): void => {
      machine.setVariable(name, words.length <= MAX_ROUNDS ? word : { ...word, text: "*", isKnown: false });
      printed.push(this.statements(body.commands, input));
    };
    for (const word of rounds) {
      if (!machine.mayGoOn()) break;
      machine.inLoop(() => round(word));
    }
    return concatenate(printed);
  }

  #define(node: FunctionNode): void {
    if (this.#functions.size < 1_000)
      this.#functions.set(node.name.value, {
        node,
        frame: this.#machine.frame,
        printed: new Map(),
        depth: 0,
      });
  }

  // Words in tests may substitute commands.
  #test(expression: TestExpression): void {
    switch (expression.type) {
      case "TestUnary":
        expandWhole(expression.operand, this.#machine);
        return;
      case "TestBinary":
        expandWhole(expression.left, this.#machine);
        expandWhole(expression.right, this.#machine);
        return;
      case "TestLogical":
        for (const operand of expression.operands) this.#test(operand);
        return;
      case "TestNot":
        this.#test(expression.operand);
        return;
      case "TestGroup":
        this.#test(expression.expression);
    }
  }

  #command(
    node: Extract<CommandNode, { type: "Command" }>,
    piped: Value | undefined,
    isBackground: boolean,
  ): Value {
    const machine = this.#machine;
    for (const item of node.prefix) if (item.type === "Assignment") this.#assign(item);
    const words: Value[] = [];
    if (node.name !== undefined) words.push(...expandFields(node.name, machine));
    for (const argument of node.args)
      if (argument.type === "Word") words.push(...expandFields(argument, machine));
      else words.push(this.#assign(argument));
    const opened = openRedirections(node.redirects, piped, machine);
    // `$(<file)` prints the file.
    if (words.length === 0) return opened.finish(node.redirects.length > 0 ? (opened.input ?? EMPTY) : EMPTY);
    noteRemoteShell(words, opened, machine);
    if (words[0]?.text === "exec" && words.length === 1) opened.keep();
    return opened.finish(machine.runCommand(words, opened.input, { isBackground }));
  }

  #assign({ name, value, append }: Assignment): Value {
    const machine = this.#machine;
    if (value.type === "ArrayValue") {
      const elements = value.elements.flatMap((element) => expandFields(element, machine));
      machine.setList(
        name,
        append === true ? [...machine.list(name), ...elements].slice(0, 1_000) : elements,
      );
      return known(name);
    }
    const assigned = expandWhole(value, machine);
    const before = append === true ? machine.variable(name) : undefined;
    const whole = before === undefined ? assigned : concatenate([before, assigned]);
    machine.setVariable(name, whole);
    if (name === "PROMPT_COMMAND" && whole.isKnown) machine.runText(whole, "the prompt");
    return { ...whole, text: `${name}=${whole.text}` };
  }
}

/** Whether a command is there to ask something, so that what comes after it may not run. */
function isCondition(node: PipelineNode): boolean {
  if (node.type === "Pipeline" && node.prefixes.some(({ type }) => type === "Negation")) return true;
  const last = node.type === "Pipeline" ? node.commands.at(-1) : node;
  if (last?.type === "Command") return /^(?:\[|exit|false|return|test)$/.test(last.name?.value ?? "");
  return last?.type === "TestCommand" || last?.type === "ArithmeticCommand";
}

/** Reports loops whose shape is the attack: calling home for ever, and encrypting a home folder. */
function noteLoop(
  loop: While | { readonly type: "For"; readonly words: readonly Value[]; readonly body: CompoundList },
  machine: ShellMachine,
): void {
  const body = machine.frame.text.slice(loop.body.pos, loop.body.end).slice(0, MAX_BODY_CHARACTERS);
  if (loop.type === "While") {
    const clause = machine.frame.text.slice(loop.clause.pos, loop.clause.end).slice(0, 200);
    if (isEndless(clause, body)) noteBeacon(body, machine);
    // `find ~ … | while read f` has its words in the pipe.
    noteEncryption(clause, body, machine);
  } else if (loop.words.some(({ text }) => isWideTarget(text))) noteEncryption("~", body, machine);
}

const MAX_BODY_CHARACTERS = 4_096;

function isEndless(clause: string, body: string): boolean {
  if (!/^\s*(?:true|:|\[\[? 1 \]\]?|\(\(\s*1\s*\)\))\s*;?\s*$/.test(clause)) return false;
  return !/\b(?:break|exit|return)\b/.test(body);
}

function noteBeacon(body: string, machine: ShellMachine): void {
  if (!/\bsleep\b/.test(body)) return;
  const call = /\b(?:curl|wget|nc|ncat)\b[^\n;|]{0,300}/.exec(body)?.[0];
  const url = call === undefined ? undefined : /https?:\/\/[^\s"']{1,200}/.exec(call)?.[0];
  if (call !== undefined)
    machine.effect({ type: "abuse", what: "beacon-loop", detail: url ?? call.slice(0, 100) });
}

function noteEncryption(where: string, body: string, machine: ShellMachine): void {
  const encrypts =
    /\bopenssl\s+(?:enc|aes\S{0,20}|rsautl|smime)\b(?![^\n;]{0,200}\s-d\b)|\bgpg\b[^\n;]{0,200}(?:\s-c\b|--symmetric|\s-e\b|--encrypt)|\bage\s+-(?:p|r|e)\b/;
  if (!encrypts.test(body) || !/\b(?:rm|shred|mv|unlink)\b/.test(body)) return;
  if (/~|\$HOME|\bread\b|\/home|\/Users/.test(where))
    machine.effect({ type: "destroy", what: "encrypt", detail: "encrypts files and removes the originals" });
}
