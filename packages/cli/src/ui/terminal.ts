import picocolors from "picocolors";
import { CONTROL, DIRECTION } from "./strip-control.ts";

/** The colour functions, which leave text as it is where colours are off. */
export type Colours = ReturnType<typeof picocolors.createColors>;

/** The parts of a stream that the command line uses. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string | Uint8Array): unknown;
}

/** Where a command prints: width and colours are decided once, and nothing but colour codes passes as control. */
export interface Terminal {
  /** Whether a person sees standard output; otherwise a program or a file gets it. */
  readonly isTerminal: boolean;
  /** The same for standard error. */
  readonly isErrorTerminal: boolean;
  readonly width: number;
  /** For lines that programs read too: the width on a terminal, and infinite elsewhere. */
  readonly lineWidth: number;
  /** The same for standard error. */
  readonly errorLineWidth: number;
  readonly colours: Colours;
  readonly errorColours: Colours;
  /** One line on standard output. */
  print(line?: string): void;
  /** Exact bytes on standard output, for documents whose text must not be touched. */
  printRaw(text: string | Uint8Array): void;
  /** One line on standard error. */
  warn(line?: string): void;
  /** Exact bytes on standard error. */
  warnRaw(text: string | Uint8Array): void;
}

const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 24;
const MAX_WIDTH = 400;

/** Reads the streams and the environment (`NO_COLOR`, `FORCE_COLOR`, `COLUMNS`, `TERM`) once. */
export function createTerminal(options: {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): Terminal {
  const { stdout, stderr, environment } = options;
  const colours = picocolors.createColors(wantsColour(stdout, environment));
  const errorColours = picocolors.createColors(wantsColour(stderr, environment));
  return {
    isTerminal: stdout.isTTY === true,
    isErrorTerminal: stderr.isTTY === true,
    width: terminalWidth(stdout, environment),
    lineWidth: lineWidth(stdout, environment),
    errorLineWidth: lineWidth(stderr, environment),
    colours,
    errorColours,
    print: (line = "") => void stdout.write(`${onlyColours(line, colours.isColorSupported)}\n`),
    printRaw: (text) => void stdout.write(text),
    warn: (line = "") => void stderr.write(`${onlyColours(line, errorColours.isColorSupported)}\n`),
    warnRaw: (text) => void stderr.write(text),
  };
}

function wantsColour(
  stream: OutputStream,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return stream.isTTY === true && TERM !== "dumb";
}

function lineWidth(stream: OutputStream, environment: Readonly<Record<string, string | undefined>>): number {
  return stream.isTTY === true ? terminalWidth(stream, environment) : Number.POSITIVE_INFINITY;
}

function terminalWidth(
  stream: OutputStream,
  environment: Readonly<Record<string, string | undefined>>,
): number {
  const columns = stream.columns ?? Number.parseInt(environment.COLUMNS ?? "", 10);
  if (!Number.isSafeInteger(columns) || columns <= 0) return DEFAULT_WIDTH;
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns));
}

// The last gate: whatever a command forgot to make visible, no escape other than a colour code gets out.
const CONTROL_OR_COLOUR = new RegExp(String.raw`\x1B\[\d{1,2}m|(?!\n)[${CONTROL}${DIRECTION}]`, "g");

function onlyColours(line: string, colour: boolean): string {
  return line.replace(CONTROL_OR_COLOUR, (match) => (colour && match.length > 1 ? match : ""));
}

/** What every piece of a screen needs to know. */
export interface Layout {
  readonly width: number;
  readonly colours: Colours;
  readonly environment: Readonly<Record<string, string | undefined>>;
}
