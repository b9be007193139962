import type * as Unbash from "unbash";
import { concatenate, EMPTY, known, mergeSources, sourcesOf, unknown, type Value } from "../model/value.ts";
import { wideTarget } from "../programs/destroyers.ts";
import { type Loop, type TreeClient, TreeWalk } from "../syntax/walk-tree.ts";
import { words } from "../table/program-row.ts";
import { expandFields, expandWhole } from "./expand-word.ts";
import type { Frame } from "./frame.ts";
import { noteRemoteShell, openRedirections } from "./open-redirections.ts";
import type { ShellMachine } from "./shell-machine.ts";

/** Words of a loop that are run one by one; the rest are run as one unknown word with all their sources. */
const MAX_ROUNDS = 64;
/** Calls of a function with different words; further calls rarely differ in what they do. */
const MAX_FUNCTION_CALLS = 100;
const MAX_RECURSION = 2;

interface ShellFunction {
  readonly node: Unbash.Function;
  readonly frame: Frame;
  /** The output by call: words, input, folder and certainty. */
  readonly printed: Map<string, Value>;
  depth: number;
}

export class NodeRunner implements TreeClient<Value> {
  readonly #machine: ShellMachine;
  readonly #tree = new TreeWalk<Value>(this);
  readonly #functions = new Map<string, ShellFunction>();

  constructor(machine: ShellMachine) {
    this.#machine = machine;
  }

  statements(statements: readonly Unbash.Statement[], input: Value | undefined): Value {
    return this.#tree.statements(statements, input);
  }

  /** Runs a function of the script; undefined if no function has that name. */
  callFunction(name: string, words: readonly Value[], input: Value | undefined): Value | undefined {
    const found = this.#functions.get(name);
    if (found === undefined) return undefined;
    // The same call does the same again, as does a recursive one.
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
        this.#tree.node(found.node.body, input),
      );
      found.printed.set(key, printed);
      return printed;
    } finally {
      found.depth--;
    }
  }

  /** Runs the functions that the script never calls: calling them only from elsewhere may be a disguise. */
  leftFunctions(): void {
    for (const [name, { printed }] of this.#functions)
      if (printed.size === 0)
        this.#machine.inDoubt(() =>
          this.callFunction(name, [this.#machine.variable("1") ?? EMPTY], undefined),
        );
  }

  join(printed: readonly Value[]): Value {
    return concatenate(
      printed.filter(({ text, sources, isShell }) => text !== "" || sources.length > 0 || isShell),
    );
  }

  mayGoOn(): boolean {
    return this.#machine.mayGoOn();
  }

  pipeline(node: Unbash.PipelineNode, run: () => Value): Value {
    return this.#machine.within(node, run);
  }

  redirected(
    redirections: readonly Unbash.Redirection[],
    input: Value | undefined,
    run: (input: Value | undefined) => Value,
  ): Value {
    const opened = openRedirections(redirections, input, this.#machine);
    noteRemoteShell([], opened, this.#machine);
    return opened.finish(run(opened.input));
  }

  branch(run: () => Value): Value {
    return this.#machine.inDoubt(run);
  }

  // Some shells run the last command of a pipe themselves, so the variables it sets stay possible.
  subshell<Result>(run: () => Result, { isPiped }: { readonly isPiped: boolean }): Result {
    return this.#machine.inSubshell(run, undefined, { mayStay: isPiped });
  }

  define(node: Unbash.Function): Value {
    if (this.#functions.size < 1_000)
      this.#functions.set(node.name.value, {
        node,
        frame: this.#machine.frame,
        printed: new Map(),
        depth: 0,
      });
    return EMPTY;
  }

  coproc({ name, body }: Unbash.Coproc, run: () => Value): Value {
    const consume = (written: Value): void => {
      this.#tree.node(body, written);
    };
    this.#machine.setList(name?.text ?? "COPROC", [
      { ...EMPTY, text: "/dev/fd/63", content: run() },
      { ...EMPTY, text: "/dev/fd/60", consume },
    ]);
    return EMPTY;
  }

  loop(node: Loop, run: () => Value): Value {
    const machine = this.#machine;
    const body = textAt(node.body, machine);
    if (node.type === "While") noteLoop(textAt(node.clause, machine).slice(0, 200), body, machine);
    if (node.type === "While" || node.type === "ArithmeticFor") return run();
    const words = node.wordlist?.flatMap((word) => expandFields(word, machine)) ?? [...machine.list("@")];
    if (words.some(({ text }) => wideTarget(text) !== undefined)) noteEncryption("~", body, machine);
    const head = machine.frame.text.slice(node.pos, node.body.pos).slice(0, 200);
    if (/\bseq\b[^\n)]{0,20}\d{4}|\{\d+\.\.\d{4,}\}/.test(head)) noteFlood(body, machine);
    const rounds = words.slice(0, MAX_ROUNDS);
    const further = words.slice(MAX_ROUNDS);
    if (further.length > 0) {
      machine.unread(`a loop has more than ${MAX_ROUNDS} words`);
      rounds.push(
        unknown(further.reduce((all, { text }) => mergeSources(all, machine.peek(text)), sourcesOf(further))),
      );
    }
    const printed: Value[] = [];
    for (const word of rounds) {
      if (!machine.mayGoOn()) break;
      machine.inLoop(() => {
        machine.setVariable(node.name.text, word);
        printed.push(run());
      });
    }
    return concatenate(printed);
  }

  word(word: Unbash.Word): void {
    expandWhole(word, this.#machine);
  }

  test(node: Unbash.TestCommand | Unbash.ArithmeticCommand): Value {
    if (node.type === "TestCommand") this.#test(node.expression);
    return EMPTY;
  }

  // Words in tests may contain command substitutions.
  #test(expression: Unbash.TestExpression): void {
    if (expression.type === "TestUnary") this.word(expression.operand);
    else if (expression.type === "TestBinary") {
      this.word(expression.left);
      this.word(expression.right);
    } else if (expression.type === "TestLogical")
      for (const operand of expression.operands) this.#test(operand);
    else this.#test(expression.type === "TestNot" ? expression.operand : expression.expression);
  }

  command(node: Unbash.Command, piped: Value | undefined, isBackground: boolean): Value {
    const machine = this.#machine;
    const given: Value[] = [];
    if (node.name !== undefined) given.push(...expandFields(node.name, machine));
    for (const argument of node.args)
      if (argument.type === "Word") given.push(...expandFields(argument, machine));
      else given.push(this.#assign(argument));
    const opened = openRedirections(node.redirects, piped, machine);
    const assignments = node.prefix.filter((item) => item.type === "Assignment");
    const [name] = given;
    if (name === undefined) {
      for (const assignment of assignments) this.#assign(assignment);
      // `$(<file)` prints the file.
      return opened.finish(node.redirects.length > 0 ? (opened.input ?? EMPTY) : EMPTY);
    }
    noteRemoteShell(given, opened, machine);
    if (name.text === "exec" && given.length === 1) opened.keep();
    const run = (): Value => {
      for (const assignment of assignments) this.#assign(assignment);
      return machine.runWords(given, opened.input, { isBackground });
    };
    if (assignments.length === 0) return opened.finish(run());
    const start = given.slice(0, 4).map(({ text }) => text.slice(0, 100));
    const kept = new Set(KEEPS.test(start.join(" ")) ? given.map(({ text }) => text.split("=", 1)[0]) : []);
    kept.add(PRINTS_TO.exec(start.join(" "))?.[1]);
    const restored = assignments.flatMap((assignment) => (kept.has(assignment.name) ? [] : assignment.name));
    return opened.finish(machine.restoring(restored, run, { mayStay: MAY_KEEP.has(name.text) }));
  }

  #assign({ name, value, append }: Unbash.Assignment): Value {
    const machine = this.#machine;
    if (value.type === "ArrayValue") {
      const elements = value.elements.flatMap((element) => expandFields(element, machine));
      const all = append === true ? [...machine.list(name), ...elements] : elements;
      const isCut = append === true && all.length > MAX_ELEMENTS;
      if (isCut) machine.unread(`a list grows to more than ${MAX_ELEMENTS} elements`);
      machine.setList(name, isCut ? all.slice(0, MAX_ELEMENTS) : all);
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

/** Adding an element copies the whole list. */
const MAX_ELEMENTS = 1_000;
// `P=value export P`: an assignment before these commands stays if they name the variable.
const KEEPS =
  /^(?:(?:builtin|command) )?(?:(?:export|readonly)(?! -\w*n)|(?:declare|typeset) -[grx]+(?! -)) /;
// `P=value printf -v P …` sets the script's own variable.
const PRINTS_TO = /^(?:(?:builtin|command) )?printf -v (\w+)/;
// In some shells, assignments before these commands stay in effect.
const MAY_KEEP = words(
  ": . break continue declare eval exec exit export local readonly return set shift source times trap typeset unset",
);

function textAt({ pos, end }: Unbash.CompoundList, { frame }: ShellMachine): string {
  return frame.text.slice(pos, Math.min(end, pos + MAX_BODY_CHARACTERS));
}

/** Reports loops that are an attack by their shape: beacons, and the encryption of a home folder. */
function noteLoop(clause: string, body: string, machine: ShellMachine): void {
  if (isEndless(clause, body)) {
    noteBeacon(body, machine);
    if (!/\bsleep\b/.test(body)) noteFlood(body, machine);
  }
  // In `find ~ … | while read f`, the paths come from the pipe.
  noteEncryption(clause, body, machine);
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

/** Endless requests whose answers are discarded. */
function noteFlood(body: string, machine: ShellMachine): void {
  const call = /\b(?:curl|wget)\b[^\n;|]{0,300}/.exec(body)?.[0] ?? "";
  const url = /https?:\/\/(?!localhost|127\.|\[::1\])[^\s"']{1,200}/.exec(call)?.[0];
  if (url !== undefined && /\/dev\/null|(?:^|\s)-\w*o\s/.test(call))
    machine.effect({ type: "abuse", what: "flood", detail: url });
}

function noteEncryption(where: string, body: string, machine: ShellMachine): void {
  const encrypts =
    /\bopenssl\s+(?:enc|aes\S{0,20}|rsautl|smime)\b(?![^\n;]{0,200}\s-d\b)|\bgpg\b[^\n;]{0,200}(?:\s-c\b|--symmetric|\s-e\b|--encrypt)|\bage\s+-(?:p|r|e)\b/;
  if (!encrypts.test(body) || !/\b(?:rm|shred|mv|unlink)\b/.test(body)) return;
  if (/~|\$HOME|\bread\b|\/home|\/Users/.test(where))
    machine.effect({ type: "destroy", what: "encrypt", detail: "encrypts files and removes the originals" });
}
