import { findCommands, findRow, programName, type Starts } from "@skillet/shell/programs";
import { isHarmlessAssignment } from "./harmless-assignment.ts";
import {
  altered,
  hidden,
  knownValue,
  type ShellAct,
  type ShellReading,
  type ShellWord,
  type StartedCommands,
} from "./shell-act.ts";

export interface InnerReader {
  readText(text: string): ShellReading;
  readCommand(words: readonly ShellWord[]): ShellAct;
}

/** The commands that a program starts when called with these words; undefined if it starts none. */
export function startedBy(
  program: string,
  words: readonly ShellWord[],
  read: InnerReader,
): StartedCommands | undefined {
  // `command -v` only looks up a name.
  if (program === "command" && /^-[vV]$/.test(knownValue(words[1]) ?? "")) return undefined;
  const starts = findRow(program)?.starts;
  if (program === "xargs" && starts !== undefined) return readXargs(starts, words, read);
  if (starts?.isTransparent || starts?.harmless !== undefined) return readWrapped(starts, words, read);
  if (program === "eval") return readEval(words, read);
  if (SHELLS.has(program) || OTHER_SHELLS.has(program)) return readShellArgument(program, words, read);
  return program === "find" ? readFind(words, read) : undefined;
}

const SHELLS: ReadonlySet<string> = new Set(["bash", "sh", "dash"]);
// Similar enough to find denied commands, too different to decide what is covered.
const OTHER_SHELLS: ReadonlySet<string> = new Set(["zsh", "ksh", "mksh", "ash", "fish"]);

function readWrapped(
  wrapper: Starts,
  words: readonly ShellWord[],
  read: InnerReader,
): StartedCommands | undefined {
  const { isTransparent = false } = wrapper;
  const skipped = skipOptions(wrapper, words);
  if (skipped.problem !== undefined) return { isTransparent, acts: [hidden(skipped.problem)] };
  const acts: ShellAct[] = [];
  let at = skipped.next;
  for (; wrapper.takesAssignments; at += 1) {
    const assignment = assignmentOf(words[at]);
    if (assignment === undefined) break;
    if (!isHarmlessAssignment(...assignment)) acts.push(altered(`${assignment[0]} is set`));
  }
  const inner = words.slice(at);
  if (inner.length === 0) return acts.length === 0 ? undefined : { isTransparent, acts };
  return { isTransparent, acts: [...acts, read.readCommand(inner)], innerAt: at };
}

function assignmentOf(word: ShellWord | undefined): [name: string, value: string] | undefined {
  if (word === undefined) return undefined;
  // It may become an assignment; the slash is a value that is never harmless.
  if (word.kind === "open") return [word.text, "/"];
  const equals = word.value.indexOf("=");
  return equals < 1 ? undefined : [word.value.slice(0, equals), word.value.slice(equals + 1)];
}

function readEval(words: readonly ShellWord[], read: InnerReader): StartedCommands {
  const values = words.slice(1).map(knownValue);
  const isKnown = values.every((value) => value !== undefined);
  const acts = isKnown ? read.readText(values.join(" ")) : [hidden("eval runs a text that is not known")];
  return { isTransparent: true, acts };
}

// Only `-c` with options that do not change the text's meaning; a script is a file, which a rule must name.
function readShellArgument(
  program: string,
  words: readonly ShellWord[],
  read: InnerReader,
): StartedCommands | undefined {
  const isTransparent = SHELLS.has(program);
  const options = words.slice(1, firstOperand(words));
  if (options.every((word) => word.kind === "known" && !/^-[^-]*c/.test(word.value))) return undefined;
  const isPlain = options.every((word) => word.kind === "known" && /^-[celux]+$/.test(word.value));
  const text = knownValue(words[options.length + 1]);
  if (!isPlain || text === undefined)
    return { isTransparent, acts: [hidden("a shell runs a text that is not known")] };
  const acts = read.readText(text);
  return { isTransparent, acts: isTransparent ? acts : [...acts, altered(`${program} is not judged`)] };
}

/** Whether a shell reads its commands from its input, such as a pipe: then it may run any command. */
export function readsCommands(act: ShellAct): boolean {
  if (act.kind !== "command") return false;
  const { words, runs } = act;
  if (runs !== undefined) return runs.acts.some(readsCommands);
  const program = programName(knownValue(words[0]) ?? "");
  if (!SHELLS.has(program) && !OTHER_SHELLS.has(program)) return false;
  const options = words.slice(1, firstOperand(words)).map((word) => knownValue(word) ?? "");
  const script = knownValue(words[firstOperand(words)]);
  if (options.some((option) => /^--(?:help|version)$/.test(option))) return false;
  return script === undefined || /^\/dev\//.test(script) || options.some((option) => /^-[^-]*s/.test(option));
}

function firstOperand(words: readonly ShellWord[]): number {
  for (let index = 1; index < words.length; index++) {
    const word = words[index];
    if (word?.kind !== "known") continue;
    if (!/^[-+]/.test(word.value)) return index;
    // The value of an option is not a script.
    if (/^(?:[-+][A-Za-z]*[oO]|--rcfile|--init-file)$/.test(word.value)) index++;
  }
  return words.length;
}

function readXargs(xargs: Starts, words: readonly ShellWord[], read: InnerReader): StartedCommands {
  const { next, problem } = skipOptions(xargs, words);
  if (problem !== undefined) return { isTransparent: false, acts: [hidden(problem)] };
  // The words that xargs reads come after these, and may be options.
  const inner: ShellWord[] = [...words.slice(next), { kind: "open", text: "what xargs reads", prefix: "" }];
  return { isTransparent: false, acts: [read.readCommand(inner)], innerAt: next };
}

function readFind(words: readonly ShellWord[], read: InnerReader): StartedCommands | undefined {
  const commands = findCommands(words.map((word) => knownValue(word) ?? ""));
  if (commands.length === 0) return undefined;
  return {
    isTransparent: false,
    hasOwnOptions: true,
    acts: commands.map(([from, end]) => {
      const inner = readInner(words.slice(from, end));
      return inner === undefined
        ? hidden("find starts a command that is not known")
        : read.readCommand(inner);
    }),
  };
}

// Undefined if a part is unknown. A found path begins with the search folder, so it is never an option.
function readInner(inner: readonly ShellWord[]): readonly ShellWord[] | undefined {
  const [program] = inner;
  // A path inside the text of a command would become part of it; a path as the command would be run.
  if (inner.some((word, at) => knownValue(word)?.includes("{}") && (at === 0 || knownValue(word) !== "{}")))
    return undefined;
  if (program === undefined || program.kind === "open") return undefined;
  return inner.map((word) => (knownValue(word) === "{}" ? { kind: "open", text: "{}", prefix: "./" } : word));
}

/** Where the words after a wrapper's options and operands begin, or why that is unknown. */
function skipOptions(
  { harmless = {}, operands: count = 0 }: Starts,
  words: readonly ShellWord[],
): { readonly next: number; readonly problem?: string } {
  let next = 1;
  for (; next < words.length; next += 1) {
    const word = words[next];
    if (word?.kind !== "known") break;
    const { value } = word;
    if (value === "--") {
      next += 1;
      break;
    }
    if (!value.startsWith("-")) break;
    if (harmless.valued?.test(value)) {
      // An unknown value may expand to several words, the last of them a program.
      next += 1;
      if (words[next]?.kind !== "known") return { next, problem: `the value of ${value} is not known` };
    } else if (!harmless.plain?.test(value)) return { next, problem: `${value} is not judged` };
  }
  const operands = words.slice(next, next + count);
  const isPlain = operands.every((word) => word.kind === "known" && /^[\w.]+$/.test(word.value));
  if (!isPlain) return { next, problem: "an operand is not judged" };
  return { next: next + operands.length };
}
