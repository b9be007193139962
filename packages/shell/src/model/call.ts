import type { CodeLanguage, Destination, Effect, SecretKind, Source } from "./effect.ts";
import type { ShellFiles } from "./files.ts";
import { sourcesOf, UNKNOWN, unknown, type Value } from "./value.ts";

export class Call {
  /** Its base name: `/usr/bin/curl` is `curl`. */
  readonly program: string;
  readonly words: readonly Value[];
  readonly texts: readonly string[];
  /** Undefined if nothing is piped to it. */
  readonly input: Value | undefined;
  readonly isBackground: boolean;

  constructor(
    program: string,
    words: readonly Value[],
    input: Value | undefined,
    { isBackground }: { readonly isBackground: boolean },
  ) {
    this.program = program;
    this.words = words;
    this.texts = words.map(({ text }) => text);
    this.input = input;
    this.isBackground = isBackground;
  }

  get joined(): string {
    return this.texts.join(" ");
  }

  get detail(): string {
    return `${this.program} ${this.joined}`.trim().slice(0, MAX_DETAIL_CHARACTERS);
  }

  get operands(): readonly Value[] {
    return this.words.filter(({ text }) => !text.startsWith("-"));
  }

  has(pattern: RegExp): boolean {
    return this.texts.some((text) => pattern.test(text));
  }

  after(pattern: RegExp): readonly Value[] {
    return this.words.filter((_word, index) => pattern.test(this.texts[index - 1] ?? ""));
  }

  from(at: number): Call {
    return new Call(this.program, this.words.slice(at), this.input, this);
  }

  /** The content of a file; without a file, or for `-`, the piped input. */
  read(path: Value | undefined, shell: Shell): Value {
    return path === undefined || path.text === "-" ? (this.input ?? UNKNOWN) : shell.readFile(path);
  }

  /** Data of unknown content with the sources of the arguments and the input. */
  get passedOn(): Value {
    return unknown(sourcesOf(this.input === undefined ? this.words : [...this.words, this.input]));
  }
}

const MAX_DETAIL_CHARACTERS = 200;

/** Simulates a program; returns its output. */
export type Program = (call: Call, shell: Shell) => Value;

export type QuietProgram = (call: Call, shell: Shell) => void;

export interface Shell {
  readonly files: ShellFiles;
  /** The user's real home, whatever the script sets `HOME` to. */
  readonly home: string;
  /** Other names for commands: aliases, and copies of programs. */
  readonly aliases: ReadonlyMap<string, string>;
  effect(effect: Effect): void;
  flow(sources: readonly Source[], destination: Destination): void;
  /** Passes code on to the client; records a flow if it is not the script's own text. */
  runCode(language: CodeLanguage, code: Value, by: string): void;
  runText(text: Value, by: string, input?: Value): Value;
  runWords(words: readonly Value[], input: Value | undefined): Value;
  /** Runs a file's content, as far as it is known; `by` is the program that runs it. */
  runFile(path: Value, by: string, language?: CodeLanguage): Value;
  /** The same for a script that is run by its path; the client is notified. */
  runScript(path: Value, by: string, language?: CodeLanguage): Value;
  /** Notifies the client of a file that is run or looked for, whether or not its content is known. */
  noteFile(kind: FileAccess["kind"], path: Value, by: string): void;
  /** `by` is `<` for a redirection; default: the running program. */
  readFile(path: Value, by?: string): Value;
  /** The sources of the content at a path, without reading it. */
  peek(path: string): readonly Source[];
  writeFile(path: Value, written: Value, options: { readonly append: boolean }): void;
  variable(name: string): Value | undefined;
  outsideValue(name: string): Value;
  setVariable(name: string, value: Value): void;
  unsetVariable(name: string): void;
  restoring(names: readonly string[], run: () => Value): Value;
  setArguments(values: readonly Value[]): void;
  setAlias(name: string, text: string): void;
  /** Isolates changes to the folder and to variables, in a folder if one is given. */
  inSubshell<Result>(run: () => Result, folder?: Value): Result;
  inDoubt<Result>(run: () => Result): Result;
  /** Runs a command that may never be started: only the harm that it would do is reported. */
  possibly<Result>(run: () => Result): Result;
}

/** A place in the file: the line, the words, and how they were decoded. */
export interface Spot {
  readonly line: number;
  readonly snippet: string;
  readonly chain: readonly Derivation[];
}

/** One step by which a text was decoded from another, such as `base64 at line 35`. */
export interface Derivation {
  readonly how: string;
  readonly line: number;
}

/** A file that a command names for a program to read or to run. */
export interface FileAccess {
  /** A module is a file that would be run if it exists. */
  readonly kind: "read" | "run" | "module";
  /** As written; relative to `directory` unless absolute. */
  readonly path: Value;
  readonly by: string;
  readonly directory: string;
  /** Whether the access happens unconditionally. */
  readonly isCertain: boolean;
}

/** The client of a machine, which is told what a script does, in the order of execution. */
export interface EffectSink {
  effect?(effect: Effect, spot: Spot): void;
  /** Data reaches a destination; `steps` are the commands that it passed through. */
  flow?(sources: readonly Source[], destination: Destination, steps: readonly string[], spot: Spot): void;
  /** A text in another language; if its lines are the file's, `firstLine` says where it begins. */
  code?(language: CodeLanguage, text: string, spot: Spot, firstLine: number | undefined): void;
  /** A file gets new content. The client reports the effect, and what it means that this file changes. */
  write?(path: string, written: Value, options: { readonly append: boolean }, shell: Shell, spot: Spot): void;
  unread?(reason: string): void;
  /** A program is started with these words; not called if it only may be started. */
  started?(words: readonly Value[]): void;
  /** A file is read or run; not called if it only may be. */
  file?(access: FileAccess): void;
  /** Which secret a path leads to; its content is marked with it. */
  secretAt?(path: string): SecretKind | undefined;
  /** Which secret an environment variable contains, by its name. */
  secretIn?(variable: string): SecretKind | undefined;
}
