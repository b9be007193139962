import type { ParsedScript } from "unbash";
import type { EffectSink, FileAccess, Shell, Spot } from "../model/call.ts";
import type { CodeLanguage, Destination, Effect, Source } from "../model/effect.ts";
import { nameOf, plainPath, ShellFiles } from "../model/files.ts";
import {
  concatenate,
  EMPTY,
  foreignSources,
  known,
  MARK,
  MAX_VALUE_CHARACTERS,
  mergeSources,
  UNKNOWN,
  unknown,
  type Value,
} from "../model/value.ts";
import { guardShellText, parseShell } from "../syntax/parse-shell.ts";
import { words } from "../table/program-row.ts";
import { createFrame, type Frame, type Origin, spotAt } from "./frame.ts";
import { NodeRunner } from "./node-runner.ts";
import { runWords } from "./run-words.ts";
import { Variables } from "./variables.ts";

/** Nesting of texts in texts: `sh -c "sh -c …"`, functions that call themselves. */
const MAX_DEPTH = 24;
/** Loops and functions run again for each word and call; this many steps are enough for any honest script. */
const MAX_STEPS = 50_000;
/** Characters of all words, variables and inner scripts: `a=$a$a` and `eval $a` cost their length. */
const MAX_SPENT_CHARACTERS = 16 * 1024 * 1024;
/** Parsing a character costs more than copying it. */
const PARSED_WEIGHT = 4;
const MAX_ALIASES = 500;

/** What is known about the world around a script; by default only that there is a home. */
export interface Surroundings {
  readonly home?: string;
  readonly directory?: string;
  readonly variables?: ReadonlyMap<string, string>;
  /** The script's standard input. */
  readonly input?: Value | undefined;
}

interface Span {
  readonly pos: number;
  readonly end: number;
}

/** How and where a part of a script runs; applies to everything inside it, unless overridden. */
interface Scope {
  readonly frame: Frame;
  readonly span: Span;
  readonly depth: number;
  /** Whether the part runs unconditionally. */
  readonly isCertain: boolean;
  /** In a loop, a value that is set in one round is still possible in the next. */
  readonly isLoop: boolean;
  /** Whether the part is in the arguments of a program that may start them. */
  readonly isPossible: boolean;
  readonly isBackground: boolean;
  readonly program: string;
}

/** Simulates a script: follows data from command to command and records what would happen. */
export class ShellMachine implements Shell {
  readonly home: string;
  readonly aliases: Map<string, string> = new Map();
  readonly files: ShellFiles;
  /** Descriptors that are network connections, by number. */
  readonly sockets: Map<number, string> = new Map();
  /** The contents of other descriptors that a script keeps open. */
  readonly streams: Map<number, Value> = new Map();
  readonly #variables: Variables;
  readonly #origin: Origin;
  readonly #sink: EffectSink;
  readonly #origins = new WeakMap<Source, string>();
  readonly #nodes: NodeRunner;
  readonly #running = new Set<string>();
  readonly #input: Value | undefined;
  #scope: Scope;
  #steps = 0;
  #spentCharacters = 0;
  /** The sources of the parts of a command that a program marked as unknown. */
  marked: readonly Source[] = [];
  /** How often data was seen to leave the machine. */
  sendings = 0;

  constructor(origin: Origin, sink: EffectSink, surroundings: Surroundings = {}) {
    const { home = "~", directory = "", variables = new Map() } = surroundings;
    this.home = home;
    this.#input = surroundings.input;
    this.#origin = origin;
    this.#sink = sink;
    this.#variables = new Variables(home, variables);
    this.files = new ShellFiles(directory);
    this.#nodes = new NodeRunner(this);
    this.#scope = {
      frame: this.#frameFrom("", 0),
      span: { pos: 0, end: 0 },
      depth: 0,
      isCertain: true,
      isLoop: false,
      isPossible: false,
      isBackground: false,
      program: "",
    };
  }

  /** Sets the text that positions refer to. */
  enter(text: string): void {
    this.#scope = { ...this.#scope, frame: this.#frameFrom(text, 0) };
  }

  run(script: ParsedScript): void {
    this.#nodes.statements(script.commands, undefined);
  }

  /** Runs one part of the text by itself; `line` counts from the start of the text. */
  runPart(text: string, line: number): void {
    this.#inFrame(this.#frameFrom(text, line), () =>
      this.#nodes.statements(parseShell(text).commands, undefined),
    );
  }

  /** Runs the functions that were never called. */
  finish(): void {
    this.#nodes.leftFunctions();
  }

  effect(effect: Effect): void {
    // If a command only may run, only harm is reported; a subcommand called `get` fetches nothing.
    if (this.#scope.isPossible && EVERYDAY.has(effect.type)) return;
    this.#sink.effect?.(effect, this.#spot());
  }

  unread(reason: string): void {
    this.#sink.unread?.(reason);
  }

  flow(sources: readonly Source[], destination: Destination): void {
    if (sources.length === 0) return;
    if (destination.type === "network") this.sendings++;
    const here = this.#step();
    const steps = new Set(sources.flatMap((source) => this.#origins.get(source) ?? []));
    steps.delete(here);
    this.#sink.flow?.(sources, destination, [...steps], this.#spot());
  }

  runCode(language: CodeLanguage, code: Value, by: string): void {
    this.#flowToExecution(code, language === "shell" ? "shell" : "interpreter", by);
    if (!this.#isTold(code, by) || !this.mayGoOn()) return;
    this.spend(code.text.length * PARSED_WEIGHT);
    const spot = { ...this.#spot(), chain: this.#chainOf(code) };
    this.#sink.code?.(language, code.text, spot, this.#firstLineOf(code));
  }

  runText(text: Value, by: string, input?: Value): Value {
    this.#flowToExecution(text, by === "eval" || by === "source" ? "eval" : "shell", by);
    if (!this.#isTold(text, by)) return unknown(text.sources);
    if (this.#scope.depth >= MAX_DEPTH) {
      this.unread(`shells nested more than ${MAX_DEPTH} deep`);
      return UNKNOWN;
    }
    if (!this.mayGoOn()) return UNKNOWN;
    this.spend(text.text.length * PARSED_WEIGHT);
    // A script that runs itself again.
    if (this.#running.has(text.text)) return UNKNOWN;
    // The unknown parts come from its sources.
    const isTold = !text.isKnown && text.sources.length > 0;
    const guarded = guardShellText(isTold ? text.text.replaceAll("*", MARK) : text.text);
    if (guarded.unread !== undefined) this.unread(guarded.unread);
    const { marked } = this;
    if (isTold) this.marked = text.sources;
    const place = { line: this.#spot().line, firstLine: this.#firstLineOf(text) };
    const frame = createFrame(guarded.text, this.#chainOf(text), place);
    this.#running.add(text.text);
    try {
      return this.#inFrame(frame, () => this.#nodes.statements(parseShell(guarded.text).commands, input));
    } finally {
      this.marked = marked;
      this.#running.delete(text.text);
    }
  }

  runWords(
    words: readonly Value[],
    piped: Value | undefined,
    { isBackground }: { readonly isBackground: boolean } = this.#scope,
  ): Value {
    const input = piped ?? this.#input;
    const depth = this.#scope.depth + 1;
    if (depth > MAX_DEPTH || !this.mayGoOn()) {
      this.unread("a script is too long or complex to follow completely");
      return UNKNOWN;
    }
    for (const { text } of words) this.spend(text.length);
    if (input !== undefined) this.spend(input.text.length);
    return this.#scoped({ ...this.#scope, depth, isBackground }, () => {
      const printed = runWords(words, input, { machine: this, nodes: this.#nodes, isBackground });
      for (const source of printed.sources)
        if (!this.#origins.has(source)) this.#origins.set(source, this.#step());
      return printed;
    });
  }

  noteFile(kind: FileAccess["kind"], path: Value, by: string): void {
    const { isPossible, isCertain } = this.#scope;
    if (!isPossible) this.#sink.file?.({ kind, path, by, directory: this.files.directory, isCertain });
  }

  runScript(path: Value, by: string, language?: CodeLanguage): Value {
    this.noteFile("run", path, by);
    return this.runFile(path, by, language);
  }

  runFile(path: Value, by: string, language?: CodeLanguage): Value {
    const stream = path.content ?? this.#streamAt(path.text);
    const content = stream ?? this.files.get(path.text) ?? this.files.unpacked(path.text);
    if (content === undefined) {
      this.flow([{ type: "file", path: this.files.resolve(path.text) }], {
        type: "execute",
        how: "file",
        by,
      });
      return EMPTY;
    }
    const how = stream === undefined ? "file" : "shell";
    const isShell = by === "source" || /^(?:ba|da|z|k|a|fi)?sh$/.test(by) || by === nameOf(path.text);
    if (isShell && isWorthReading(content)) return this.runText(content, by);
    if (language !== undefined && isWorthReading(content)) this.runCode(language, content, by);
    this.#flowToExecution(content, how, by);
    return unknown(content.sources);
  }

  readFile(path: Value, by: string = this.#scope.program): Value {
    const plain = plainPath(path.text);
    this.noteFile("read", path, by);
    const written = path.content ?? this.#streamAt(plain) ?? this.files.get(plain);
    if (written !== undefined) return written;
    if (plain === "" || plain === "-" || plain.startsWith("/dev/")) return UNKNOWN;
    const source = this.#sourceAt(plain);
    this.effect({ type: "read", path: source.type === "secret" ? source.name : source.path });
    return unknown(mergeSources([source], path.sources));
  }

  peek(path: string): readonly Source[] {
    const plain = plainPath(path.replace(/^\$HOME(?=\/|$)/, this.home).replace(/\/\*+$/, ""));
    const written = this.files.get(plain) ?? concatenate(this.files.below(plain));
    if (written !== EMPTY) return written.sources;
    // Any word may be a file name; for the script's own folder, only files that the script wrote count.
    const source = this.#sourceAt(plain);
    return source.type === "secret" && !source.name.startsWith(plain) ? [] : [source];
  }

  #sourceAt(plain: string): Extract<Source, { type: "file" | "secret" }> {
    const path = this.files.resolve(plain);
    const secret = this.#sink.secretAt?.(path) ?? this.#sink.secretAt?.(plain);
    return secret === undefined ? { type: "file", path } : { type: "secret", secret, name: path };
  }

  writeFile(path: Value, written: Value, { append }: { readonly append: boolean }): void {
    if (path.consume !== undefined) {
      path.consume(written);
      return;
    }
    const plain = plainPath(path.text);
    if (plain === "" || plain === "-" || /^\/dev\/(?:null|std|fd|tty)/.test(plain)) return;
    // A write that is only possible removes nothing.
    this.files.set(plain, written, { append: append || this.#scope.isPossible });
    this.#sink.write?.(plain, written, { append }, this, this.#spot());
  }

  variable(name: string): Value | undefined {
    if (name === "PWD" && this.files.directory !== "") return known(this.files.directory);
    return this.#variables.get(name);
  }

  literal(text: string): Value {
    if (!text.includes(MARK)) return known(text);
    // In a path, the marked part is a name like any other.
    return unknown(this.marked, text.replaceAll(MARK, /^[~/.]./.test(text) ? "_" : "*"));
  }

  list(name: string): readonly Value[] {
    return this.#variables.list(name);
  }

  parameter(name: string): Value {
    return this.variable(name) ?? this.environment(name);
  }

  environment(name: string): Value {
    if (/^[A-Z][A-Z0-9_]{2,}$/.test(name)) this.effect({ type: "environment", name });
    return this.outsideValue(name);
  }

  outsideValue(name: string): Value {
    if (SYSTEM_VARIABLES.has(name)) return unknown([{ type: "system" }]);
    const secret = this.#sink.secretIn?.(name);
    return secret === undefined ? UNKNOWN : unknown([{ type: "secret", secret, name }]);
  }

  setVariable(name: string, value: Value): void {
    this.spend(value.text.length);
    this.setList(name, [value]);
  }

  setList(name: string, values: readonly Value[]): void {
    this.#variables.set(name, values, { isCertain: this.isCertain && !this.#scope.isLoop });
  }

  unsetVariable(name: string): void {
    if (this.isCertain) this.#variables.unset(name);
  }

  restoring(names: readonly string[], run: () => Value, options?: { readonly mayStay: boolean }): Value {
    return this.#variables.restoring(names, run, options);
  }

  setArguments(values: readonly Value[]): void {
    this.#variables.setArguments(values);
  }

  setAlias(name: string, text: string): void {
    if (this.aliases.size < MAX_ALIASES) this.aliases.set(name, text);
  }

  inSubshell<Result>(run: () => Result, folder?: Value, options = { mayStay: false }): Result {
    return this.files.keepPlace(() => {
      if (folder !== undefined) this.files.enter(folder.text);
      return this.#variables.inSubshell(run, options);
    });
  }

  substitute(script: ParsedScript): Value {
    const { frame } = this.#scope;
    const inner = script.source === undefined ? frame : createFrame(script.source, frame.chain, this.#spot());
    return this.inSubshell(() =>
      this.#inFrame(inner, () => this.#nodes.statements(script.commands, undefined)),
    );
  }

  /** The path that replaces a process substitution. */
  streamOf(script: ParsedScript, operator: "<" | ">"): Value {
    if (operator === "<") return { ...unknown([], "/dev/fd/63"), content: this.substitute(script) };
    const { frame } = this.#scope;
    const consume = (written: Value): void => {
      this.#inFrame(frame, () => this.#nodes.statements(script.commands, written));
    };
    return { ...unknown([], "/dev/fd/63"), consume };
  }

  /** Runs something, and attributes what it records to the span. */
  within<Result>(span: Span, run: () => Result): Result {
    return this.#scoped({ ...this.#scope, span }, run);
  }

  get isCertain(): boolean {
    return this.#scope.isCertain;
  }

  start<Result>(words: readonly Value[], program: string, run: () => Result): Result {
    if (!this.#scope.isPossible) this.#sink.started?.(words);
    return this.#scoped({ ...this.#scope, program }, run);
  }

  inDoubt<Result>(run: () => Result): Result {
    return this.#scoped({ ...this.#scope, isCertain: false }, run);
  }

  inLoop<Result>(run: () => Result): Result {
    return this.#scoped({ ...this.#scope, isLoop: true }, run);
  }

  possibly<Result>(run: () => Result): Result {
    return this.#scoped({ ...this.#scope, isPossible: true, isCertain: false }, run);
  }

  inFrameOf(frame: Frame, values: readonly Value[], run: () => Value): Value {
    return this.#variables.withArguments(values, () => this.#inFrame(frame, run));
  }

  /** Counts a statement; false if the script has used up its share, so that nested loops end as well. */
  mayGoOn(): boolean {
    this.#steps++;
    if (this.#steps < MAX_STEPS && this.#spentCharacters < MAX_SPENT_CHARACTERS) return true;
    this.unread("a script is too long or complex to follow completely");
    return false;
  }

  /** Charges the script for characters that were joined. */
  spend(characters: number): void {
    this.#spentCharacters += characters;
  }

  get frame(): Frame {
    return this.#scope.frame;
  }

  /** The file's line at an offset of the running text; undefined if its lines are not the file's. */
  lineOf(offset: number): number | undefined {
    return this.#origin.keepsLines ? this.#scope.frame.lineOf(offset) : undefined;
  }

  #scoped<Result>(scope: Scope, run: () => Result): Result {
    const before = this.#scope;
    this.#scope = scope;
    try {
      return run();
    } finally {
      this.#scope = before;
    }
  }

  /** The frame of a part of the file that begins this many lines after its start. */
  #frameFrom(text: string, line: number): Frame {
    const { chain, keepsLines, firstLine } = this.#origin;
    return createFrame(text, chain, keepsLines ? { line, firstLine: firstLine + line } : { line: firstLine });
  }

  #inFrame(frame: Frame, run: () => Value): Value {
    const depth = this.#scope.depth + 1;
    if (depth <= MAX_DEPTH) return this.#scoped({ ...this.#scope, frame, depth }, run);
    this.unread("a script is nested deeper than can be followed");
    return UNKNOWN;
  }

  #streamAt(path: string): Value | undefined {
    const number = /^\/(?:dev|proc\/self)\/fd\/(\d{1,4})$/.exec(path)?.[1];
    return number === undefined ? undefined : this.streams.get(Number(number));
  }

  #spot(): Spot {
    const { frame, span } = this.#scope;
    return spotAt(frame, span.pos, span.end);
  }

  #step(): string {
    const { line, snippet } = this.#spot();
    return `line ${line}: ${snippet.slice(0, 120)}`;
  }

  #firstLineOf({ firstLine }: Value): number | undefined {
    return this.#origin.keepsLines ? firstLine : undefined;
  }

  #flowToExecution(code: Value, how: Extract<Destination, { type: "execute" }>["how"], by: string): void {
    this.flow(foreignSources(code), { type: "execute", how, by });
    // `bash <(cat file)`, `eval "$(cat file)"`, `sh < file`: the commands are in a file.
    if (!code.isKnown && /(?:^|[\n;|&({])\s*\*/.test(code.text))
      for (const source of code.sources)
        if (source.type === "file") this.noteFile("run", known(source.path), by);
    // The part beyond the maximum length, for example after padding, would run as well.
    if (!code.isKnown && code.text.length >= MAX_VALUE_CHARACTERS)
      this.unread("a text that is run is longer than can be followed");
  }

  /** Whether an executed text can be read; reports a text that will be known only at run time. */
  #isTold(code: Value, by: string): boolean {
    if (isWorthReading(code)) return true;
    if (!code.isKnown && code.sources.every(({ type }) => type === "input"))
      this.effect({ type: "dynamic-code", by });
    return false;
  }

  // Plain text has no chain; decoded text carries how it was decoded.
  #chainOf(code: Value): Frame["chain"] {
    const { chain } = this.#scope.frame;
    const decoded = code.sources.filter((source) => source.type === "decoded");
    if (decoded.length === 0) return chain;
    const { line } = this.#spot();
    return [...chain, ...decoded.map(({ encoding }) => ({ how: encoding, line }))];
  }
}

// A text of nothing but unknown parts says nothing.
function isWorthReading(code: Value): boolean {
  return code.isKnown ? code.text.trim() !== "" : /[^*\s]{3}/.test(code.text);
}

const EVERYDAY: ReadonlySet<string> = words(
  "run read write environment fetch send install-package dynamic-code",
);

const SYSTEM_VARIABLES: ReadonlySet<string> = words("USER LOGNAME HOSTNAME USERNAME COMPUTERNAME OSTYPE");
