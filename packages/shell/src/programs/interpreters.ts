import type { Call, Program, Shell } from "../model/call.ts";
import { named } from "../model/call.ts";
import type { CodeLanguage } from "../model/effect.ts";
import { concatenate, EMPTY, known, sourcesOf, UNKNOWN, unknown, type Value } from "../model/value.ts";
import type { Interprets } from "../table/program-row.ts";
import { decodePowershellArgument } from "./decode-text.ts";

const SHELLS = "sh bash zsh dash ash ksh mksh fish csh tcsh rbash".split(" ");

/** `sh`: a text after `-c`, a file, or standard input. */
const shell: Program = ({ program, words, texts, input }, machine) => {
  if (TOOL_ARGUMENT.test(texts[0] ?? "")) return toolCall(words, program, machine);
  const at = texts.findIndex((text) => /^-[a-z]*c$/i.test(text) || text === "--command");
  const operand = texts.findIndex((text, index) => !/^[-+]/.test(text) && !isOptionValue(texts[index - 1]));
  if (at !== -1 && (operand === -1 || at < operand)) {
    const text = words[texts.findIndex((word, index) => index > at && !word.startsWith("-"))];
    // `sh -c "$0 $1" curl …` has its text in the words that follow.
    machine.setArguments(words.slice(at + 3));
    return text === undefined ? EMPTY : machine.runText(text, program);
  }
  if (operand !== -1 && !texts.slice(0, operand).some((text) => /^-[a-z]*s$/.test(text))) {
    const path = words[operand] ?? UNKNOWN;
    if (path.text === "-" || /^\/dev\/(?:stdin|fd\/0)$/.test(path.text))
      return input === undefined ? EMPTY : machine.runText(input, program);
    return machine.runFile(path, program);
  }
  if (input === undefined) return INTERACTIVE;
  if (input.sources.some((source) => source.type === "network" && isSocket(source.url)))
    machine.effect({
      type: "remote-shell",
      host: hostOfSources(input),
      how: `${program} reads a connection`,
    });
  const printed = machine.runText(input, program);
  return input.isKnown ? printed : { ...printed, isShell: true };
};

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
export function interpret(
  language: CodeLanguage,
  { code: inline = NEVER, other = NEVER, codeVerb: verb = NEVER }: Interprets,
): Program {
  return ({ program, words: given, input }, machine) => {
    const words = language === "code" ? given.flatMap(unglued) : given;
    const texts = words.map(({ text }) => text);
    const isVerb = verb.test(texts[0] ?? "");
    const at = isVerb ? 0 : texts.findIndex((text) => inline.test(text));
    const file = texts.findIndex((text) => !text.startsWith("-"));
    if (at !== -1 && (file === -1 || at < file || isVerb)) {
      const code = words[at + 1] ?? UNKNOWN;
      noteOneLiner(code.text, program, machine);
      machine.runCode(language, code, program);
      noteInputRun(code.text, input, program, machine);
      return unknown(sourcesOf(input === undefined ? words : [...words, input]));
    }
    if (texts.some((text) => other.test(text))) return passThrough({ words, input });
    if (verb !== NEVER && SUBCOMMANDS.test(texts[0] ?? ""))
      return runSubcommand(words, program, language, machine);
    if (file !== -1 && texts[file] !== "-")
      return runScript(words[file] ?? UNKNOWN, program, language, machine);
    if (input === undefined) return INTERACTIVE;
    machine.runCode(language, input, program);
    return unknown(input.sources);
  };
}

const NEVER = /(?!)/;

/** `ruby -e'…'`: the text follows its option without a blank. */
function unglued(word: Value): readonly Value[] {
  return /^-e\w{0,60}[^\w-]/.test(word.text)
    ? [known("-e"), { ...word, text: word.text.slice("-e".length) }]
    : [word];
}

function noteInputRun(code: string, input: Value | undefined, by: string, machine: Shell): void {
  if (input === undefined || !runsItsInput(code)) return;
  const foreign = input.sources.filter(({ type }) => type === "network" || type === "decoded");
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

const SUBCOMMANDS = /^(?:run|install|add|test|x|pm|create|task|fmt|lint|check)$/;

// `deno run script`; the other subcommands do not start a file.
function runSubcommand(
  words: readonly Value[],
  program: string,
  language: CodeLanguage,
  machine: Shell,
): Value {
  if (program === "bun" && words[0]?.text === "x")
    return machine.runWords([known("bunx"), ...words.slice(1)], undefined);
  const script = words.find(({ text }, index) => index > 0 && !text.startsWith("-"));
  return words[0]?.text === "run" && script !== undefined
    ? runScript(script, program, language, machine)
    : EMPTY;
}

// A script that is not the script's own is fetched by some: `deno run https://…`.
function runScript(path: Value, program: string, language: CodeLanguage, machine: Shell): Value {
  if (/^https?:\/\//.test(path.text)) {
    const fetched = machine.runWords([known("curl"), path], undefined);
    machine.flow(fetched.sources, { type: "execute", how: "interpreter", by: program });
    return UNKNOWN;
  }
  return machine.runFile(path, program, language);
}

function passThrough({ words, input }: Pick<Call, "words" | "input">): Value {
  return unknown(sourcesOf(input === undefined ? words : [...words, input]));
}

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
  if (file !== -1) return machine.runFile(words[file + 1] ?? UNKNOWN, program);
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
  ...SHELLS.map((name) => [name, shell] as const),
  ["powershell", powershell],
  ["pwsh", powershell],
  ["cmd", cmd],
  ["osascript", osascript],
  ["make", make],
  ["gmake", make],
  ...named(
    "open xdg-open installer dpkg rpm hdiutil java wine insmod kextload start-process saps dotnet",
    open,
  ),
];
