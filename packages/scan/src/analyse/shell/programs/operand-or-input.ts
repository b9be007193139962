import type { Call, Shell } from "../shell-call.ts";
import { UNKNOWN, type Value } from "../value.ts";

/** The file that a filter is given, or what is piped to it. */
export function operandOrInput({ words, input }: Call, shell: Shell): Value {
  const file = words.find(({ text }) => !text.startsWith("-"));
  return file === undefined ? (input ?? UNKNOWN) : shell.readFile(file);
}
