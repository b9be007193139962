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
      /** The path is known in full and no branch surrounds the step. */
      readonly isSure: boolean;
      /** The start or the end of the path is unknown, so the file may be deeper. */
      readonly isOpen: boolean;
    }
  | {
      readonly kind: "program";
      /** Words are unknown if that part of the command could not be read. */
      readonly words: readonly Value[];
    };

/** A host may look each of them up in the file system, and a command can name thousands. */
const MAX_ACCESSES = 1_000;
/** Longer commands are cut; agents write long ones to put text into files. */
const MAX_COMMAND_CHARACTERS = 16_384;
const MAX_WORDS = 256;
/** The parser's time grows with the square of the brackets and quotes open at the same time. */
const MAX_OPENERS = 1000;
/** The limit for shells within shells, as in `bash -c "bash -c …"`. */
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
    // Thousands of nested blocks overflow the stack; report what was seen until then.
    if (!(error instanceof RangeError)) throw error;
  }
  return accesses;
}

type ShellKind = "posix" | "powershell" | "batch";

/** Collects what one text for one shell reaches; nested shell texts get a log of their own. */
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

  /** Reads a program and its arguments, run without a shell. */
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
    // In POSIX shells `type` looks up a name; other programs that open files do not show them to the agent.
    if (kind === "read" && (reads === undefined || (by === "type" && this.#shell === "posix"))) return;
    const { text, isKnown } = path;
    // An unknown start may be any folder; a word that is unknown in full is a file of this folder.
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
    // Nested shells share the list and its bound; programs do not count, so that padding hides no file.
    const files = this.#accesses.filter((one) => one.kind !== "program").length;
    if (files < MAX_ACCESSES) this.#accesses.push(access);
  }

  // Both characters separate folders there; the leading `\\` of a server name is kept.
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
