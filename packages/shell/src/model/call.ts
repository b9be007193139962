import type { CodeLanguage, Destination, Effect, SecretKind, Source } from "./effect.ts";
import type { ShellFiles } from "./files.ts";
import { sourcesOf, UNKNOWN, unknown, type Value } from "./value.ts";

export class Call {
  /** Its base name: `/usr/bin/curl` is `curl`. */
  readonly program: string;
  readonly words: readonly Value[];
  readonly texts: readonly string[];
  /** Undefined where nothing is piped to it. */
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

  /** The content of a file; without one, or for `-`, what is piped in. */
  read(path: Value | undefined, shell: Shell): Value {
    return path === undefined || path.text === "-" ? (this.input ?? UNKNOWN) : shell.readFile(path);
  }

  /** Data of which only the origin is known: what the arguments and the input come from. */
  get passedOn(): Value {
    return unknown(sourcesOf(this.input === undefined ? this.words : [...this.words, this.input]));
  }
}

const MAX_DETAIL_CHARACTERS = 200;

/** Does what a program does; returns what it prints. */
export type Program = (call: Call, shell: Shell) => Value;

/** A program that prints nothing. */
export type QuietProgram = (call: Call, shell: Shell) => void;

export interface Shell {
  readonly files: ShellFiles;
  /** The user's, whatever the script sets `HOME` to. */
  readonly home: string;
  /** Names that stand for other commands: aliases, and copies of programs. */
  readonly aliases: ReadonlyMap<string, string>;
  effect(effect: Effect): void;
  flow(sources: readonly Source[], destination: Destination): void;
  /** Hands a text on to the client; flows to it are recorded where it is not the script's own. */
  runCode(language: CodeLanguage, code: Value, by: string): void;
  runText(text: Value, by: string, input?: Value): Value;
  runWords(words: readonly Value[], input: Value | undefined): Value;
  /** Runs what is known of a file's content; `by` is the program that does so. */
  runFile(path: Value, by: string, language?: CodeLanguage): Value;
  /** The same for a script that is run by its path, which the client is told of. */
  runScript(path: Value, by: string, language?: CodeLanguage): Value;
  /** Tells the client of a file that is run or looked for, whatever is known of its content. */
  noteFile(kind: FileAccess["kind"], path: Value, by: string): void;
  /** `by` is `<` for a redirection; default the program that is running. */
  readFile(path: Value, by?: string): Value;
  /** The origin of what lies at a path, without reading it. */
  peek(path: string): readonly Source[];
  writeFile(path: Value, written: Value, options: { readonly append: boolean }): void;
  variable(name: string): Value | undefined;
  outsideValue(name: string): Value;
  setVariable(name: string, value: Value): void;
  unsetVariable(name: string): void;
  restoring(names: readonly string[], run: () => Value): Value;
  setArguments(values: readonly Value[]): void;
  setAlias(name: string, text: string): void;
  /** Runs something that changes folders and unsets variables for itself alone, in a folder if one is given. */
  inSubshell<Result>(run: () => Result, folder?: Value): Result;
  inDoubt<Result>(run: () => Result): Result;
  /** Runs a command of which it is not known whether anything starts it: only the harm that it would do is reported. */
  possibly<Result>(run: () => Result): Result;
}

/** Where something stands: a line of the file, the words, and how they were decoded. */
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
  /** A module is a file that would be run if it is there. */
  readonly kind: "read" | "run" | "module";
  /** As written; from `directory` on where it is relative. */
  readonly path: Value;
  readonly by: string;
  readonly directory: string;
  /** Whether no condition stands before it. */
  readonly isCertain: boolean;
}

/** The client of a machine: it is told what a script does, in the order in which that would happen; all is optional. */
export interface EffectSink {
  effect?(effect: Effect, spot: Spot): void;
  /** Data reaches a destination; `steps` are the commands that it came through. */
  flow?(sources: readonly Source[], destination: Destination, steps: readonly string[], spot: Spot): void;
  /** A text in another language; where its lines are the file's, `firstLine` says where it begins. */
  code?(language: CodeLanguage, text: string, spot: Spot, firstLine: number | undefined): void;
  /** A file gets new content. The client reports the effect, and what it means that this file changes. */
  write?(path: string, written: Value, options: { readonly append: boolean }, shell: Shell, spot: Spot): void;
  unread?(reason: string): void;
  /** A program is started by these words; not called for what only may be started. */
  started?(words: readonly Value[]): void;
  /** A file is read or run; not called for what only may be. */
  file?(access: FileAccess): void;
  /** Which secret a path leads to: its content carries that mark from then on. */
  secretAt?(path: string): SecretKind | undefined;
  /** Which secret an environment variable holds, by its name. */
  secretIn?(variable: string): SecretKind | undefined;
}
