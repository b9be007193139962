import { type Loop, type TreeClient, TreeWalk } from "@skillet/shell/programs";
import type {
  ArithmeticCommand,
  Assignment,
  Command,
  CommandExpansionPart,
  Coproc,
  Function as FunctionNode,
  ParsedScript,
  PipelineNode,
  ProcessSubstitutionPart,
  Redirection,
  RedirectOperator,
  Select,
  TestCommand,
  TestExpression,
  Word,
} from "unbash";
import { isHarmlessAssignment, isHarmlessLoopVariable } from "./harmless-assignment.ts";
import { altered, hidden, type ShellAct, type ShellWord } from "./shell-act.ts";
import { readWord, type ShellWalk, type Span, walkParts, walkWord } from "./walk-word.ts";

export type ReadCommand = (words: readonly ShellWord[]) => ShellAct;

/** Lists what a parsed script does, with nested commands; parts that cannot be judged are unclear acts. */
export function walkScript(
  script: ParsedScript,
  region: Span,
  source: string,
  readCommand: ReadCommand,
): readonly ShellAct[] {
  const walk = new ScriptWalk(source, readCommand);
  if (script.errors?.length) walk.hidden(`it does not parse: ${script.errors[0]?.message}`);
  new TreeWalk(walk).statements(script.commands, undefined);
  const unexplained = findUnexplained(source, region, walk.spans);
  if (unexplained !== undefined) walk.hidden(`\`${unexplained}\` is not judged`);
  return walk.acts;
}

class ScriptWalk implements ShellWalk, TreeClient<void> {
  readonly acts: ShellAct[] = [];
  readonly spans: Span[] = [];
  readonly #source: string;
  readonly #readCommand: ReadCommand;

  constructor(source: string, readCommand: ReadCommand) {
    this.#source = source;
    this.#readCommand = readCommand;
  }

  hidden(reason: string): void {
    this.acts.push(hidden(reason));
  }

  altered(reason: string): void {
    this.acts.push(altered(reason));
  }

  substitution(part: CommandExpansionPart | ProcessSubstitutionPart): void {
    const { script, text, pos, end } = part;
    // Shells disagree about quotes in backticks, and about where arithmetic begins.
    const isWhole = /^(?:[$<>]\((?!\().*\)|`[^\\'"]*`)$/s.test(text);
    if (script === undefined || !isWhole) {
      this.hidden(`${text} is not judged`);
      return;
    }
    const inside = { pos: pos + (text.startsWith("`") ? 1 : 2), end: end - 1 };
    this.acts.push(...walkScript(script, inside, this.#source, this.#readCommand));
  }

  // Every part counts, whether it would run or not, and no state is carried between commands.
  join(): void {
    return;
  }

  pipeline(node: PipelineNode, run: () => void): void {
    if (node.type === "Pipeline") this.spans.push(...node.prefixes);
    run();
  }

  redirected(...[redirections, input, run]: Parameters<TreeClient<void>["redirected"]>): void {
    run(input);
    for (const redirection of redirections) walkRedirection(redirection, this);
  }

  // Functions, coprocesses, `select` and arithmetic are rarely needed, and each has its own ways to run
  // commands or to redefine names.
  define(node: FunctionNode, run: () => void): void {
    this.#rare(node);
    run();
  }

  coproc(node: Coproc, run: () => void): void {
    this.#rare(node);
    run();
  }

  loop(node: Loop, run: () => void): void {
    if (node.type === "Select") this.#rare(node);
    if (node.type === "ArithmeticFor") this.#arithmetic(node);
    if (node.type === "For" || node.type === "Select") {
      const { name, wordlist = [] } = node;
      this.spans.push(name);
      if (!isHarmlessLoopVariable(name.text)) this.altered(`a loop sets ${name.text}`);
      for (const word of wordlist) walkWord(word, this);
    }
    run();
  }

  test(node: TestCommand | ArithmeticCommand): void {
    if (node.type === "ArithmeticCommand") this.#arithmetic(node);
    else {
      this.spans.push(node);
      walkTest(node.expression, this);
    }
  }

  word(word: Word): void {
    walkWord(word, this);
  }

  #rare(node: FunctionNode | Coproc | Select): void {
    this.spans.push(node);
    this.altered(`a ${node.type.toLowerCase()} is not judged`);
  }

  #arithmetic(node: Span): void {
    this.spans.push(node);
    this.hidden("arithmetic on variables may run commands");
  }

  command({ name, prefix, suffix }: Command): void {
    const words: ShellWord[] = [];
    let splitsAt: string | undefined;
    let end = -1;
    for (const item of [...prefix, ...(name === undefined ? [] : [name]), ...suffix]) {
      if (item.type === "Word") {
        walkWord(item, this);
        words.push(readWord(item));
        // zsh ends a group at any brace: `{ a } always { b }`.
        if (/^[{}]$/.test(item.text)) this.hidden(`${item.text} as a word is not judged`);
        if (splitsAt !== undefined) this.hidden(`words after ${splitsAt} are not judged`);
        // `a<(b)` is one word or two.
        if (item.pos === end) this.hidden(`${item.text} is glued to the word before it`);
        end = item.end;
      } else if (item.type === "Assignment") this.#assignment(item);
      else {
        walkRedirection(item, this);
        // A plain `sh` reads `a &>x b` as two commands.
        if (item.operator.startsWith("&")) splitsAt = item.operator;
      }
    }
    if (words.length > 0) this.acts.push(this.#readCommand(words));
    // zsh starts a program for a redirection alone.
    else if (!prefix.some(({ type }) => type === "Assignment")) this.altered("a redirection has no command");
  }

  #assignment(assignment: Assignment): void {
    this.spans.push(assignment);
    const { name, value, index, append, text } = assignment;
    const word = value.type === "Word" ? readWord(value) : undefined;
    const isHarmless =
      index === undefined && !append && word?.kind === "known" && isHarmlessAssignment(name, word.value);
    if (!isHarmless) this.altered(`${text} sets a variable`);
    for (const item of value.type === "Word" ? [value] : value.elements) walkWord(item, this);
    if (index !== undefined && !/^\w+$/.test(index.text)) this.hidden(`${text} is not judged`);
  }
}

/** Finds the file that a redirection opens; copies of descriptors and `/dev/null` open none. */
function walkRedirection(redirection: Redirection, walk: ShellWalk): void {
  walk.spans.push(redirection);
  // `{PATH}>file` sets a variable.
  if (redirection.descriptor?.type === "FileDescriptorVariable")
    walk.altered(`{${redirection.descriptor.name}} in a redirection sets a variable`);
  if (redirection.type === "HereDoc") {
    const { body, closing, delimiter } = redirection;
    if (closing === undefined || delimiter === undefined) walk.hidden("a here-document is not closed");
    else walk.spans.push(body, closing);
    if (!PLAIN_DELIMITER.test(delimiter?.text ?? ""))
      walk.hidden("shells may disagree about where a here-document ends");
    walkParts(body.parts, walk);
    return;
  }
  const { target } = redirection;
  if (target === undefined) walk.hidden("a redirection has no target");
  else {
    walkWord(target, walk);
    if (redirection.type !== "HereString") openTarget(redirection.operator, readWord(target), walk);
  }
}

const PLAIN_DELIMITER = /^(?:\w+|'\w+'|"\w+"|\\\w+)$/;

function openTarget(operator: RedirectOperator, target: ShellWord, walk: ShellWalk): void {
  const kind = operator === "<" ? "read" : "write";
  if (target.kind === "open") walk.acts.push({ kind });
  else if (operator === "<&" || operator === ">&") copyDescriptor(operator, target.value, walk);
  else openFile(target.value, kind, walk);
}

function copyDescriptor(operator: "<&" | ">&", target: string, walk: ShellWalk): void {
  // `2>&1-` moves a descriptor in bash but writes a file `1-` in zsh.
  if (/^(?:\d+|-)$/.test(target)) return;
  if (operator === ">&") openFile(target, "write", walk);
  else walk.hidden(`<&${target} is not judged`);
}

function openFile(path: string, kind: "read" | "write", walk: ShellWalk): void {
  if (path === "/dev/null" || (kind === "write" && /^\/dev\/std(?:out|err)$/.test(path))) return;
  // bash opens network connections for these.
  if (/^\/+dev\/+(?:tcp|udp)(?:\/|$)/.test(path)) walk.altered(`${path} is a network connection`);
  walk.acts.push({ kind, path });
}

/**
 * Numeric comparisons evaluate their operands, which may run commands. A plain `sh` takes `[[` for a program,
 * so that `&&`, `|` and `>` inside mean the same as outside.
 */
function walkTest(expression: TestExpression, walk: ShellWalk): void {
  switch (expression.type) {
    case "TestUnary":
      if (!UNARY.test(expression.operator)) walk.hidden(`[[ ${expression.operator} ]] is not judged`);
      walkWord(expression.operand, walk);
      break;
    case "TestBinary":
      if (!BINARY.test(expression.operator)) walk.hidden(`[[ ${expression.operator} ]] is not judged`);
      walkWord(expression.left, walk);
      walkWord(expression.right, walk);
      break;
    case "TestLogical":
      walk.hidden(`[[ ${expression.operator} ]] is not judged`);
      for (const operand of expression.operands) walkTest(operand, walk);
      break;
    case "TestNot":
      walkTest(expression.operand, walk);
      break;
    case "TestGroup":
      walk.hidden("[[ ( ) ]] is not judged");
      walkTest(expression.expression, walk);
      break;
  }
}

const UNARY = /^-[bcdefghknprstuwxzGLNOS]$/;
const BINARY = /^(?:=|==|!=|-nt|-ot|-ef)$/;

/** A tolerant parser may skip text without an error; nothing that a shell would run may be skipped. */
function findUnexplained(source: string, region: Span, spans: readonly Span[]): string | undefined {
  const sorted = [...spans].sort((left, right) => left.pos - right.pos);
  let position = region.pos;
  for (const span of [...sorted, { pos: region.end, end: region.end }]) {
    if (span.pos > position) {
      const gap = source.slice(position, span.pos);
      if (!PUNCTUATION.test(gap.replace(HARMLESS_COMMENT, " "))) return gap.trim();
    }
    position = Math.max(position, span.end);
  }
  return undefined;
}

const PUNCTUATION =
  /^(?:\s|\\\n|[;&|(){}]|\b(?:if|then|elif|else|fi|for|in|do|done|while|until|case|esac)\b)*$/;
// If a shell is configured to ignore comments, their words are arguments: these would be harmless.
const HARMLESS_COMMENT = /(?<=^|\s)#[\w .,:]*$/gm;
