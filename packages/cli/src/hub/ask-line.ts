import type { Dialog } from "../command-context.ts";

/** Asks for one line of text; undefined when somebody would rather not. */
export function askLine(
  { input, output }: Dialog,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Not imported: it is wanted here alone, and code from a code cache cannot import anything later.
  const { createInterface } = process.getBuiltinModule("node:readline");
  const prompt = createInterface({ input, output });
  const stop = (): void => prompt.close();
  signal.addEventListener("abort", stop);
  return new Promise<string | undefined>((resolve) => {
    prompt.once("close", () => {
      signal.removeEventListener("abort", stop);
      resolve(undefined);
    });
    prompt.once("SIGINT", () => {
      output.write("\n");
      prompt.close();
    });
    prompt.question(question, (answer) => {
      resolve(answer.trim());
      prompt.close();
    });
  });
}
