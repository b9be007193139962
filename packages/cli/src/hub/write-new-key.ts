import { writeFile } from "node:fs/promises";
import { errorCode } from "@skillet/kit/errors";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { printJson } from "../output/json-document.ts";
import { showPath } from "../ui/show-path.ts";
import { loadInstalling } from "./load-installing.ts";

/** Makes a signing key in a file that is its owner's alone; one that is there is never replaced. */
export async function writeNewKey(
  { terminal, environment, json }: CommandContext,
  file: string,
): Promise<ExitCode> {
  const { createKey, formatPrivateKey, formatPublicKey } = loadInstalling();
  const key = createKey();
  try {
    await writeFile(file, formatPrivateKey(key), { flag: "wx", mode: 0o600 });
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const why =
      code === "EEXIST"
        ? "there is a file already, and keys are never replaced"
        : `it cannot be written (${code})`;
    throw new CliError("key-not-written", `No key was made in ${file}: ${why}.`, {
      hints: ["Name another file."],
      details: { file, errno: code },
    });
  }
  const publicKey = formatPublicKey(key);
  if (json) printJson(terminal, { file, id: key.id, publicKey });
  else {
    terminal.print(`Wrote a new key to ${showPath(file, environment)}; keep it secret, and keep a copy.`);
    terminal.print(`  public  ${publicKey}`);
    terminal.print(`  id      ${key.id}`);
  }
  return 0;
}
