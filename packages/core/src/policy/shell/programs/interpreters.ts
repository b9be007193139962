import type { ProgramTraits } from "./program-traits.ts";

// Options of an interpreter that hold or load code are refused by not being here.
const INTERPRETER_FLAGS: Readonly<Record<string, RegExp>> = {
  python: /^-[uBOsIEqb]+$/,
  node: /^--(?:no-warnings|trace-warnings|enable-source-maps|no-deprecation)$/,
  ruby: /^-[wW]$/,
  perl: /^-[wTt]+$/,
  php: /^-[nq]+$/,
  lua: /^-W$/,
  bash: /^-[eux]+$/,
  sh: /^-[eux]+$/,
  dash: /^-[eux]+$/,
  zsh: /^-[eux]+$/,
  ksh: /^-[eux]+$/,
  fish: /^--no-config$/,
  rscript: /^--vanilla$/,
  pwsh: /^-(?:NoProfile|NonInteractive)$/,
};

const SUBCOMMANDED: ProgramTraits = {
  words: ["eval", "x", "exec", "repl", "create"],
  short: "er",
  long: ["eval", "print", "preload", "require", "import", "config"],
};

const PLAIN_INTERPRETERS =
  "ash elixir erl ghci groovy guile iex ipython irb jshell julia mksh mongosh octave osascript pry r racket sbcl scala swift tclsh";

/** Programs that run the script that their first operand names. */
export const INTERPRETERS: Readonly<Record<string, ProgramTraits>> = {
  ...Object.fromEntries(
    Object.entries(INTERPRETER_FLAGS).map(([name, flags]) => [name, { script: { flags } }]),
  ),
  ...Object.fromEntries(PLAIN_INTERPRETERS.split(" ").map((name) => [name, { script: { flags: /^$/ } }])),
  deno: SUBCOMMANDED,
  bun: SUBCOMMANDED,
  tsx: SUBCOMMANDED,
};
