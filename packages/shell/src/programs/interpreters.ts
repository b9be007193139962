import type { Call, Program, QuietProgram, Shell } from "../model/call.ts";
import type { Source } from "../model/effect.ts";
import { concatenate, EMPTY, foreignSources, known, UNKNOWN, unknown, type Value } from "../model/value.ts";
import { type Column, type Interprets, words } from "../table/program-row.ts";
import { findRow } from "../table/programs.ts";
import { optionValue, type SplitCall, splitCall, splitOptions } from "../table/split-options.ts";
import { decodePowershellArgument } from "./decode-text.ts";
import { noteUnknownWay } from "./unknown-way.ts";

const posixShell: Program = ({ program, words, texts, input }, shell) => {
  if (TOOL_ARGUMENT.test(texts[0] ?? "")) return toolCall(words, program, shell);
  if (onlyChecks(texts, splitOptions(words, 0, SHELL).next)) return EMPTY;
  const at = texts.findIndex((text) => /^-[a-z]*c$/i.test(text) || text === "--command");
  const operand = texts.findIndex((text, index) => !/^[-+]/.test(text) && !isOptionValue(texts[index - 1]));
  if (at !== -1 && (operand === -1 || at < operand)) {
    const text = words[texts.findIndex((word, index) => index > at && !word.startsWith("-"))];
    // `sh -c "$0 $1" curl …` takes its text from the words that follow.
    shell.setArguments(words.slice(at + 3));
    return text === undefined ? EMPTY : shell.inSubshell(() => shell.runText(text, program, input));
  }
  const path = texts.slice(0, operand).some((text) => /^-[a-z]*s$/.test(text)) ? undefined : words[operand];
  if (path !== undefined && !STANDARD_INPUT.test(path.text)) return shell.runScript(path, program);
  if (input === undefined) return path === undefined ? INTERACTIVE : EMPTY;
  const peer = path === undefined ? input.sources.find(isSocket) : undefined;
  if (peer !== undefined)
    shell.effect({ type: "remote-shell", host: peer.host ?? "*", how: `${program} reads a connection` });
  const printed = shell.inSubshell(() => shell.runText(input, program));
  return path !== undefined || input.isKnown ? printed : { ...printed, isShell: true };
};

const STANDARD_INPUT = /^(?:-|\/dev\/(?:stdin|fd\/0))$/;

// Bash reads `-norc` as one word; `-i`, `+n` and `-o exec` undo `-n`: it counts only with plain letters.
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
function toolCall(words: readonly Value[], program: string, shell: Shell): Value {
  const command = words.find(({ text }) => text.startsWith("command:"));
  if (command === undefined) return EMPTY;
  return shell.runText({ ...command, text: command.text.slice("command:".length) }, program);
}

const TOOL_ARGUMENT = /^(?:pty|workdir|cwd|background|timeout|elevated|yieldMs|command):/;

function isOptionValue(before: string | undefined): boolean {
  return /^(?:[-+][A-Za-z]*[oO]|--rcfile|--init-file)$/.test(before ?? "");
}

function isSocket(source: Source): source is Extract<Source, { type: "network" }> {
  return source.type === "network" && /^(?:tcp|udp|ssl):/.test(source.url ?? "");
}

/** Prints the answers to what is typed into it. */
const INTERACTIVE: Value = { ...UNKNOWN, isShell: true };

export function interpret(row: Interprets, call: Call, shell: Shell): Value {
  const { program, words, input } = call;
  const given = splitCall(words, row);
  const code = codeOf(words, given, row);
  if (code !== undefined) {
    noteOneLiner(code.text, program, shell);
    if (row.language !== undefined) shell.runCode(row.language, code, program);
    const has = (names: RegExp): boolean => given.options.some(({ name }) => names.test(name));
    // `perl -ne print file`; with `-i` it edits the file.
    if (row.language === "code" && (has(/^-[np]$/) || READS_INPUT.test(code.text)) && !has(/^-i$/))
      for (const word of words.slice(given.next)) shell.noteFile("read", word, "<");
    if (input !== undefined && runsItsInput(code.text))
      shell.flow(foreignSources(input), { type: "execute", how: "interpreter", by: program });
    return call.passedOn;
  }
  if (given.options.some(({ name }) => row.checks?.has(name))) return call.passedOn;
  if (row.needsSubcommand && !given.hasSubcommand) return EMPTY;
  return shell.inSubshell(() => runGiven(row, given, call, shell), optionValue(given.options, row.directory));
}

function runGiven(row: Interprets, given: SplitCall, call: Call, shell: Shell): Value {
  const { program, input } = call;
  const { language } = row;
  const rest = call.words.slice(given.next);
  for (const { name, value } of given.options)
    if (value !== undefined && row.loads?.has(name) && namesFile(value))
      shell.runScript(value, program, language);
  const module =
    language === "python" || program === "coverage" ? optionValue(given.options, MODULE) : undefined;
  if (module !== undefined) {
    runModule(module, rest, program, shell);
    noteUnknownWay(call, shell);
    return call.passedOn;
  }
  const script = optionValue(given.options, row.script) ?? rest[0];
  if (script === undefined || STANDARD_INPUT.test(script.text)) {
    if (input === undefined) return INTERACTIVE;
    shell.runCode(language ?? "code", input, program);
    return unknown(input.sources);
  }
  if (row.subcommands === undefined || namesFile(script)) {
    if (!/^https?:\/\//.test(script.text)) return shell.runScript(script, program, language);
    // `deno run https://…` fetches the script.
    const fetched = shell.runWords([known("curl"), script], undefined);
    shell.flow(fetched.sources, { type: "execute", how: "interpreter", by: program });
    return UNKNOWN;
  }
  if (given.hasSubcommand) noteProjectScripts(program, shell);
  else if (OTHER_VERBS.test(script.text)) return EMPTY;
  return shell.runFile(script, program, language);
}

const OTHER_VERBS = /^(?:install|add|test|pm|create|task|fmt|lint|check)$/;

// `-c CODE`, `-pe CODE`, `-cCODE`, `--eval=CODE`, `deno eval CODE`.
function codeOf(
  words: readonly Value[],
  { options, next }: SplitCall,
  { code, codeVerb }: Interprets,
): Value | undefined {
  const isVerb = codeVerb?.test(words[next]?.text ?? "") ?? false;
  const at = isVerb ? next : words.slice(0, next).findIndex(({ text }) => code?.test(text));
  if (at !== -1) return words[at + 1] ?? UNKNOWN;
  return options.find(({ name, value }) => value !== undefined && code?.test(name))?.value;
}

/** Whether a word is a file to a program that also accepts other names: a path, or a script's name. */
export function namesFile({ text }: Value): boolean {
  return /[/\\]/.test(text) || SCRIPT_NAME.test(text);
}

const SCRIPT_NAME = /\.(?:py|pyw|sh|bash|zsh|[cm]?js|[cm]?ts|[jt]sx|rb|pl|php|lua|r|jl|ps1|jar|bat|cmd)$/i;

/** `npm run build`: which of the project's scripts runs, and what it does, is unknown. */
export function noteProjectScripts(program: string, shell: Shell): void {
  shell.inDoubt(() => shell.noteFile("run", known("package.json"), program));
}

/** `python -m module`: searched for in the working directory and in `PYTHONPATH`. */
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
// These are installed on most machines, wherever the script is.
const TOOL_MODULES: ReadonlySet<string> = words(
  "ast base64 black build compileall coverage doctest ensurepip flake8 http idlelib isort json mypy pip pipx poetry " +
    "pydoc pylint pytest py_compile ruff site sqlite3 tarfile timeit tokenize twine unittest uv venv virtualenv zipfile",
);

/** `perl -e 'eval <>'`, `python -c 'exec(sys.stdin.read())'`: code that only runs its piped input. */
function runsItsInput(code: string): boolean {
  const head = code.slice(0, 4_096);
  if (!READS_INPUT.test(head) || /json/i.test(head)) return false;
  return /\b(?:exec|eval|instance_eval|Function|loadstring)\b|\bload\(\s{0,5}io\.|\bsystem\b[\s(]{0,5}(?:<|\$_|STDIN|gets|sys\.stdin)/.test(
    head,
  );
}

const READS_INPUT =
  /<>|<STDIN>|\bSTDIN\b|\bstdin\b|\bgets\b|\$_\b|readFileSync\(\s{0,5}(?:0|["']\/dev\/stdin)|php:\/\/stdin|\bopen\(0\)|\bio\.read/;

/** Reports the well-known one-line shells over a socket, in any language. */
function noteOneLiner(code: string, by: string, shell: Shell): void {
  const head = code.slice(0, 8_192);
  if (!/socket|tcp|fsockopen|net\.connect|createConnection|IO::Socket/i.test(head)) return;
  if (!OBEYS.test(head) && !(NAMES_SHELL.test(head) && BINDS.test(head))) return;
  const host = /["'(]((?:\d{1,3}\.){3}\d{1,3}|[\w-]{1,60}(?:\.[\w-]{1,60}){1,6})["'/]/.exec(head)?.[1] ?? "*";
  shell.effect({ type: "remote-shell", host, how: `${by} one-liner` });
}

// Runs each line that arrives over a connection, without a separate shell.
const OBEYS = /(?:\.gets|readline|recv\()[\s\S]{0,120}(?:popen|system|exec|check_output|`|Open3)/i;
const NAMES_SHELL = /\/bin\/(?:ba|z|da)?sh|\bpty\b|cmd(?:\.exe)?["']|powershell|["'](?:ba|z)?sh["']/i;
const BINDS =
  /dup2|fdopen|pty\.spawn|STDIN|stdin|\.pipe\(|exec\s*\(?["'][^"']{0,40}<&|proc_open|popen|<&\d|\.fileno|exec\(/;

const powershell: Program = ({ program, words, texts, input }, shell) => {
  const isUnasked = texts.some(
    (text, index) => /^-e(?:x|p)/i.test(text) && /^(?:bypass|unrestricted)$/i.test(texts[index + 1] ?? ""),
  );
  if (isUnasked)
    shell.effect({ type: "disable-protection", what: "approval", detail: "-ExecutionPolicy Bypass" });
  const at = texts.findIndex((text) => /^[-/]e(?:c|nc\w*|ncodedcommand)?$/i.test(text));
  if (at !== -1) {
    const decoded = decodePowershellArgument(words[at + 1] ?? UNKNOWN);
    shell.runCode("powershell", decoded, program);
    return unknown(decoded.sources);
  }
  const file = texts.findIndex((text) => /^[-/]f(?:ile)?$/i.test(text));
  if (file !== -1) return shell.runScript(words[file + 1] ?? UNKNOWN, program);
  const command = texts.findIndex((text) => /^[-/]c(?:ommand)?$/i.test(text));
  const operand = texts.findIndex(
    (text, index) => !text.startsWith("-") && !POWERSHELL_VALUED.test(texts[index - 1] ?? ""),
  );
  const start = command === -1 ? operand : command + 1;
  const code = start === -1 ? undefined : concatenate(words.slice(start), " ");
  return runCodeOrInput("powershell", code?.text === "-" ? undefined : code, { program, input }, shell);
};

const POWERSHELL_VALUED = /^-(?:e(?:x|p)\w*|w(?:in)?\w*|ver\w*|psconsolefile|configurationname)$/i;

function runCodeOrInput(
  language: "batch" | "powershell",
  code: Value | undefined,
  { program, input }: Pick<Call, "program" | "input">,
  shell: Shell,
): Value {
  const given = code ?? input;
  if (given === undefined) return INTERACTIVE;
  shell.runCode(language, given, program);
  return UNKNOWN;
}

const cmd: Program = (call, shell) => {
  const at = call.texts.findIndex((text) => /^\/[ck]$/i.test(text));
  const code = at === -1 ? undefined : concatenate(call.words.slice(at + 1), " ");
  return runCodeOrInput("batch", code, call, shell);
};

const osascript: Program = (call, shell) => {
  const codes = call.after(/^-e$/);
  const isScript = call.texts[0] === "-l" && /javascript/i.test(call.texts[1] ?? "");
  if (codes.length > 0)
    shell.runCode(isScript ? "javascript" : "code", concatenate(codes, "\n"), "osascript");
  else if (call.input !== undefined) shell.runCode("code", call.input, "osascript");
  for (const { text } of codes)
    for (const match of text.matchAll(/do shell script\s{1,20}"((?:[^"\\]|\\.){1,4000})"/g))
      shell.runText(known((match[1] ?? "").replace(/\\(.)/g, "$1")), "osascript");
  return UNKNOWN;
};

/** Opens a file with its default program: an installer runs. */
const open: QuietProgram = ({ program, words }, shell) => {
  for (const word of words) if (!/^[-/]\w+$/.test(word.text)) shell.runFile(word, program);
};

const make: Program = ({ program, words, texts }, shell) => {
  const at = texts.findIndex((text) => /^(?:-f|--file|--makefile)$/.test(text));
  return at === -1 ? EMPTY : shell.runFile(words[at + 1] ?? UNKNOWN, program, "makefile");
};

/** `bun x tool` is `bunx tool`. */
const bun: Program = (call, shell) => {
  const { words, texts, input } = call;
  if (texts[0] === "x") return shell.runWords([known("bunx"), ...words.slice(1)], input);
  return interpret(findRow("bun")?.interprets ?? {}, call, shell);
};

export const INTERPRETING: Column<Program | QuietProgram> = {
  "sh bash zsh dash ash ksh mksh fish csh tcsh rbash": posixShell,
  bun,
  "powershell pwsh": powershell,
  cmd,
  osascript,
  "make gmake": make,
  "open xdg-open installer dpkg rpm hdiutil wine insmod kextload start-process saps dotnet": open,
};
