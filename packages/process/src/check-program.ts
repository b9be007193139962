import { closeSync, openSync, readSync } from "node:fs";
import { SkilletError } from "@skillet/core";

// ELF, a script's first line, and Mach-O in its four spellings and as a universal binary.
const PROGRAM_HEADS = ["7f454c46", "2321", "feedface", "feedfacf", "cefaedfe", "cffaedfe", "cafebabe"];

/**
 * Refuses an executable file that is neither a binary nor a script that names its interpreter: the C library would hand
 * such a file to a shell, and no shell is to be started that nobody asked for.
 */
export function checkProgram(program: string): void {
  const head = readHead(program)?.toString("hex");
  if (head === undefined || PROGRAM_HEADS.some((known) => head.startsWith(known))) return;
  throw new SkilletError(
    "process-not-executable",
    `${program} is neither a binary nor a script with an interpreter in its first line; start it through its interpreter.`,
  );
}

/** Undefined when it cannot be read; starting it then says why, or works, because executing needs no reading. */
function readHead(program: string): Buffer | undefined {
  try {
    const descriptor = openSync(program, "r");
    try {
      const head = Buffer.alloc(4);
      return head.subarray(0, readSync(descriptor, head, 0, 4, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (["ENOENT", "EACCES", "EPERM", "ENOTDIR", "EISDIR", "ELOOP"].includes(String(code))) return undefined;
    throw error;
  }
}
