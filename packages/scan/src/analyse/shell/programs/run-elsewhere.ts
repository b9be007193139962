import { isShellName } from "../note-remote-shell.ts";
import type { Shell } from "../shell-call.ts";
import { concatenate, type Value } from "../value.ts";

/**
 * Follows a command that runs in a container or on another machine, where it fetches or opens something.
 *
 * What it deletes or writes there is not this machine's, so other commands are left alone.
 */
export function runElsewhere(words: readonly Value[], by: string, shell: Shell): void {
  const command = concatenate(words, " ");
  if (command.text.trim() !== "" && REACHES_OUT.test(command.text)) shell.runText(command, by);
}

/** The text behind `sh -c` among the words of a program that starts others. */
export function shellArgument(words: readonly Value[]): Value | undefined {
  const at = words.findIndex(
    ({ text }, index) => isShellName(text) && /^-\w{0,4}c$/.test(words[index + 1]?.text ?? ""),
  );
  return at === -1 ? undefined : words[at + 2];
}

const REACHES_OUT = /\b(?:curl|wget|base64|nc|ncat|socat|dig|nslookup|scp|eval)\b|\/dev\/tcp\//;
