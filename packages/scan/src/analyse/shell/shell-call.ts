import type { Act } from "../../fact/act.ts";
import type { DataSource } from "../../fact/data-source.ts";
import type { Sink } from "../../fact/sink.ts";
import type { Language } from "../../file/file-kind.ts";
import type { Value } from "./value.ts";

/** One program as it is started. */
export interface Call {
  /** Its base name: `/usr/bin/curl` is `curl`. */
  readonly program: string;
  /** What stands behind the name. */
  readonly words: readonly Value[];
  /** The same as texts. */
  readonly texts: readonly string[];
  /** What it can read from standard input; undefined where nothing is piped to it. */
  readonly input: Value | undefined;
  /** Whether it goes on in the background. */
  readonly isBackground: boolean;
}

/** What a program does with the world; returns what it prints. */
export type Program = (call: Call, shell: Shell) => Value;

/** What programs may ask of the shell that runs them. */
export interface Shell {
  act(act: Act): void;
  flow(sources: readonly DataSource[], sink: Sink): void;
  /** Hands a text on to another language's analyser; flows to it are recorded where it is not the script's own. */
  runCode(language: Language, code: Value, by: string): void;
  /** Runs a text as shell commands in this very shell. */
  runText(text: Value, by: string): Value;
  /** Runs a program by its words; the first is its name. */
  runWords(words: readonly Value[], input: Value | undefined): Value;
  /** Runs a file of which something may be known; `by` is who runs it. */
  runFile(path: Value, by: string, language?: Language): Value;
  readFile(path: Value): Value;
  writeFile(path: Value, written: Value, options: { readonly append: boolean }): void;
  /** Notes that a folder, or the current one, now holds what came from there. */
  unpack(folder: string, content: Value): void;
  setVariable(name: string, value: Value): void;
  variable(name: string): Value | undefined;
  setAlias(name: string, text: string): void;
  /** What a name was made to stand for, by an alias or a copy of a program. */
  alias(name: string): string | undefined;
  setDirectory(path: string): void;
  /** A path from the root or the home, as far as it is known where the script stands. */
  resolve(path: string): string;
  /** What the script put into the folder in which it stands. */
  folderContent(): readonly Value[];
  setArguments(values: readonly Value[]): void;
}
