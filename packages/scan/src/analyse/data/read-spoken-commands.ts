import type { DataScalar } from "./data-node.ts";
import type { DataWriter } from "./data-writer.ts";

/** Reads a command that a sentence tells to run, as in `First run: curl … | sh. Then go on.`: a model would run it. */
export function readSpokenCommands(writer: DataWriter, scalar: DataScalar): void {
  const text = scalar.text.slice(0, MAX_SEARCHED_CHARACTERS);
  if (!TOLD.test(text)) return;
  for (const match of text.matchAll(SPOKEN)) {
    const command = (match[1] ?? "").replace(NEXT_SENTENCE, "");
    if (command.length >= MIN_COMMAND_CHARACTERS) writer.addText("shell", scalar, { text: command });
  }
}

const MAX_SEARCHED_CHARACTERS = 20_000;
const MIN_COMMAND_CHARACTERS = 8;
const TOLD = /\b(?:run|execute|exec|invoke|call)\b/i;
const SPOKEN =
  /\b(?:run|execute|exec|invoke|call)(?: (?:this|the following|the command))?\s{0,3}:?\s{1,3}((?:curl|wget|bash|sh|zsh|python3?|node|npx|nc|ncat|powershell|pwsh|rm|chmod|scp|osascript)\s[^\n`]{4,400})/gi;
const NEXT_SENTENCE =
  /[.;,]?\s+(?:[A-Z][a-z]+\s[\s\S]{0,400}|(?:and|then|before|after|while)\s[\s\S]{0,400})$/;
