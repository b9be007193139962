import {
  type EffectSink,
  type FileAccess,
  known,
  resolvePath,
  runBatch,
  runCommandLine,
  runPowershell,
  ShellMachine,
  type Surroundings,
  unknown,
  type Value,
} from "@skillet/shell";
import { findRow } from "@skillet/shell/programs";
import type { AgentEvent } from "./create-use-detector.ts";

export type Access =
  | {
      readonly kind: "run" | "read" | "search" | "module";
      readonly path: string;
      /** Whether it is this very path, with no part that is not known beforehand, and no branch around it. */
      readonly isSure: boolean;
      /** Whether its folder or its end is not known beforehand, so that it may lie further below. */
      readonly isOpen: boolean;
    }
  | {
      readonly kind: "program";
      /** The program and its arguments; unknown where a part of the command could not be read. */
      readonly words: readonly Value[];
    };

/** Each may be looked up in the file system; hooks ask about a command that names as many. */
const MAX_ACCESSES = 1_000;
/** Of a longer command the beginning is read; agents write long ones to put text into files. */
const MAX_COMMAND_CHARACTERS = 16_384;
/** Words after these are not looked at. */
const MAX_WORDS = 256;
/** The parser's time grows with the square of what is open at once. */
const MAX_OPENERS = 1000;
/** Texts for other shells in texts; each holds the next. */
const MAX_TEXT_DEPTH = 6;

export function readAgentCommand(
  { command, cwd, shell = "posix" }: Extract<AgentEvent, { kind: "command" }>,
  surroundings: Omit<Surroundings, "directory">,
): readonly Access[] {
  const accesses: Access[] = [];
  const directory = cwd === undefined ? undefined : resolvePath(cwd, undefined);
  const log = new AccessLog(accesses, { ...surroundings, ...(directory && { directory }) }, shell);
  try {
    if (typeof command === "string") log.read(command);
    else log.start(command);
  } catch (error) {
    // Thousands of blocks in one another are more than the stack holds; what was seen until then is told.
    if (!(error instanceof RangeError)) throw error;
  }
  return accesses;
}

type ShellKind = "posix" | "powershell" | "batch";

/** Collects what one text for one shell reaches; texts for other shells in it get a log of their own. */
class AccessLog implements EffectSink {
  readonly #accesses: Access[];
  readonly #surroundings: Surroundings;
  readonly #shell: ShellKind;
  readonly #depth: number;
  readonly #machine: ShellMachine;

  constructor(accesses: Access[], surroundings: Surroundings, shell: ShellKind, depth: number = 0) {
    this.#accesses = accesses;
    this.#surroundings = surroundings;
    this.#shell = shell;
    this.#depth = depth;
    this.#machine = new ShellMachine({ firstLine: 1, keepsLines: false, chain: [] }, this, surroundings);
  }

  read(text: string): void {
    const read = withinBounds(text);
    if (read.length < text.length) this.unread();
    RUN[this.#shell](read, this.#machine);
  }

  /** Reads a program and its arguments that no shell sees. */
  start(words: readonly string[]): void {
    const given = words.slice(0, MAX_WORDS).map((text) => known(text.slice(0, MAX_COMMAND_CHARACTERS)));
    this.#machine.runWords(given, undefined);
  }

  started(words: readonly Value[]): void {
    this.#accesses.push({ kind: "program", words });
  }

  unread(): void {
    this.started([unknown([])]);
  }

  file({ kind, path, by, directory, isCertain }: FileAccess): void {
    const reads = by === "<" ? {} : findRow(by)?.reads;
    // To a POSIX shell `type` says what a name means; other programs that open files do not show them to the agent.
    if (kind === "read" && (reads === undefined || (by === "type" && this.#shell === "posix"))) return;
    const { text, isKnown } = path;
    // An unknown beginning may be any folders; a word of which nothing is known is a file of this one.
    const written = isKnown ? text : text.replace(/^\*(?=\/)/, "**");
    const resolved = resolvePath(this.#withSlashes(written), this.#withSlashes(directory));
    if (resolved === undefined) return;
    const isOpen = directory.includes("*") || (!isKnown && !text.startsWith("*"));
    const isSure = isCertain && isKnown && !isOpen && !/[*?[]/.test(text);
    const isSearch = kind === "read" && reads?.searches && (isKnown || text !== "*");
    this.#add({ kind: isSearch ? "search" : kind, path: resolved, isSure, isOpen });
  }

  code(language: string, text: string): void {
    if (this.#depth >= MAX_TEXT_DEPTH || (language !== "powershell" && language !== "batch")) return;
    const { directory } = this.#machine.files;
    const inside = { ...this.#surroundings, directory };
    new AccessLog(this.#accesses, inside, language, this.#depth + 1).read(text);
  }

  #add(access: Access): void {
    // Shells within shells share the list, and the bound; programs do not count, so that padding hides no file.
    const files = this.#accesses.filter((one) => one.kind !== "program").length;
    if (files < MAX_ACCESSES) this.#accesses.push(access);
  }

  // Both separate parts of a path there; the name of a server keeps its beginning.
  #withSlashes(path: string): string {
    return this.#shell === "posix" ? path : path.replace(/(?<!^\\?)\\|^\\(?!\\)/g, "/");
  }
}

const RUN: Readonly<Record<ShellKind, (text: string, machine: ShellMachine) => void>> = {
  posix: runCommandLine,
  powershell: runPowershell,
  batch: runBatch,
};

function withinBounds(text: string): string {
  const cut = text.slice(0, MAX_COMMAND_CHARACTERS);
  let openers = 0;
  for (const { index } of cut.matchAll(/[({[`]|<</g)) {
    openers += 1;
    if (openers > MAX_OPENERS) return cut.slice(0, index);
  }
  return cut;
}
