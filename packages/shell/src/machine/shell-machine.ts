import type { ParsedScript } from "unbash";
import type { EffectSink, FileAccess, Shell } from "../model/call.ts";
import type { CodeLanguage, Destination, Effect, Source } from "../model/effect.ts";
import { nameOf, plainPath, ShellFiles } from "../model/files.ts";
import {
  EMPTY,
  foreignSources,
  known,
  MAX_VALUE_CHARACTERS,
  mergeSources,
  UNKNOWN,
  unknown,
  type Value,
} from "../model/value.ts";
import { guardShellText, parseShell } from "../syntax/parse-shell.ts";
import { words } from "../table/program-row.ts";
import type { Expander } from "./expand-parameter.ts";
import { type Frame, innerFrame, type Origin, outerFrame, spotAt } from "./frame.ts";
import { NodeRunner } from "./node-runner.ts";
import { runWords } from "./run-words.ts";
import { Variables } from "./variables.ts";

/** Texts in texts in texts: `sh -c "sh -c …"`, functions that call themselves. */
const MAX_DEPTH = 24;
/** Loops and functions are run again for each word and call; this many steps are enough for any honest script. */
const MAX_STEPS = 50_000;
/** Characters of all words, variables and inner scripts together: `a=$a$a` and `eval $a` cost what they are long. */
const MAX_SPENT_CHARACTERS = 16 * 1024 * 1024;
/** Parsing a character costs more than copying it. */
const PARSED_WEIGHT = 4;

/** What is known of the world around a script; by default only that there is a home. */
export interface Surroundings {
  readonly home?: string;
  readonly directory?: string;
  readonly variables?: ReadonlyMap<string, string>;
}

/** Runs a script without doing anything: follows data from command to command and records what would happen. */
export class ShellMachine implements Shell, Expander {
  readonly home: string;
  readonly variables: Variables;
  readonly aliases: Map<string, string> = new Map();
  readonly files: ShellFiles;
  /** Descriptors that are network connections, by number. */
  readonly sockets: Map<number, string> = new Map();
  /** What can be read from other descriptors that a script keeps open. */
  readonly streams: Map<number, Value> = new Map();
  readonly #origin: Origin;
  readonly #sink: EffectSink;
  readonly #origins = new WeakMap<Source, string>();
  readonly #nodes: NodeRunner;
  readonly #running = new Set<string>();
  #frame: Frame;
  #span: { readonly pos: number; readonly end: number } = { pos: 0, end: 0 };
  #depth = 0;
  #steps = 0;
  #spentCharacters = 0;
  /** More than zero where what happens may also not happen. */
  #doubt = 0;
  /** More than zero in loops: what is set in one round is still possible after the next. */
  #loops = 0;
  /** More than zero in arguments of a program that may start them. */
  #possible = 0;
  /** More than zero in subshells, whose variables are their own. */
  #subshells = 0;
  #isBackground = false;
  /** The program that is running. */
  #program = "";

  constructor(origin: Origin, sink: EffectSink, surroundings: Surroundings = {}) {
    const { home = "~", directory = "", variables = new Map() } = surroundings;
    this.home = home;
    this.#origin = origin;
    this.#sink = sink;
    this.variables = new Variables(home, variables);
    this.files = new ShellFiles(directory);
    this.#frame = outerFrame(origin, "");
    this.#nodes = new NodeRunner(this);
  }

  /** Takes a text as what positions point into. */
  enter(text: string): void {
    this.#frame = outerFrame(this.#origin, text);
  }

  /** Runs the parsed text that was entered. */
  run(script: ParsedScript): void {
    this.#nodes.statements(script.commands, undefined);
  }

  /** Runs one part of the text by itself; `line` counts from the start of the text. */
  runPart(text: string, line: number): void {
    const { chain, keepsLines, firstLine } = this.#origin;
    const frame = innerFrame(text, firstLine, chain, keepsLines ? firstLine + line : undefined);
    this.#inFrame(frame, () => this.#nodes.statements(parseShell(text).commands, undefined));
  }

  /** Runs the functions that nothing has called yet. */
  finish(): void {
    this.#nodes.leftFunctions();
  }

  effect(effect: Effect): void {
    // What may happen is reported where it would do harm; a subcommand that is called `get` fetches nothing.
    if (this.#possible > 0 && EVERYDAY.has(effect.type)) return;
    this.#sink.effect?.(effect, this.#spot());
  }

  unread(reason: string): void {
    this.#sink.unread?.(reason);
  }

  flow(sources: readonly Source[], destination: Destination): void {
    if (sources.length === 0) return;
    const here = this.#step();
    const steps = sources.flatMap((source) => this.#origins.get(source) ?? []);
    this.#sink.flow?.(
      sources,
      destination,
      [...new Set(steps)].filter((step) => step !== here),
      this.#spot(),
    );
  }

  runCode(language: CodeLanguage, code: Value, by: string): void {
    this.#flowToExecution(code, language === "shell" ? "shell" : "interpreter", by);
    if (!isWorthReading(code) || !this.mayGoOn()) return;
    this.spend(code.text.length * PARSED_WEIGHT);
    const firstLine = this.#origin.keepsLines ? code.firstLine : undefined;
    this.#sink.code?.(language, code.text, { ...this.#spot(), chain: this.#chainOf(code) }, firstLine);
  }

  runText(text: Value, by: string): Value {
    this.#flowToExecution(text, by === "eval" || by === "source" ? "eval" : "shell", by);
    if (!isWorthReading(text)) return unknown(text.sources);
    if (this.#depth >= MAX_DEPTH) {
      this.#sink.unread?.(`shells in shells more than ${MAX_DEPTH} deep`);
      return UNKNOWN;
    }
    if (!this.mayGoOn()) return UNKNOWN;
    this.spend(text.text.length * PARSED_WEIGHT);
    // A script that starts itself again.
    if (this.#running.has(text.text)) return UNKNOWN;
    const guarded = guardShellText(text.text);
    if (guarded.unread !== undefined) this.#sink.unread?.(guarded.unread);
    const firstLine = this.#origin.keepsLines ? text.firstLine : undefined;
    const frame = innerFrame(guarded.text, this.#spot().line, this.#chainOf(text), firstLine);
    this.#running.add(text.text);
    try {
      return this.#inFrame(frame, () => this.#nodes.statements(parseShell(guarded.text).commands, undefined));
    } finally {
      this.#running.delete(text.text);
    }
  }

  runWords(words: readonly Value[], input: Value | undefined): Value {
    return this.runCommand(words, input, { isBackground: this.#isBackground });
  }

  /** The same where it is known whether the shell waits for it. */
  runCommand(
    words: readonly Value[],
    input: Value | undefined,
    { isBackground }: { readonly isBackground: boolean },
  ): Value {
    const wasBackground = this.#isBackground;
    if (this.#depth >= MAX_DEPTH || !this.mayGoOn()) {
      this.#sink.unread?.("a script does more than can be followed");
      return UNKNOWN;
    }
    for (const { text } of words) this.spend(text.length);
    if (input !== undefined) this.spend(input.text.length);
    this.#depth++;
    this.#isBackground = isBackground;
    try {
      const printed = runWords({ words, input, isBackground }, this, this.#nodes);
      for (const source of printed.sources)
        if (!this.#origins.has(source)) this.#origins.set(source, this.#step());
      return printed;
    } finally {
      this.#depth--;
      this.#isBackground = wasBackground;
    }
  }

  noteFile(kind: FileAccess["kind"], path: Value, by: string): void {
    if (this.#possible > 0) return;
    const { directory } = this.files;
    this.#sink.file?.({ kind, path, by, directory, isCertain: this.isCertain });
  }

  runScript(path: Value, by: string, language?: CodeLanguage): Value {
    this.noteFile("run", path, by);
    return this.runFile(path, by, language);
  }

  runFile(path: Value, by: string, language?: CodeLanguage): Value {
    const stream = path.content ?? this.#streamAt(path.text);
    const content = stream ?? this.files.get(path.text) ?? this.files.unpacked(path.text);
    if (content === undefined) return EMPTY;
    const how = stream === undefined ? "file" : "shell";
    const isShell = by === "source" || /^(?:ba|da|z|k|a|fi)?sh$/.test(by) || by === nameOf(path.text);
    if (isShell && isWorthReading(content)) return this.runText(content, by);
    if (language !== undefined && isWorthReading(content)) this.runCode(language, content, by);
    this.#flowToExecution(content, how, by);
    return unknown(content.sources);
  }

  readFile(path: Value, by: string = this.#program): Value {
    const plain = plainPath(path.text);
    this.noteFile("read", path, by);
    const written = path.content ?? this.#streamAt(plain) ?? this.files.get(plain);
    if (written !== undefined) return written;
    if (plain === "" || plain === "-" || plain.startsWith("/dev/")) return UNKNOWN;
    // `cd ~/.ssh && cat *`: only where a folder makes a secret of a plain name.
    const resolved = this.files.resolve(plain);
    const named = this.#sink.secretAt?.(resolved) === undefined ? plain : resolved;
    const secret = this.#sink.secretAt?.(named);
    this.effect({ type: "read", path: named });
    const source: Source =
      secret === undefined ? { type: "file", path: named } : { type: "secret", secret, name: named };
    return unknown(mergeSources([source], path.sources));
  }

  writeFile(path: Value, written: Value, { append }: { readonly append: boolean }): void {
    if (path.consume !== undefined) {
      path.consume(written);
      return;
    }
    const plain = plainPath(path.text);
    if (plain === "" || plain === "-" || /^\/dev\/(?:null|std|fd|tty)/.test(plain)) return;
    // What is only possible takes nothing away.
    this.files.set(plain, written, { append: append || this.#possible > 0 });
    this.#sink.write?.(plain, written, { append }, this);
  }

  unpack(folder: string, content: Value): void {
    if (content.sources.length > 0) this.files.unpack(folder, content);
  }

  setVariable(name: string, value: Value): void {
    this.spend(value.text.length);
    this.variables.set(name, [value], { isCertain: this.isCertain && this.#loops === 0 });
  }

  setList(name: string, values: readonly Value[]): void {
    this.variables.set(name, values, { isCertain: this.isCertain && this.#loops === 0 });
  }

  unsetVariable(name: string): void {
    if (this.isCertain && this.#subshells === 0) this.variables.unset(name);
  }

  variable(name: string): Value | undefined {
    if (name === "PWD" && this.files.directory !== "") return known(this.files.directory);
    return this.variables.get(name);
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

  list(name: string): readonly Value[] {
    return this.variables.list(name);
  }

  setAlias(name: string, text: string): void {
    if (this.aliases.size < 500) this.aliases.set(name, text);
  }

  alias(name: string): string | undefined {
    return this.aliases.get(name);
  }

  setDirectory(path: string, how?: "push" | "pop"): void {
    if (how === "pop") this.files.pop();
    else if (how === "push") this.files.push(path);
    else this.files.enter(path);
  }

  resolve(path: string): string {
    return this.files.resolve(path);
  }

  folderContent(): readonly Value[] {
    return this.files.below(this.files.directory);
  }

  inOwnFolder<Result>(run: () => Result, folder?: Value): Result {
    this.#subshells++;
    try {
      return this.files.keepPlace(() => {
        if (folder !== undefined) this.files.enter(folder.text);
        return run();
      });
    } finally {
      this.#subshells--;
    }
  }

  setArguments(values: readonly Value[]): void {
    this.variables.setArguments(values);
  }

  substitute(script: ParsedScript): Value {
    const { source } = script;
    const run = (): Value => this.#nodes.statements(script.commands, undefined);
    const span = this.#span;
    const frame =
      source === undefined ? this.#frame : innerFrame(source, this.#spot().line, this.#frame.chain);
    const printed = this.inOwnFolder(() => this.#inFrame(frame, run));
    this.#span = span;
    return printed;
  }

  streamOf(script: ParsedScript, operator: "<" | ">"): Value {
    if (operator === "<") return { ...unknown([], "/dev/fd/63"), content: this.substitute(script) };
    const frame = this.#frame;
    const consume = (written: Value): void => {
      this.#inFrame(frame, () => this.#nodes.statements(script.commands, written));
    };
    return { ...unknown([], "/dev/fd/63"), consume };
  }

  /** Runs something that stands there, so that what it records points at it. */
  within<Result>(span: { readonly pos: number; readonly end: number }, run: () => Result): Result {
    const before = this.#span;
    this.#span = span;
    try {
      return run();
    } finally {
      this.#span = before;
    }
  }

  get isCertain(): boolean {
    return this.#doubt === 0;
  }

  /** Says which program runs, and tells the client of it. */
  start<Result>(words: readonly Value[], program: string, run: () => Result): Result {
    const before = this.#program;
    this.#program = program;
    if (this.#possible === 0) this.#sink.started?.(words);
    try {
      return run();
    } finally {
      this.#program = before;
    }
  }

  inDoubt<Result>(run: () => Result): Result {
    this.#doubt++;
    try {
      return run();
    } finally {
      this.#doubt--;
    }
  }

  inLoop<Result>(run: () => Result): Result {
    this.#loops++;
    try {
      return run();
    } finally {
      this.#loops--;
    }
  }

  possibly<Result>(run: () => Result): Result {
    this.#possible++;
    try {
      return this.inDoubt(run);
    } finally {
      this.#possible--;
    }
  }

  /** Runs a function's body in the frame where it was written. */
  inFrameOf(frame: Frame, values: readonly Value[], run: () => Value): Value {
    return this.variables.withArguments(values, () => this.#inFrame(frame, run));
  }

  /** Counts a statement; false when the script has had its share, so that loops in loops end as well. */
  mayGoOn(): boolean {
    this.#steps++;
    if (this.#steps < MAX_STEPS && this.#spentCharacters < MAX_SPENT_CHARACTERS) return true;
    this.#sink.unread?.("a script does more than can be followed");
    return false;
  }

  spend(characters: number): void {
    this.#spentCharacters += characters;
  }

  get frame(): Frame {
    return this.#frame;
  }

  /** Where in the file a position of the running text is; undefined where its lines are not the file's. */
  lineOf(offset: number): number | undefined {
    return this.#origin.keepsLines ? this.#frame.lineOf(offset) : undefined;
  }

  #inFrame(frame: Frame, run: () => Value): Value {
    const before = this.#frame;
    const span = this.#span;
    if (this.#depth >= MAX_DEPTH) {
      this.#sink.unread?.("a script is nested deeper than can be followed");
      return UNKNOWN;
    }
    this.#depth++;
    this.#frame = frame;
    try {
      return run();
    } finally {
      this.#frame = before;
      this.#span = span;
      this.#depth--;
    }
  }

  #streamAt(path: string): Value | undefined {
    const number = /^\/(?:dev|proc\/self)\/fd\/(\d{1,4})$/.exec(path)?.[1];
    return number === undefined ? undefined : this.streams.get(Number(number));
  }

  #spot(): ReturnType<typeof spotAt> {
    return spotAt(this.#frame, this.#span.pos, this.#span.end);
  }

  #step(): string {
    const { line, snippet } = this.#spot();
    return `line ${line}: ${snippet.slice(0, 120)}`;
  }

  #flowToExecution(code: Value, how: Extract<Destination, { type: "execute" }>["how"], by: string): void {
    const sources = foreignSources(code);
    this.flow(sources, { type: "execute", how, by });
    // The part that was cut off after the padding would run as well.
    if (!code.isKnown && code.text.length >= MAX_VALUE_CHARACTERS)
      this.#sink.unread?.("a text that is run is longer than can be followed");
  }

  // A plain text has no chain; a decoded one carries how it was decoded.
  #chainOf(code: Value): Frame["chain"] {
    const decoded = code.sources.filter((source) => source.type === "decoded");
    if (decoded.length === 0) return this.#frame.chain;
    const { line } = this.#spot();
    return [...this.#frame.chain, ...decoded.map(({ encoding }) => ({ how: encoding, line }))];
  }
}

// A text that is nothing but unknown parts says nothing.
function isWorthReading(code: Value): boolean {
  return code.isKnown ? code.text.trim() !== "" : /[^*\s]{3}/.test(code.text);
}

const EVERYDAY: ReadonlySet<Effect["type"]> = new Set<Effect["type"]>([
  "run",
  "read",
  "write",
  "environment",
  "fetch",
  "send",
  "install-package",
]);

const SYSTEM_VARIABLES: ReadonlySet<string> = words("USER LOGNAME HOSTNAME USERNAME COMPUTERNAME OSTYPE");
