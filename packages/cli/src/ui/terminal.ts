import picocolors from "picocolors";
import { COLOUR, CONTROL, DIRECTION, type Environment, fitText, showControl } from "./text.ts";

/** The colour functions, which do nothing if colours are off. */
export type Colours = ReturnType<typeof picocolors.createColors>;

export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  write(text: string | Uint8Array): unknown;
}

export interface Layout {
  readonly width: number;
  /** The flags that said where to search, as typed. */
  readonly places?: string | undefined;
  readonly colours: Colours;
  /** Contains the home folder, which is shown as `~`. */
  readonly environment: Environment;
}

export interface LineLayout extends Layout {
  /** For lines that programs also read: the width on a terminal, infinite elsewhere. */
  readonly lineWidth: number;
}

/** Where a command prints: width and colours are decided once; of control characters, only colours pass. */
export interface Terminal extends LineLayout {
  /** Whether the user sees standard output; otherwise a program or a file gets it. */
  readonly isTerminal: boolean;
  readonly isErrorTerminal: boolean;
  /** Standard error, whose lines programs also read. */
  readonly errors: LineLayout;
  /** Prints lines on standard output; a single text is wrapped on a terminal, except for indented lines. */
  print(lines?: string | readonly string[]): void;
  /** Writes exact bytes to standard output, for documents whose text must not change. */
  printRaw(text: string | Uint8Array): void;
  /** Like `print`, on standard error. */
  warn(lines?: string | readonly string[]): void;
  warnRaw(text: string | Uint8Array): void;
  /** Shows a progress line on standard error until anything else is written; no argument erases it. */
  status(line?: string): void;
}

const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 24;
const MAX_WIDTH = 400;
const CLEAR_LINE = "\r\x1b[K";

/** Reads the streams and the environment (`NO_COLOR`, `FORCE_COLOR`, `COLUMNS`, `TERM`) once. */
export function createTerminal(options: {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Environment;
  readonly places?: string;
}): Terminal {
  const { stdout, stderr, environment, places = "" } = options;
  const colours = picocolors.createColors(wantsColour(stdout, environment));
  const errorColours = picocolors.createColors(wantsColour(stderr, environment));
  const errorWidth = lineWidth(stderr, environment);
  let shown: string | undefined;
  const status = (line?: string): void => {
    if (line === shown) return;
    shown = line;
    stderr.write(`${CLEAR_LINE}${line ?? ""}`);
  };
  const raw =
    (stream: OutputStream) =>
    (text: string | Uint8Array): void => {
      status();
      stream.write(text);
    };
  const writer =
    (stream: OutputStream, { isColorSupported }: Colours) =>
    (lines: string | readonly string[] = "") => {
      const all =
        typeof lines === "string" ? fitText(lines, { width: lineWidth(stream, environment), places }) : lines;
      if (all.length === 0) return;
      status();
      // In one write, because each is a system call.
      stream.write(all.map((line) => `${onlyColours(line, isColorSupported)}\n`).join(""));
    };
  return {
    isTerminal: stdout.isTTY === true,
    isErrorTerminal: stderr.isTTY === true,
    width: terminalWidth(stdout, environment),
    lineWidth: lineWidth(stdout, environment),
    colours,
    environment,
    places,
    errors: { width: errorWidth, lineWidth: errorWidth, colours: errorColours, environment, places },
    print: writer(stdout, colours),
    printRaw: raw(stdout),
    warn: writer(stderr, errorColours),
    warnRaw: raw(stderr),
    status,
  };
}

function wantsColour(stream: OutputStream, environment: Environment): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return stream.isTTY === true && TERM !== "dumb";
}

function lineWidth(stream: OutputStream, environment: Environment): number {
  return stream.isTTY === true ? terminalWidth(stream, environment) : Number.POSITIVE_INFINITY;
}

function terminalWidth(stream: OutputStream, environment: Environment): number {
  const columns = stream.columns ?? Number.parseInt(environment.COLUMNS ?? "", 10);
  if (!Number.isSafeInteger(columns) || columns <= 0) return DEFAULT_WIDTH;
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns));
}

// The last line of defence: if a command failed to escape something, only colour codes still get out.
const CONTROL_OR_COLOUR = new RegExp(String.raw`${COLOUR}|(?!\n)[${CONTROL}${DIRECTION}]`, "g");

function onlyColours(line: string, colour: boolean): string {
  return line.replace(CONTROL_OR_COLOUR, (match) => (colour && match.length > 1 ? match : ""));
}

/** Writes text verbatim to a program or file; on a terminal, shows control and invisible characters. */
export function printText(terminal: Terminal, text: string): void {
  if (!terminal.isTerminal) {
    terminal.printRaw(text);
    return;
  }
  if (text === "") return;
  // The next prompt must begin on a line of its own.
  terminal.print(text.replace(/\n$/, "").split("\n").map(showControl));
}
