import { askOnTerminal } from "./ask-on-terminal.ts";

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
