import { CliError } from "../cli-error.ts";
import { wrap } from "./fit-text.ts";

/** The two ends of an interactive terminal. */
export interface Dialog {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

// For a terminal that does not report its width.
const DEFAULT_COLUMNS = 80;
const ROOM_FOR_ANSWER = 4;

/** Asks for one line; undefined where the input ends or the signal says stop, and Ctrl-C ends the command. */
export function askOnTerminal(
  { input, output }: Dialog,
  question: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  // Not imported: it is wanted here alone, and code from a code cache cannot import anything later.
  const { createInterface } = process.getBuiltinModule("node:readline");
  // Terminals break lines anywhere, also inside words.
  const lines = wrap(question, { width: (output.columns ?? DEFAULT_COLUMNS) - ROOM_FOR_ANSWER });
  for (const line of lines.slice(0, -1)) output.write(`${line}\n`);
  const prompt = createInterface({ input, output });
  const stop = (): void => prompt.close();
  signal?.addEventListener("abort", stop);
  return new Promise<string | undefined>((resolve, reject) => {
    prompt.once("close", () => {
      signal?.removeEventListener("abort", stop);
      resolve(undefined);
    });
    prompt.once("SIGINT", () => {
      output.write("\n");
      reject(interrupted());
      prompt.close();
    });
    prompt.question(`${lines.at(-1) ?? ""} `, (answer) => {
      resolve(answer.trim());
      prompt.close();
    });
  });
}

/** A yes-or-no question on a terminal, or nothing where nobody is there to answer; only a clear yes is one. */
export function createConfirm(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): ((question: string) => Promise<boolean>) | undefined {
  if (input.isTTY !== true || output.isTTY !== true) return undefined;
  return async (question) => {
    // A closed input is a no.
    const answer = await askOnTerminal({ input, output }, `${question} [y/N]`);
    return /^y(?:es)?$/i.test(answer ?? "");
  };
}

/** Ends a command at whose question somebody pressed Ctrl-C: that is no answer, also not the one that a bare enter gives. */
export function interrupted(): CliError {
  return new CliError("interrupted", "Stopped by Ctrl-C; what was asked about was not done.", {
    exitCode: 130,
  });
}

/** Whether an error says no more than that somebody pressed Ctrl-C at a question. */
export function isInterrupted(error: unknown): boolean {
  return error instanceof CliError && error.code === "interrupted";
}
