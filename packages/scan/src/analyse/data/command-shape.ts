import { crontabCommands, isKnownProgram } from "@skillet/shell";
import { findRow } from "@skillet/shell/programs";
import type { Language } from "../../file/file-kind.ts";
import { linesOf, type SourceText, type Stance } from "../../text/source-text.ts";
import { type Analysis, NOTHING } from "../fact-writer.ts";
import { decodeEntities } from "../markdown/decode-entities.ts";
import {
  type DataEntry,
  type DataNode,
  type DataScalar,
  DataWriter,
  entriesOf,
  scalarsOf,
  stringAt,
  walkData,
} from "./data-node.ts";

export function isCommandLine(text: string): boolean {
  const line = firstLine(text);
  const program = PROGRAM.exec(line)?.[1];
  if (program === undefined) return false;
  return (isKnownProgram(program) && /\s/.test(line.trim())) || OPERATOR.test(line);
}

// The command in a text that is one in any context: an interpreter with code, or programs in a pipe. The
// whole text if it begins as one, otherwise the part that fetches and runs.
function sureCommandIn(text: string): string | undefined {
  const line = firstLine(text);
  if (isInterpreter(INTERPRETED.exec(line)?.[1]) || PIPED.test(line)) return text;
  const piped = fetchedAndRun(line);
  return piped !== undefined && isKnownProgram(PROGRAM.exec(line)?.[1] ?? "") ? text : piped;
}

function isArgumentVector(words: readonly string[]): boolean {
  const [first, second] = words;
  if (first === undefined || second === undefined || /\s/.test(first.trim())) return false;
  const { interprets, starts, hazards } = findRow(first) ?? {};
  const isRunner = interprets !== undefined || starts !== undefined || hazards !== undefined;
  return isRunner && (second.startsWith("-") || second.startsWith("/"));
}

function isInterpreter(program: string = ""): boolean {
  return findRow(program)?.interprets !== undefined || /^(?:iex|invoke-expression)$/i.test(program);
}

function fetchedAndRun(line: string): string | undefined {
  let from = 0;
  for (let count = 0; count < MAX_FETCHERS; count++) {
    const at = line.slice(from).search(FETCHER);
    if (at === -1) return undefined;
    // Within a window and only for a few fetchers: every fetcher with all pipes after it would be quadratic.
    const window = line.slice(from + at, from + at + MAX_PIPE_CHARACTERS);
    for (const run of window.matchAll(PIPED_INTO))
      if (isInterpreter(run[1])) return window.slice(0, run.index + run[0].length);
    from += at + 4;
  }
  return undefined;
}

const MAX_FETCHERS = 10;
const MAX_PIPE_CHARACTERS = 600;
const MAX_LINE_CHARACTERS = 4_000;

function firstLine(text: string): string {
  const head = text.slice(0, MAX_LINE_CHARACTERS);
  for (const line of head.split("\n", MAX_LEADING_LINES)) {
    const plain = line.trim();
    if (plain !== "" && !plain.startsWith("#") && !/^(?:set -|echo )/.test(plain)) return plain;
  }
  return "";
}

const MAX_LEADING_LINES = 20;
const LEAD = "^[!@]?(?:(?:sudo|env|nohup|exec|command|time|eval)\\s{1,4}){0,3}(?:[\\w.~$/{}-]{0,80}/)?";
const PROGRAM = new RegExp(`${LEAD}([a-z][\\w.+-]{1,40})(?=\\s|$)`);
const OPERATOR = /\s--?[A-Za-z][\w-]*(?:[\s=]|$)|\s\|\s|&&|\|\||\s>{1,2}\s|\$\(/;
const FETCHER = /\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b/i;
const PIPED_INTO =
  /\|\s{0,4}(?:(?:sudo|env|nohup|exec)\s{1,4}){0,3}(?:[\w/]{0,40}\/)?([a-z][\w.-]{0,40})(?![\w.-])/gi;
const INTERPRETED = new RegExp(
  `${LEAD}([a-z][\\w.+-]{0,40})\\s{1,4}(?:-\\w{1,20}\\s{1,4}(?:\\w{1,20}\\s{1,4})?){0,4}(?:-[a-z]{0,4}[ce]|-enc\\w{0,12}|-command|--eval|/c|-r)\\s{1,4}\\S`,
  "i",
);
const PIPED = new RegExp(
  `${LEAD}(?:cat|tar|env|printenv|echo|printf|base64|openssl|dd|gzip|find|security|history)\\b[^\\n]{0,600}\\|\\s{0,4}(?:curl|nc|ncat|netcat|socat|(?:ba|z|da|k)?sh|python[\\d.]*|openssl)\\b|${LEAD}(?:curl|wget|nc|ncat)\\s{1,4}(?:-\\S|https?:|['"])`,
);

/**
 * Reads commands by their shape, for any program: under keys about running, whatever begins like a command;
 * under others, what cannot be anything else. Called after the known shapes, whose values it skips.
 */
export function readCommandShapes(writer: DataWriter, root: DataNode): void {
  const taken = new Set<DataScalar>();
  walkData(root, {
    node: (node, path) => {
      if (node.kind === "list")
        readVector(
          node.items.filter((item) => item.kind === "scalar"),
          path,
        );
      else readProgramMap(entriesOf(node), path);
    },
    scalar: (scalar, path) => {
      if (!scalar.isString || scalar.text.length < MIN_COMMAND_CHARACTERS || isTaken(scalar)) return;
      const isExpected =
        path.slice(-KEYS_LOOKED_AT).some((key) => COMMAND_KEY.test(key)) && !isGitAlias(scalar.text, path);
      const text = scalar.text.replace(/^\s{0,20}[!@](?=[\w/~$])/, "");
      if (sureCommandIn(text) === text || (isExpected && isCommandLine(text))) add(scalar, text, path);
    },
  });

  function isTaken(scalar: DataScalar): boolean {
    return taken.has(scalar) || writer.isHandedOn(scalar);
  }

  function readVector(words: readonly DataScalar[], path: readonly string[]): void {
    // Docker's form: the first word says that the rest is a command.
    const own = /^CMD(?:-SHELL)?$/.test(words[0]?.text ?? "") ? words.slice(1) : words;
    const [first] = own;
    if (first !== undefined && !isTaken(first) && takeVector(own)) add(first, commandOf(own), path);
  }

  function readProgramMap(entries: readonly DataEntry[], path: readonly string[]): void {
    const [program = [], rest = []] = [PROGRAM_KEY, ARGUMENTS_KEY].map((pattern) =>
      entries.filter(({ key }) => pattern.test(key)).flatMap(({ value }) => scalarsOf(value)),
    );
    const [first] = program;
    const all = [...program, ...rest];
    if (first === undefined || rest.length === 0 || !takeVector(all)) return;
    if (path.some((key) => /^(?:mcp[-_]?servers|context_servers)$/.test(key))) return;
    add(first, commandOf(all), path);
  }

  function takeVector(words: readonly DataScalar[]): boolean {
    const isVector = isArgumentVector(words.map(({ text }) => text));
    if (isVector) for (const word of words) taken.add(word);
    return isVector;
  }

  function add(scalar: DataScalar, text: string, path: readonly string[]): void {
    const command = commandText(text);
    writer.text(command.language, scalar, {
      stance: stanceOf(path),
      ...(command.text !== scalar.text && { text: command.text }),
    });
  }
}

// `amend = commit --amend` names a git subcommand; only `!` begins a separate command.
function isGitAlias(text: string, path: readonly string[]): boolean {
  const program = /^([a-z][\w-]*)(?:\s+[\w.=@^~:-]+)*$/.exec(text)?.[1];
  return path.at(-2) === "alias" && program !== undefined && !isKnownProgram(program);
}

function commandOf(words: readonly DataScalar[]): string {
  return shellCommand(words.map(({ text }) => text));
}

const MIN_COMMAND_CHARACTERS = 6;
/** The value's own key and up to two parent keys: `tasks.build.cmds`, `scripts.post-install`. */
const KEYS_LOOKED_AT = 3;
const COMMAND_KEY =
  /(?:commands?|cmds?|scripts?|hooks?|tasks?|exec|runs?|alias(?:es)?)$|^(?:runcmd|bootcmd|entry|entrypoint|argv|args|arguments|program|shell|inline|provisioners?|healthcheck|steps?|smudge|clean|textconv|fsmonitor|helper|pager|editor|(?:pre|post|before|after|on)[-_]?[a-z]{3,20})$|^execstart|^ansible\.builtin\.|^run[-_]|shellhook/;
const PROGRAM_KEY = /^(?:command|cmd|path|executable|program|runtimeExecutable|entrypoint|bin|shell)$/i;
const ARGUMENTS_KEY = /^(?:args|arguments|runtimeArgs|argv|parameters)$/i;

function stanceOf(path: readonly string[]): Stance {
  if (isForbiddenPath(path)) return "negated";
  return isSpecimenPath(path) ? "quoted" : "live";
}

/** One command line from a program and its arguments, quoted so that a shell takes each literally. */
export function shellCommand(words: readonly string[]): string {
  return words.map(quote).join(" ");
}

function quote(word: string): string {
  return /^[\w@%+=:,./~$*{}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Whether a value is a specimen instead of an instruction: what a detector looks for, what a test expects. */
export function isSpecimenPath(path: readonly string[]): boolean {
  return path.some((key) => SPECIMEN_KEY.test(key));
}

export function isForbiddenPath(path: readonly string[]): boolean {
  return path.some((key) => FORBIDDEN_KEY.test(key));
}

const SPECIMEN_KEY =
  /^(?:patterns?|regex|regexes|regexp|signatures?|indicators?|iocs?|payloads?|attacks?|attack_?examples?|malicious|detect|detections?|match|matches|keywords|blocklist|denylist|deny|forbidden|negative|positives?|negatives?|test_?cases?|evals?|fixtures?|expected|expected_?output|assertions?|expectations)$/;
const FORBIDDEN_KEY =
  /^(?:deny|denied|denylist|blocklist|blacklist|block|blocked|forbidden|disallow|disallowed|never|dangerous|dangerous_commands|ask)$/;

/**
 * Finds commands in files of build tools, job schedulers and services (Gradle, CMake, Terraform, Jenkins,
 * Maven, property lists, crontabs). Only what cannot be anything but a command counts.
 */
export function analyseEmbeddedCommands(source: SourceText): Analysis {
  const base = source.file.slice(source.file.lastIndexOf("/") + 1).toLowerCase();
  const isNamed = namedFormatCommand(base, "") !== undefined;
  const isSearched = SEARCHED.has(source.language) || /\.hta$/.test(base);
  if (!isNamed && !(isSearched && COMMAND_WORD.test(source.text))) return NOTHING;
  const writer = new DataWriter(source);
  for (const { start, end } of linesOf(source.text, 0))
    for (let at = start; at < end; at += MAX_SEARCHED_CHARACTERS) {
      const line = source.text.slice(at, Math.min(end, at + MAX_SEARCHED_CHARACTERS));
      const own = isNamed ? namedFormatCommand(base, line) : undefined;
      if (own !== undefined) add(writer, own, at);
      else if (isSearched) readLine(writer, line, at);
    }
  return writer.analysis;
}

const SEARCHED: ReadonlySet<SourceText["language"]> = new Set(["code", "xml", "csv"]);
const COMMAND_WORD =
  /\b(?:curl|wget|iwr|irm|invoke-|(?:ba|z|da|k)?sh\b|python|node|perl|ruby|php|powershell|pwsh|osascript|nc\b|ncat)/i;
const MAX_SEARCHED_CHARACTERS = 4_000;
const REMARK = /^\s{0,80}(?:#|\/\/|\/?\*|;|%|--|<!--|rem\s)/i;

function readLine(writer: DataWriter, line: string, start: number): void {
  if (!COMMAND_WORD.test(line)) return;
  const { language } = writer.source;
  if (language === "code" && REMARK.test(line)) return;
  let count = 0;
  for (const match of line.matchAll(QUOTED)) {
    const text = sureCommandIn(plain(match[1] ?? match[2] ?? match[3] ?? "", language));
    if (text === undefined) continue;
    add(writer, text, start + match.index);
    count++;
  }
  const piped = count === 0 ? fetchedAndRun(plain(line, language)) : undefined;
  if (piped !== undefined) add(writer, piped, start);
}

const QUOTED = /"((?:[^"\\]|\\.|""){8,2000})"|'((?:[^'\\]|\\.){8,2000})'|>([^<>]{8,2000})</g;

function plain(text: string, language: SourceText["language"]): string {
  if (language === "xml") return decodeEntities(text);
  return text
    .replace(/\\(["'])/g, "$1")
    .replaceAll("\\n", "\n")
    .replaceAll('""', '"');
}

function add(writer: DataWriter, command: string, start: number): void {
  if (command.trim() === "") return;
  const { language, text } = commandText(command);
  writer.text(language, stringAt(text, start));
}

interface CommandText {
  readonly language: Extract<Language, "shell" | "powershell" | "batch">;
  readonly text: string;
}

function commandText(command: string): CommandText {
  const powershell = POWERSHELL.exec(command)?.[1];
  if (powershell !== undefined) return { language: "powershell", text: unquoted(powershell) };
  const batch = BATCH.exec(command)?.[1];
  if (batch !== undefined) return { language: "batch", text: unquoted(batch) };
  return { language: /\|\s{0,4}iex\b/i.test(command) ? "powershell" : "shell", text: command };
}

const POWERSHELL =
  /^\s{0,20}(?:[\w.:%\\/-]{0,120}[\\/])?(?:powershell|pwsh)(?:\.exe)?\s{1,8}(?:-(?:w|windowstyle|ep|ex|exec|executionpolicy|version)\s{1,8}\w{1,20}\s{1,8}|-(?:nop|noprofile|noni|noninteractive|nologo|sta|mta)\s{1,8}){0,8}(?:-(?:c|command)\s{1,8})?([^\s-][\s\S]{3,20000})$/i;
const BATCH =
  /^\s{0,20}(?:[\w.:%\\/-]{0,120}[\\/])?cmd(?:\.exe)?\s{1,8}(?:\/[a-bd-z]\s{1,8}){0,4}\/c\s{1,8}([\s\S]{3,20000})$/i;

function unquoted(text: string): string {
  return /^(["'])([\s\S]*)\1\s*$/.exec(text)?.[2] ?? text;
}

/** The command on a line of a file whose name says that its lines contain some, empty if this one has none; undefined for other files. */
function namedFormatCommand(base: string, line: string): string | undefined {
  const read = FORMATS.find(([name]) => name.test(base))?.[1];
  return read?.(line);
}

const FORMATS: readonly (readonly [RegExp, (line: string) => string])[] = [
  [/^crontab(?:\.txt)?$|\.(?:cron|crontab)$/, (line) => crontabCommands(line)[0] ?? ""],
  [/^procfile(?:\.[a-z]+)?$/, (line) => /^\s{0,8}[\w-]{1,60}:\s{0,20}(\S.*)$/.exec(line)?.[1] ?? ""],
  [
    /^(?:ssh_config|\.?ssh[-_.]config|[\w-]*\.ssh_config)$/,
    (line) =>
      /^\s{0,40}(?:proxycommand|localcommand|knownhostscommand|remotecommand|match\s{1,8}exec)[\s=]{1,8}(\S.*)$/i.exec(
        line,
      )?.[1] ?? "",
  ],
];
