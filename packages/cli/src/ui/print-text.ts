import { showControl } from "./strip-control.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Prints a text that is meant for a model: byte for byte where a program or a file gets it.
 *
 * On a terminal it would act: there, everything that acts or cannot be seen is made visible.
 */
export function printText(terminal: Terminal, text: string): void {
  if (!terminal.isTerminal) {
    terminal.printRaw(text);
    return;
  }
  if (text === "") return;
  // The prompt that follows must begin on a line of its own.
  const lines = text.replace(/\n$/, "").split("\n");
  for (const line of lines) terminal.print(showControl(line));
}
