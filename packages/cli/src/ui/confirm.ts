/** A yes-or-no question on a terminal, or nothing where nobody is there to answer; only a clear yes is one. */
export function createConfirm(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): ((question: string) => Promise<boolean>) | undefined {
  if (input.isTTY !== true || output.isTTY !== true) return undefined;
  return async (question) => {
    // Not imported: it is wanted here alone, and code from a code cache cannot import anything later.
    const { createInterface } = process.getBuiltinModule("node:readline");
    const prompt = createInterface({ input, output });
    return new Promise((resolve) => {
      // Ctrl-C and a closed input are a no.
      prompt.once("close", () => resolve(false));
      prompt.once("SIGINT", () => {
        output.write("\n");
        prompt.close();
      });
      prompt.question(`${question} [y/N] `, (answer) => {
        resolve(/^y(?:es)?$/i.test(answer.trim()));
        prompt.close();
      });
    });
  };
}
