import type { ParsedScript } from "unbash";
import type { Act } from "../../fact/act.ts";
import type { DataSource } from "../../fact/data-source.ts";
import type { Sink } from "../../fact/sink.ts";
import type { Language } from "../../file/file-kind.ts";
import { classifyPath } from "../../secret/classify-path.ts";
import type { SourceText } from "../../text/source-text.ts";
import type { Expander } from "./expand-parameter.ts";
import { type Frame, innerFrame, outerFrame, spotAt } from "./frame.ts";
import { guardShellText } from "./guard-shell-text.ts";
import { NodeRunner } from "./node-runner.ts";
import { noteRead, noteWrite } from "./note-file.ts";
import { parseShell } from "./parse-shell.ts";
import { Recorder } from "./recorder.ts";
import { runWords } from "./run-words.ts";
import type { Shell } from "./shell-call.ts";
import { nameOf, plainPath, ShellFiles } from "./shell-files.ts";
import { EMPTY, MAX_VALUE_CHARACTERS, mergeSources, UNKNOWN, unknown, type Value } from "./value.ts";
import { outsideValue, Variables } from "./variables.ts";

/** Texts in texts in texts: `sh -c "sh -c …"`, functions that call themselves. */
const MAX_DEPTH = 24;
/** Loops and functions are run again for each word and call; this many steps are enough for any honest script. */
const MAX_STEPS = 50_000;
/** Characters of all words, variables and inner scripts together: `a=$a$a` and `eval $a` cost what they are long. */
const MAX_SPENT_CHARACTERS = 16 * 1024 * 1024;
/** Parsing a character costs more than copying it. */
const PARSED_WEIGHT = 4;

/** Runs a script without doing anything: follows data from command to command and records what would happen. */
export class ShellMachine implements Shell, Expander {
  readonly recorder: Recorder;
  readonly variables: Variables = new Variables();
  readonly aliases: Map<string, string> = new Map();
  readonly files: ShellFiles = new ShellFiles();
  /** Descriptors that are network connections, by number. */
  readonly sockets: Map<number, string> = new Map();
  /** What can be read from other descriptors that a script keeps open. */
  readonly streams: Map<number, Value> = new Map();
  readonly #source: SourceText;
  readonly #origins = new WeakMap<DataSource, string>();
  readonly #nodes: NodeRunner;
  readonly #running = new Set<string>();
  #frame: Frame;
  #span: { readonly pos: number; readonly end: number } = { pos: 0, end: 0 };
  #depth = 0;
  #steps = 0;
  #spentCharacters = 0;
  /** More than zero where what happens may also not happen. */
  #doubt = 0;
  #isBackground = false;

  constructor(source: SourceText) {
    this.#source = source;
    this.recorder = new Recorder(source);
    this.#frame = outerFrame(source, source.text);
    this.#nodes = new NodeRunner(this);
  }

  /** Runs the whole text, which may have been guarded or blanked in places. */
  run(script: ParsedScript, text: string): void {
    this.enter(text);
    this.#nodes.statements(script.commands, undefined);
  }

  /** Takes a text as what positions point into, for dialects that are not parsed here. */
  enter(text: string): void {
    this.#frame = outerFrame(this.#source, text);
  }

  /** Runs one line of the text for itself. */
  runPart(text: string, line: number): void {
    const { chain, keepsLines, firstLine } = this.#source;
    const frame = innerFrame(text, firstLine, chain, keepsLines ? line : undefined);
    this.#inFrame(frame, () => this.#nodes.statements(parseShell(text).commands, undefined));
  }

  /** Runs the functions that nobody called. */
  finish(): void {
    this.#nodes.leftFunctions();
  }

  act(act: Act): void {
    this.recorder.act(act, this.#spot());
  }

  flow(sources: readonly DataSource[], sink: Sink): void {
    if (sources.length === 0) return;
    const here = this.#step();
    const steps = sources.flatMap((source) => this.#origins.get(source) ?? []);
    this.recorder.flow(
      sources,
      sink,
      [...new Set(steps)].filter((step) => step !== here),
      this.#spot(),
    );
  }

  runCode(language: Language, code: Value, by: string): void {
    this.#flowToExecution(code, language === "shell" ? "shell" : "interpreter", by);
    if (!isWorthReading(code) || !this.mayGoOn()) return;
    this.spend(code.text.length * PARSED_WEIGHT);
    const spot = this.#spot();
    const chain = this.#chainOf(code);
    if (code.firstLine === undefined || !this.#source.keepsLines)
      this.recorder.text(language, code.text, { ...spot, chain });
    else
      this.recorder.part({
        ...this.#source,
        text: code.text,
        language,
        firstLine: code.firstLine,
        keepsLines: true,
        chain,
      });
  }

  runText(text: Value, by: string): Value {
    this.#flowToExecution(text, by === "eval" || by === "source" ? "eval" : "shell", by);
    if (!isWorthReading(text)) return unknown(text.sources);
    if (this.#depth >= MAX_DEPTH) {
      this.recorder.unread(`shells in shells more than ${MAX_DEPTH} deep`);
      return UNKNOWN;
    }
    if (!this.mayGoOn()) return UNKNOWN;
    this.spend(text.text.length * PARSED_WEIGHT);
    // A script that starts itself again.
    if (this.#running.has(text.text)) return UNKNOWN;
    const guarded = guardShellText(text.text);
    if (guarded.unread !== undefined) this.recorder.unread(guarded.unread);
    const firstLine = this.#source.keepsLines ? text.firstLine : undefined;
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
      this.recorder.unread("a script does more than can be followed");
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

  runFile(path: Value, by: string, language?: Language): Value {
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

  readFile(path: Value): Value {
    const plain = plainPath(path.text);
    const written = path.content ?? this.#streamAt(plain) ?? this.files.get(plain);
    if (written !== undefined) return written;
    if (plain === "" || plain === "-" || plain.startsWith("/dev/")) return UNKNOWN;
    // `cd ~/.ssh && cat *`: only where a folder makes a secret of a plain name.
    const resolved = this.files.resolve(plain);
    const source = noteRead(classifyPath(resolved) === undefined ? plain : resolved, this);
    return unknown(mergeSources([source], path.sources));
  }

  writeFile(path: Value, written: Value, { append }: { readonly append: boolean }): void {
    if (path.consume !== undefined) {
      path.consume(written);
      return;
    }
    const plain = plainPath(path.text);
    if (plain === "" || plain === "-" || /^\/dev\/(?:null|std|fd|tty)/.test(plain)) return;
    this.files.set(plain, written, { append });
    noteWrite({ path: plain, written, append }, this);
  }

  unpack(folder: string, content: Value): void {
    if (content.sources.length > 0) this.files.unpack(folder, content);
  }

  setVariable(name: string, value: Value): void {
    this.spend(value.text.length);
    this.variables.set(name, [value], { isCertain: this.#doubt === 0 });
  }

  setList(name: string, values: readonly Value[]): void {
    this.variables.set(name, values, { isCertain: this.#doubt === 0 });
  }

  variable(name: string): Value | undefined {
    return this.variables.get(name);
  }

  environment(name: string): Value {
    if (/^[A-Z][A-Z0-9_]{2,}$/.test(name)) this.act({ type: "environment", name });
    return outsideValue(name);
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

  setDirectory(path: string): void {
    this.files.enter(path);
  }

  resolve(path: string): string {
    return this.files.resolve(path);
  }

  folderContent(): readonly Value[] {
    return this.files.below(this.files.directory);
  }

  /** Runs something that may change folders for itself alone. */
  inOwnFolder<Result>(run: () => Result): Result {
    const { directory } = this.files;
    try {
      return run();
    } finally {
      this.files.leaveTo(directory);
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

  /** Runs something that may not happen. */
  inDoubt<Result>(run: () => Result): Result {
    this.#doubt++;
    try {
      return run();
    } finally {
      this.#doubt--;
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
    this.recorder.unread("a script does more than can be followed");
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
    return this.#source.keepsLines ? this.#frame.lineOf(offset) : undefined;
  }

  #inFrame(frame: Frame, run: () => Value): Value {
    const before = this.#frame;
    const span = this.#span;
    if (this.#depth >= MAX_DEPTH) {
      this.recorder.unread("a script is nested deeper than can be followed");
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

  #flowToExecution(code: Value, how: Extract<Sink, { type: "execute" }>["how"], by: string): void {
    const sources = code.sources.filter(({ type }) => type === "network" || type === "decoded");
    this.flow(sources, { type: "execute", how, by });
    // What was cut off behind the padding would be run as well.
    if (!code.isKnown && code.text.length >= MAX_VALUE_CHARACTERS)
      this.recorder.unread("a text that is run is longer than can be followed");
  }

  // What stands there plainly is no decoding; a decoded text carries how it was won.
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
