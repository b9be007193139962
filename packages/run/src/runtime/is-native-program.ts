import { closeSync, constants, openSync, readSync } from "node:fs";

const MAGICS = new Set(["7f454c46", "feedface", "feedfacf", "cefaedfe", "cffaedfe", "cafebabe"]);

/** Whether a file is a program for the machine, ELF or Mach-O, and no script. */
export function isNativeProgram(path: string): boolean {
  const head = Buffer.alloc(4);
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    readSync(descriptor, head, 0, head.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return MAGICS.has(head.toString("hex"));
}
