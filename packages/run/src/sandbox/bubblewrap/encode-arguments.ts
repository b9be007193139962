import { SkilletError } from "@skillet/kit/errors";

/** Arguments for `bwrap --args`: off the command line, where every user of the machine could read the secrets. */
export function encodeArguments(args: readonly string[]): Uint8Array {
  // A zero byte would end one argument and begin another, such as a mount that nobody planned.
  if (args.some((argument) => argument.includes("\0")))
    throw new SkilletError(
      "sandbox-argument-invalid",
      "A path or a variable for the sandbox has a zero byte in it; nothing was run. Pass it without.",
    );
  return Buffer.from(args.map((argument) => `${argument}\0`).join(""));
}
