import type { Argument } from "./argument.ts";

/** Whether a word is a file to a program that takes names of other things as well: a path, or the name of a script. */
export function namesFile(argument: Argument | undefined): boolean {
  if (argument === undefined || argument.kind === "unknown") return false;
  return /[/\\]/.test(argument.text) || SCRIPT.test(argument.text);
}

const SCRIPT = /\.(?:py|pyw|sh|bash|zsh|[cm]?js|[cm]?ts|[jt]sx|rb|pl|php|lua|r|jl|ps1|jar|bat|cmd)$/i;
