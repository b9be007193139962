import type { Dialog } from "../command-context.ts";
import { wrap } from "./fit-text.ts";
import { interrupted } from "./interrupted.ts";

// A terminal that does not say how wide it is.
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
