import type { Call, Program, Shell } from "../model/call.ts";
import { named, passOn } from "../model/call.ts";
import { concatenate, EMPTY, foreignSources, known, UNKNOWN, unknown, type Value } from "../model/value.ts";
import { type Interprets, words } from "../table/program-row.ts";
import { findRow } from "../table/programs.ts";
import { type GivenOption, splitOptions } from "../table/split-options.ts";
import { decodePowershellArgument } from "./decode-text.ts";

/** `sh`: a text after `-c`, a file, or standard input. */
const shell: Program = ({ program, words, texts, input }, machine) => {
  if (TOOL_ARGUMENT.test(texts[0] ?? "")) return toolCall(words, program, machine);
  if (onlyChecks(texts, splitOptions(words, 0, SHELL).next)) return EMPTY;
  const at = texts.findIndex((text) => /^-[a-z]*c$/i.test(text) || text === "--command");
  const operand = texts.findIndex((text, index) => !/^[-+]/.test(text) && !isOptionValue(texts[index - 1]));
  if (at !== -1 && (operand === -1 || at < operand)) {
    const text = words[texts.findIndex((word, index) => index > at && !word.startsWith("-"))];
    // `sh -c "$0 $1" curl …` has its text in the words that follow.
    machine.setArguments(words.slice(at + 3));
    return text === undefined ? EMPTY : machine.inOwnFolder(() => machine.runText(text, program));
  }
  if (operand !== -1 && !texts.slice(0, operand).some((text) => /^-[a-z]*s$/.test(text))) {
    const path = words[operand] ?? UNKNOWN;
    if (path.text === "-" || /^\/dev\/(?:stdin|fd\/0)$/.test(path.text))
      return input === undefined ? EMPTY : runInput(input, program, machine);
    return machine.runScript(path, program);
  }
  if (input === undefined) return INTERACTIVE;
  if (input.sources.some((source) => source.type === "network" && isSocket(source.url)))
    machine.effect({
      type: "remote-shell",
      host: hostOfSources(input),
      how: `${program} reads a connection`,
    });
  const printed = runInput(input, program, machine);
  return input.isKnown ? printed : { ...printed, isShell: true };
};

function runInput(input: Value, program: string, machine: Shell): Value {
  noteFiles(input, program, machine);
  return machine.inOwnFolder(() => machine.runText(input, program));
}

/** `cat script | sh` and `sh < script` run a file as well. */
function noteFiles({ sources }: Value, program: string, machine: Shell): void {
  for (const source of sources)
    if (source.type === "file") machine.noteFile("run", known(source.path), program);
}

// Bash reads `-norc` as one word, and `-i`, `+n` and `-o exec` undo `-n`: only beside plain letters it is what it says.
function onlyChecks(texts: readonly string[], next: number): boolean {
  const options = texts.slice(0, next);
  const isCheck = (text: string): boolean => SHELL.checks?.has(text) ?? false;
  return (
    options.some(isCheck) &&
    options.every((text) => isCheck(text) || /^(?:-[aeuvx]+|--)$/.test(text)) &&
    !texts[next]?.startsWith("+")
  );
}

const SHELL: Interprets = findRow("sh")?.interprets ?? {};

/** `bash pty:true workdir:x command:"…"`: an agent's tool of that name, in the notation of its documents. */
function toolCall(words: readonly Value[], program: string, machine: Shell): Value {
  const command = words.find(({ text }) => text.startsWith("command:"));
  if (command === undefined) return EMPTY;
  return machine.runText({ ...command, text: command.text.slice("command:".length) }, program);
}

const TOOL_ARGUMENT = /^(?:pty|workdir|cwd|background|timeout|elevated|yieldMs|command):/;

function isOptionValue(before: string | undefined): boolean {
  return /^(?:[-+][A-Za-z]*[oO]|--rcfile|--init-file)$/.test(before ?? "");
}

function isSocket(url: string | undefined): boolean {
  return /^(?:tcp|udp|ssl):/.test(url ?? "");
}

function hostOfSources({ sources }: Value): string {
  for (const source of sources) if (source.type === "network") return source.host ?? "*";
  return "*";
}

/** Prints the answers to what is typed into it. */
const INTERACTIVE: Value = { ...UNKNOWN, isShell: true };

/** Runs the code, the script or the input that an interpreter is given, as its row in the table says. */
export function interpret(row: Interprets): Program {
  return (call, machine) => {
    const { program, words, input } = call;
    const given = readCall(words, row);
    const code = codeOf(words, given, row);
    if (code !== undefined) {
      noteOneLiner(code.text, program, machine);
      if (row.language !== undefined) machine.runCode(row.language, code, program);
      noteInputRun(code.text, input, program, machine);
      return passOn(call);
    }
    if (given.options.some(({ name }) => row.checks?.has(name))) return passOn(call);
    if (row.needsSubcommand && !given.hasSubcommand) return EMPTY;
    return machine.inOwnFolder(() => runGiven(row, given, call, machine), given.optionValue(row.directory));
  };
}

function runGiven(row: Interprets, given: InterpreterCall, call: Call, machine: Shell): Value {
  const { program, input } = call;
  const { language } = row;
  const rest = call.words.slice(given.next);
  for (const { name, value } of given.options)
    if (value !== undefined && row.loads?.has(name) && namesFile(value))
      machine.runScript(value, program, language);
  const module = language === "python" || program === "coverage" ? given.optionValue(MODULE) : undefined;
  if (module !== undefined) {
    runModule(module, rest, program, machine);
    return passOn(call);
  }
  const script = given.optionValue(row.script) ?? rest[0];
  if (script === undefined || /^(?:-|\/dev\/(?:stdin|fd\/0))$/.test(script.text)) {
    if (input === undefined) return INTERACTIVE;
    noteFiles(input, program, machine);
    if (language !== undefined) machine.runCode(language, input, program);
    return unknown(input.sources);
  }
  if (row.subcommands === undefined || namesFile(script)) return runScript(script, program, row, machine);
  if (given.hasSubcommand) noteProjectScripts(program, machine);
  else if (OTHER_VERBS.test(script.text)) return EMPTY;
  return machine.runFile(script, program, language);
}

const OTHER_VERBS = /^(?:install|add|test|pm|create|task|fmt|lint|check)$/;

interface InterpreterCall {
  readonly options: readonly GivenOption[];
  /** Where the script stands. */
  readonly next: number;
  readonly hasSubcommand: boolean;
  readonly optionValue: (names: ReadonlySet<string> | undefined) => Value | undefined;
}

function readCall(words: readonly Value[], row: Interprets): InterpreterCall {
  const before = splitOptions(words, 0, row);
  const hasSubcommand = row.subcommands?.has(words[before.next]?.text ?? "") ?? false;
  const after = hasSubcommand ? splitOptions(words, before.next + 1, row) : before;
  const options = hasSubcommand ? [...before.options, ...after.options] : before.options;
  const optionValue = (names: ReadonlySet<string> | undefined): Value | undefined =>
    options.find(({ name }) => names?.has(name))?.value;
  return { options, next: after.next, hasSubcommand, optionValue };
}

// `-c CODE`, `-pe CODE`, `-cCODE`, `--eval=CODE`, `deno eval CODE`.
function codeOf(
  words: readonly Value[],
  { options, next }: InterpreterCall,
  { code, codeVerb }: Interprets,
): Value | undefined {
  const isVerb = codeVerb?.test(words[next]?.text ?? "") ?? false;
  const at = isVerb ? next : words.slice(0, next).findIndex(({ text }) => code?.test(text));
  if (at !== -1) return words[at + 1] ?? UNKNOWN;
  return options.find(({ name, value }) => value !== undefined && code?.test(name))?.value;
}

/** Whether a word is a file to a program that takes names of other things as well: a path, or the name of a script. */
export function namesFile({ text }: Value): boolean {
  return /[/\\]/.test(text) || SCRIPT_NAME.test(text);
}

const SCRIPT_NAME = /\.(?:py|pyw|sh|bash|zsh|[cm]?js|[cm]?ts|[jt]sx|rb|pl|php|lua|r|jl|ps1|jar|bat|cmd)$/i;

/** `npm run build`: which of the project's scripts it is, and what that does, is not known. */
export function noteProjectScripts(program: string, shell: Shell): void {
  shell.inDoubt(() => shell.noteFile("run", known("package.json"), program));
}

/** `python -m module`: looked for in the working directory and in `PYTHONPATH`. */
export function runModule(module: Value, rest: readonly Value[], program: string, shell: Shell): void {
  const { text } = module;
  if (SCRIPT_MODULES.has(text)) {
    const file = rest.find(namesFile);
    if (file !== undefined) shell.runScript(file, program, "python");
    return;
  }
  if (!/^[\w.]+$/.test(text) || TOOL_MODULES.has(text.split(".")[0] ?? "")) return;
  const path = `${text.replaceAll(".", "/")}.py`;
  const folders = shell.variable("PYTHONPATH")?.text.split(":").slice(0, 8) ?? [];
  for (const folder of ["", ...folders.filter((name) => name !== "").map((name) => `${name}/`)])
    shell.noteFile("module", { ...module, text: folder + path }, program);
}

const MODULE: ReadonlySet<string> = new Set(["-m"]);
// These run the script that follows.
const SCRIPT_MODULES: ReadonlySet<string> = words("cProfile pdb profile runpy trace");
// Everybody has these, wherever they stand.
const TOOL_MODULES: ReadonlySet<string> = words(
  "ast base64 black build compileall coverage doctest ensurepip flake8 http idlelib isort json mypy pip pipx poetry " +
    "pydoc pylint pytest py_compile ruff site sqlite3 tarfile timeit tokenize twine unittest uv venv virtualenv zipfile",
);

function noteInputRun(code: string, input: Value | undefined, by: string, machine: Shell): void {
  if (input === undefined || !runsItsInput(code)) return;
  const foreign = foreignSources(input);
  machine.flow(foreign, { type: "execute", how: "interpreter", by });
}

/** `perl -e 'eval <>'`, `python -c 'exec(sys.stdin.read())'`: a line that only runs what is piped to it. */
function runsItsInput(code: string): boolean {
  const head = code.slice(0, 4_096);
  if (!READS_INPUT.test(head) || /json/i.test(head)) return false;
  return /\b(?:exec|eval|instance_eval|Function|loadstring)\b|\bload\(\s{0,5}io\.|\bsystem\b[\s(]{0,5}(?:<|\$_|STDIN|gets|sys\.stdin)/.test(
    head,
  );
}

const READS_INPUT =
  /<>|<STDIN>|\bSTDIN\b|\bstdin\b|\bgets\b|\$_\b|readFileSync\(\s{0,5}(?:0|["']\/dev\/stdin)|php:\/\/stdin|\bopen\(0\)|\bio\.read/;

// A script that is not the script's own is fetched by some: `deno run https://…`.
function runScript(path: Value, program: string, { language }: Interprets, machine: Shell): Value {
  if (/^https?:\/\//.test(path.text)) {
    const fetched = machine.runWords([known("curl"), path], undefined);
    machine.flow(fetched.sources, { type: "execute", how: "interpreter", by: program });
    return UNKNOWN;
  }
  return machine.runScript(path, program, language);
}

/** `bun x tool` is `bunx tool`. */
const bun: Program = (call, machine) => {
  const { words, texts, input } = call;
  if (texts[0] === "x") return machine.runWords([known("bunx"), ...words.slice(1)], input);
  return interpret(findRow("bun")?.interprets ?? {})(call, machine);
};

/** Reports the well-known one-line shells over a socket, whatever they are written in. */
function noteOneLiner(code: string, by: string, machine: Shell): void {
  const head = code.slice(0, 8_192);
  if (!/socket|tcp|fsockopen|net\.connect|createConnection|IO::Socket/i.test(head)) return;
  // What a connection says is run line by line, without a shell of its own.
  const obeys = /(?:\.gets|readline|recv\()[\s\S]{0,120}(?:popen|system|exec|check_output|`|Open3)/i.test(
    head,
  );
  if (!obeys && !/\/bin\/(?:ba|z|da)?sh|\bpty\b|cmd(?:\.exe)?["']|powershell|["'](?:ba|z)?sh["']/i.test(head))
    return;
  const binds =
    /dup2|fdopen|pty\.spawn|STDIN|stdin|\.pipe\(|exec\s*\(?["'][^"']{0,40}<&|proc_open|popen|<&\d|\.fileno|exec\(/;
  if (!obeys && !binds.test(head)) return;
  const host = /["'(]((?:\d{1,3}\.){3}\d{1,3}|[\w-]{1,60}(?:\.[\w-]{1,60}){1,6})["'/]/.exec(head)?.[1] ?? "*";
  machine.effect({ type: "remote-shell", host, how: `${by} one-liner` });
}

const powershell: Program = ({ program, words, texts, input }, machine) => {
  if (
    texts.some(
      (text, index) => /^-e(?:x|p)/i.test(text) && /^(?:bypass|unrestricted)$/i.test(texts[index + 1] ?? ""),
    )
  )
    machine.effect({ type: "disable-protection", what: "approval", detail: "-ExecutionPolicy Bypass" });
  const at = texts.findIndex((text) => /^[-/]e(?:c|nc\w*|ncodedcommand)?$/i.test(text));
  if (at !== -1) {
    const decoded = decodePowershellArgument(words[at + 1] ?? UNKNOWN);
    machine.runCode("powershell", decoded, program);
    return unknown(decoded.sources);
  }
  const file = texts.findIndex((text) => /^[-/]f(?:ile)?$/i.test(text));
  if (file !== -1) return machine.runScript(words[file + 1] ?? UNKNOWN, program);
  const command = texts.findIndex((text) => /^[-/]c(?:ommand)?$/i.test(text));
  const start =
    command === -1
      ? texts.findIndex((text, index) => !text.startsWith("-") && !isPowershellValue(texts[index - 1]))
      : command + 1;
  const code = start === -1 ? undefined : concatenate(words.slice(start), " ");
  if (code !== undefined && code.text !== "-") machine.runCode("powershell", code, program);
  else if (input !== undefined) machine.runCode("powershell", input, program);
  else return INTERACTIVE;
  return UNKNOWN;
};

function isPowershellValue(before: string | undefined): boolean {
  return /^-(?:e(?:x|p)\w*|w(?:in)?\w*|ver\w*|psconsolefile|configurationname)$/i.test(before ?? "");
}

const cmd: Program = ({ words, texts, input }, machine) => {
  const at = texts.findIndex((text) => /^\/[ck]$/i.test(text));
  if (at !== -1) machine.runCode("batch", concatenate(words.slice(at + 1), " "), "cmd");
  else if (input !== undefined) machine.runCode("batch", input, "cmd");
  else return INTERACTIVE;
  return UNKNOWN;
};

const osascript: Program = ({ words, texts, input }, machine) => {
  const codes = words.filter((_word, index) => texts[index - 1] === "-e");
  const isScript = /^-l$/.test(texts[0] ?? "") && /javascript/i.test(texts[1] ?? "");
  if (codes.length > 0)
    machine.runCode(isScript ? "javascript" : "code", concatenate(codes, "\n"), "osascript");
  else if (input !== undefined) machine.runCode("code", input, "osascript");
  for (const { text } of codes)
    for (const match of text.matchAll(/do shell script\s{1,20}"((?:[^"\\]|\\.){1,4000})"/g))
      machine.runText(known((match[1] ?? "").replace(/\\(.)/g, "$1")), "osascript");
  return UNKNOWN;
};

/** Opens a file with whatever it belongs to: an installer runs. */
const open: Program = ({ program, words }, machine) => {
  for (const word of words) if (!/^[-/]\w+$/.test(word.text)) machine.runFile(word, program);
  return EMPTY;
};

const make: Program = ({ program, words, texts }, machine) => {
  const at = texts.findIndex((text) => /^(?:-f|--file|--makefile)$/.test(text));
  return at === -1 ? EMPTY : machine.runFile(words[at + 1] ?? UNKNOWN, program, "makefile");
};

/** Programs that run text in a language, or a file, in a way of their own. */
export const INTERPRETING: readonly (readonly [string, Program])[] = [
  ...named("sh bash zsh dash ash ksh mksh fish csh tcsh rbash", shell),
  ["bun", bun],
  ["powershell", powershell],
  ["pwsh", powershell],
  ["cmd", cmd],
  ["osascript", osascript],
  ["make", make],
  ["gmake", make],
  ...named("open xdg-open installer dpkg rpm hdiutil wine insmod kextload start-process saps dotnet", open),
];
