import type { CodeLanguage, Destination, Effect, SecretKind, Source } from "./effect.ts";
import { sourcesOf, UNKNOWN, unknown, type Value } from "./value.ts";

/** One program as it is started. */
export interface Call {
  /** Its base name: `/usr/bin/curl` is `curl`. */
  readonly program: string;
  readonly words: readonly Value[];
  readonly texts: readonly string[];
  /** What it can read from standard input; undefined where nothing is piped to it. */
  readonly input: Value | undefined;
  /** Whether it goes on in the background. */
  readonly isBackground: boolean;
}

/** What a program does with the world; returns what it prints. */
export type Program = (call: Call, shell: Shell) => Value;

export function named(names: string, program: Program): readonly (readonly [name: string, Program])[] {
  return names.split(" ").map((name) => [name, program] as const);
}

/** What programs may ask of the shell that runs them. */
export interface Shell {
  effect(effect: Effect): void;
  flow(sources: readonly Source[], destination: Destination): void;
  /** Notes that a part could not be followed. */
  unread(reason: string): void;
  /** Hands a text on to the client; flows to it are recorded where it is not the script's own. */
  runCode(language: CodeLanguage, code: Value, by: string): void;
  /** Runs a text as shell commands in this very shell. */
  runText(text: Value, by: string): Value;
  /** Runs a program by its words; the first is its name. */
  runWords(words: readonly Value[], input: Value | undefined): Value;
  /** Runs what is known of a file's content; `by` is the program that does so. */
  runFile(path: Value, by: string, language?: CodeLanguage): Value;
  /** The same for a script that is run by its path, which the client is told of. */
  runScript(path: Value, by: string, language?: CodeLanguage): Value;
  /** Tells the client of a file that is run or looked for, whatever is known of its content. */
  noteFile(kind: FileAccess["kind"], path: Value, by: string): void;
  /** `by` is `<` for a redirection; default the program that is running. */
  readFile(path: Value, by?: string): Value;
  writeFile(path: Value, written: Value, options: { readonly append: boolean }): void;
  /** Notes that a folder, or the current one, now holds what came from there. */
  unpack(folder: string, content: Value): void;
  /** The user's, whatever the script sets `HOME` to. */
  readonly home: string;
  setVariable(name: string, value: Value): void;
  unsetVariable(name: string): void;
  variable(name: string): Value | undefined;
  /** What a variable that the script does not set may hold. */
  outsideValue(name: string): Value;
  setAlias(name: string, text: string): void;
  /** What a name was made to stand for, by an alias or a copy of a program. */
  alias(name: string): string | undefined;
  setDirectory(path: string, how?: "push" | "pop"): void;
  /** Runs something that may change folders for itself alone, in a folder if one is given. */
  inOwnFolder<Result>(run: () => Result, folder?: Value): Result;
  /** Runs something that may not happen. */
  inDoubt<Result>(run: () => Result): Result;
  /** Runs a command of which it is not known whether anything starts it: only the harm that it would do is reported. */
  possibly<Result>(run: () => Result): Result;
  /** A path from the root or the home, as far as it is known where the script stands. */
  resolve(path: string): string;
  /** What the script put into the folder in which it stands. */
  folderContent(): readonly Value[];
  setArguments(values: readonly Value[]): void;
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

/** The client of a machine: it is told what a script does, in the order in which that would happen. It leaves out what it does not need. */
export interface EffectSink {
  effect?(effect: Effect, spot: Spot): void;
  /** Data reaches a destination; `steps` are the commands that it came through. */
  flow?(sources: readonly Source[], destination: Destination, steps: readonly string[], spot: Spot): void;
  /** A text in another language; where its lines are the file's, `firstLine` says where it begins. */
  code?(language: CodeLanguage, text: string, spot: Spot, firstLine: number | undefined): void;
  /** A file gets new content. The client reports the effect, and what it means that this file changes. */
  write?(path: string, written: Value, options: { readonly append: boolean }, shell: Shell): void;
  /** A part could not be followed. */
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

/** The file that a filter is given, or what is piped to it. */
export function operandOrInput({ words, input }: Call, shell: Shell): Value {
  const file = words.find(({ text }) => !text.startsWith("-"));
  return file === undefined ? (input ?? UNKNOWN) : shell.readFile(file);
}

/** What a program prints of which only that is known which data it had. */
export function passOn({ words, input }: Pick<Call, "words" | "input">): Value {
  return unknown(sourcesOf(input === undefined ? words : [...words, input]));
}
