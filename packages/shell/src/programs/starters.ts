import type { Call, Program, QuietProgram, Shell } from "../model/call.ts";
import {
  concatenate,
  EMPTY,
  known,
  mergeSources,
  replaceBounded,
  sourcesOf,
  UNKNOWN,
  unknown,
  type Value,
} from "../model/value.ts";
import { type Column, type OptionStyle, type Starts, words } from "../table/program-row.ts";
import { findRow, isShellName } from "../table/programs.ts";
import {
  findCommands,
  optionValue,
  type SplitCall,
  splitArguments,
  splitCall,
  splitOptions,
} from "../table/split-options.ts";
import { WHOLE_ENVIRONMENT } from "./builtins.ts";
import { wideSelection } from "./destroyers.ts";
import { sendTo } from "./fetchers.ts";
import { namesFile, noteProjectScripts, runModule } from "./interpreters.ts";

export function startInner(starts: Starts, call: Call, shell: Shell): Value {
  const { program, words, texts, input } = call;
  // `command -v` looks up a name.
  if (program === "command" && /^-[vV]$/.test(texts[0] ?? "")) return EMPTY;
  if (starts.changesUser) {
    const detail = program === "sudo" ? call.joined.slice(0, 200) : program;
    shell.effect({ type: "privilege", how: "sudo", detail });
  }
  const given = splitStart(starts, words);
  const run = (): Value => {
    if (starts.subcommands !== undefined && !given.hasSubcommand) return noteVerb(given.verb, program, shell);
    const at = given.next + (starts.operands ?? 0);
    const text = textOf(starts, given, call);
    if (text !== undefined) return shell.runText(text, program, input);
    const module = starts.runsFiles ? optionValue(given.options, MODULE) : undefined;
    const inner = words.slice(at);
    if (module !== undefined) {
      runModule(module, inner, program, shell);
      return shell.possibly(() => shell.runWords(inner, input));
    }
    if (inner.length === 0 && starts.runsInput && input !== undefined) return shell.runText(input, program);
    const end = starts.takesAssignments ? inner.findIndex(({ text }) => !isAssignment(text)) : 0;
    if (program === "env" && end === -1) return WHOLE_ENVIRONMENT;
    const assigned = (end === -1 ? inner : inner.slice(0, end)).map(assignmentOf);
    const names = assigned.map(([name]) => name);
    return shell.restoring(names, () => {
      for (const [name, value] of assigned) shell.setVariable(name, value);
      return startCommand(starts, inner.slice(assigned.length), call, shell);
    });
  };
  // `command cd place` changes the folder of the shell itself.
  if (/^(?:builtin|command|exec)$/.test(program)) return run();
  // `npm run build --prefix place`.
  const { options } = starts.subcommands && !given.hasSubcommand ? splitArguments(words, starts) : given;
  return shell.inSubshell(run, optionValue(options, starts.directory));
}

// `su root -c TEXT` has its option after the operand; so does `runuser`, which starts words only with `-u`.
function textOf(starts: Starts, { options, next }: SplitCall, { program, words }: Call): Value | undefined {
  const namesUser = program === "runuser" && optionValue(options, USER) === undefined;
  const after = splitOptions(words, next + (namesUser ? 1 : (starts.operands ?? 0)), starts);
  return optionValue([...options, ...after.options], starts.text);
}

/** The options of a program that starts another one; includes `env -`, `su -` and `start /b`. */
export function splitStart(starts: Starts, words: readonly Value[]): SplitCall {
  return splitCall(words, starts, /^-|^\/\w{1,5}$/);
}

const MODULE: ReadonlySet<string> = words("-m --module");
const USER: ReadonlySet<string> = words("-u --user");

function isAssignment(text: string): boolean {
  return /^\w{1,100}=/.test(text);
}

function assignmentOf({ text, ...rest }: Value): readonly [name: string, Value] {
  const equals = text.indexOf("=");
  return [text.slice(0, equals), { ...rest, text: text.slice(equals + 1) }];
}

/** `npm run build` does not start its arguments as a command. */
function noteVerb(verb: string, program: string, shell: Shell): Value {
  if (/^(?:run|run-script|start)$/.test(verb)) noteProjectScripts(program, shell);
  return EMPTY;
}

// `watch 'curl …'`, `tmux new 'curl …'`: many accept a whole command as one word.
function startCommand(
  { runsFiles }: Starts,
  inner: readonly Value[],
  { program, input }: Call,
  shell: Shell,
): Value {
  const [first, ...rest] = inner;
  if (first === undefined) return EMPTY;
  if (runsFiles && namesFile(first) && !/[/\\]/.test(first.text))
    return shell.runWords([{ ...first, text: `./${first.text}` }, ...rest], input);
  if (!/\s/.test(first.text)) return shell.runWords(inner, input);
  const texts = inner.filter(({ text }) => /\s/.test(text));
  return concatenate(texts.map((text) => shell.runText(text, program)));
}

const xargs: Program = ({ words, texts, input: piped }, shell) => {
  const { next: at, options } = splitStart(findRow("xargs")?.starts ?? {}, words);
  const file = optionValue(options, ARGUMENT_FILE);
  const input = file === undefined ? piped : shell.readFile(file);
  const mark = placeholderOf(texts.slice(0, at));
  const command = at < words.length ? words.slice(at) : [known("echo")];
  const given = input === undefined ? [UNKNOWN] : splitInput(input);
  const [first = UNKNOWN] = given;
  const each = given.length === 1 ? first : unknown(sourcesOf(given));
  const whole =
    mark === undefined ? [...command, ...given] : command.map((word) => replaceMark(word, mark, each));
  return shell.inSubshell(() => shell.runWords(whole, undefined));
};

const ARGUMENT_FILE: ReadonlySet<string> = words("-a --arg-file");

function placeholderOf(options: readonly string[]): string | undefined {
  const at = options.findIndex((text) => /^-(?:I|i)/.test(text) || text.startsWith("--replace"));
  if (at === -1) return undefined;
  const option = options[at] ?? "";
  if (option.startsWith("--")) return option.split("=")[1] ?? "{}";
  return option.length > 2 ? option.slice(2) : option === "-I" ? (options[at + 1] ?? "{}") : "{}";
}

function replaceMark(word: Value, mark: string, value: Value): Value {
  if (mark === "" || !word.text.includes(mark)) return word;
  const text = replaceBounded(word.text, mark, value.text);
  const sources = sourcesOf([word, value]);
  return word.isKnown && value.isKnown ? known(text, sources) : unknown(sources, text);
}

function splitInput(input: Value): readonly Value[] {
  const texts = input.text.trim().split(/\s+/, 100);
  return texts.map((text) => ({ text, isKnown: input.isKnown, sources: input.sources }));
}

/** `find … -exec command {} \;`; the results are an unknown path below the start of the search. */
const find: Program = (call, shell) => {
  const { words, texts } = call;
  const root = texts[0]?.startsWith("-") === false ? (texts[0] ?? ".") : ".";
  const patterns = call.after(/^-i?(?:name|path|wholename)$/).map(({ text }) => text.replace(/^\*\//, ""));
  const name = patterns[0] ?? "*";
  const place = `${root.replace(/\/$/, "")}/${name}`;
  const { sources } = shell.readFile(known(name === "*" ? root : place));
  const keys = patterns.find((pattern) => KEY_NAME.test(pattern));
  const key = { type: "secret", secret: "ssh", name: `${root}/${keys}` } as const;
  const found = unknown(keys === undefined ? sources : mergeSources(sources, [key]), place);
  const commands = findCommands(texts);
  const removes =
    texts.includes("-delete") ||
    commands.some(([from]) => /^(?:rm|shred|unlink|srm)$/.test(texts[from] ?? ""));
  // Deletes files of a home or the system, whatever the filter; deleting empty files is common cleanup.
  const what = wideSelection(name === "*" ? `${shell.files.resolve(root)}/*` : shell.files.resolve(place));
  if (removes && what !== undefined && !call.has(/^-empty$/))
    shell.effect({ type: "destroy", what, detail: call.detail });
  const isChosen = call.has(/^-(?:empty|[acm]time|[acm]min|size|i?regex|newer)$/);
  if (texts.includes("-delete") && !isChosen) shell.runWords([known("rm"), known("-rf"), found], undefined);
  const printed = commands.map(([from, end]) => {
    const command = words.slice(from, end).map((word) => replaceMark(word, "{}", found));
    return shell.runWords(command, undefined);
  });
  return unknown(sourcesOf([found, ...printed]), place);
};

/** Patterns that find private keys anywhere; other names are recognised by their path. */
const KEY_NAME = /^\*?id_(?:\*|rsa|dsa|ecdsa|ed25519)/;

const ssh: Program = (call, shell) => {
  const { words, texts, input } = call;
  const at = splitOptions(words, 0, SSH).next;
  const host = (texts[at] ?? "*").replace(/^.*@/, "");
  const inner = words.slice(at + 1);
  if (call.has(/^-\w{0,6}R/)) shell.effect({ type: "listen", address: `tunnel to ${host}` });
  // Exposes this machine's login on another machine.
  if (call.after(/^-\w*R/).some(({ text }) => /:(?:localhost|127\.0\.0\.1|\*)?:22$/.test(text)))
    shell.effect({ type: "privilege", how: "login-tunnel", detail: `ssh -R to ${host}` });
  sendTo({ how: "copy", host }, [input, ...inner], shell);
  runElsewhere(inner, "ssh", shell);
  return unknown([{ type: "network", url: `ssh://${host}`, host }]);
};

const SSH: OptionStyle = { valued: words("-i -p -o -l -L -R -D -F -J -b -c -E -W") };

/** `expect -c 'spawn …; send …'`: the commands that it starts and types. */
const expect: QuietProgram = (call, shell) => {
  const [code] = call.after(/^-c$/);
  if (code === undefined) return;
  for (const match of code.text.matchAll(/(?:^|[;\n])\s{0,20}(?:spawn|exec)\s{1,10}([^;\n]{1,2000})/g))
    shell.runText({ ...code, text: match[1] ?? "" }, "expect");
  for (const match of code.text.matchAll(/(?:^|[;\n])\s{0,20}send\s{1,10}"([^"\n]{1,2000})"/g))
    runElsewhere([{ ...code, text: (match[1] ?? "").replace(/\\[rn]$/, "") }], "expect", shell);
};

export const STARTERS: Column<Program | QuietProgram> = {
  printenv: ({ texts: [name] }, shell) =>
    name === undefined ? WHOLE_ENVIRONMENT : (shell.variable(name) ?? shell.outsideValue(name)),
  xargs,
  find,
  ssh,
  expect,
};

/** Files changed there are not this machine's, so only commands that fetch or open something count. */
export function runElsewhere(words: readonly Value[], by: string, shell: Shell): void {
  const command = concatenate(words, " ");
  if (command.text.trim() !== "" && REACHES_OUT.test(command.text)) shell.runText(command, by);
}

export function shellArgument(words: readonly Value[]): Value | undefined {
  const at = words.findIndex(
    ({ text }, index) => isShellName(text) && /^-\w{0,4}c$/.test(words[index + 1]?.text ?? ""),
  );
  return at === -1 ? undefined : words[at + 2];
}

const REACHES_OUT = /\b(?:curl|wget|base64|nc|ncat|socat|dig|nslookup|scp|eval)\b|\/dev\/tcp\//;
