import type { Column, Interprets, Written } from "./program-row.ts";

const NODE: Written<Interprets> = {
  language: "javascript",
  code: /^(?:-[a-z]*[ep]|--eval|--print)$/,
  valued:
    "-r --require --import --loader --experimental-loader -C --conditions --env-file --input-type --title --watch-path -e --eval -p --print",
  loads: "-r --require --import --loader --experimental-loader",
  checks: "-c --check -v --version -h --help",
};
const PYTHON: Written<Interprets> = {
  language: "python",
  code: /^-[bBdEhiIOqsSuvWx]*c$/,
  valued: "-W -X -m -c -Q --check-hash-based-pycs",
  checks: "-V --version -h --help",
  harmless: /^-[uBOsIEqb]+$/,
};
const TYPESCRIPT: Written<Interprets> = {
  ...NODE,
  language: "typescript",
  code: /^(?:-[ep]|--eval|--print)$/,
};
const LUA: Written<Interprets> = {
  language: "code",
  code: /^-e$/,
  valued: "-l -e",
  checks: "-v",
  harmless: /^-W$/,
};
const NOT_JUDGED = /^$/;
const POWERSHELL: Written<Interprets> = {
  language: "powershell",
  style: "words",
  valued:
    "-file -f -executionpolicy -ep -ex -exec -inputformat -outputformat -version -windowstyle -w -workingdirectory -wd -configurationname",
  script: "-file -f",
  directory: "-workingdirectory -wd",
  harmless: /^-(?:NoProfile|NonInteractive)$/,
};
const SHELL: Written<Interprets> = {
  language: "shell",
  valued: "-o -O +o +O --rcfile --init-file",
  checks: "-n --version --help",
};

/** Programs that run a script; names are without versions. */
export const INTERPRETERS: Column<Written<Interprets>> = {
  "sh bash dash zsh ksh": { ...SHELL, harmless: /^-[eux]+$/ },
  "ash mksh csh tcsh rbash": { ...SHELL, harmless: NOT_JUDGED },
  fish: { ...SHELL, harmless: /^--no-config$/ },

  "pwsh powershell": POWERSHELL,
  cmd: { language: "batch" },
  "python pypy pythonw py": PYTHON,
  "node nodejs": {
    ...NODE,
    harmless: /^--(?:no-warnings|trace-warnings|enable-source-maps|no-deprecation)$/,
  },
  tsx: {
    ...TYPESCRIPT,
    valued: "-r --require --import --tsconfig -e --eval -p --print",
    subcommands: "watch",
  },
  "ts-node": {
    ...TYPESCRIPT,
    valued: "-P --project -O --compiler-options -r --require -e --eval -p --print --cwd --dir -C --compiler",
    checks: "-v --version -h --help",
  },
  deno: {
    language: "javascript",
    code: /^(?:-e|--eval)$/,
    codeVerb: /^eval$/,
    checks: "-V --version -h --help",
    valued: "-c --config --import-map --env-file --cert --location --lock -L --log-level --preload",
    loads: "--preload",
    subcommands: "run serve watch",
  },
  bun: {
    language: "javascript",
    code: /^(?:-[ep]|--eval|--print)$/,
    codeVerb: /^eval$/,
    checks: "-v --version -h --help",
    valued: "-r --preload -c --config --cwd --env-file -e --eval -p --print --tsconfig-override",
    loads: "-r --preload",
    subcommands: "run",
    directory: "--cwd",
  },
  perl: {
    language: "code",
    code: /^-[a-zA-Z0-9]*[eE]$/,
    valued: "-I -e -E -M -m",
    checks: "-c -v -V -h --version --help",
    harmless: /^-[wTt]+$/,
  },
  ruby: {
    language: "code",
    code: /^-[a-z]*e$/,
    valued: "-r -I -e -C -E -K",
    checks: "-c -v -h --version --help",
    directory: "-C",
    harmless: /^-[wW]$/,
  },
  php: {
    language: "code",
    code: /^-r$/,
    valued: "-d -c -f -r -S -t -B -R -F -E",
    script: "-f",
    checks: "-l -v -i -m -S --version",
    harmless: /^-[nq]+$/,
  },
  "lua luajit": LUA,
  rscript: { language: "code", code: /^-e$/, valued: "-e", checks: "--version", harmless: /^--vanilla$/ },
  tclsh: { language: "code", code: /^-e$/, valued: "-e", checks: "--version", harmless: NOT_JUDGED },
  osascript: { code: /^-e$/, valued: "-e -l -s", harmless: NOT_JUDGED },
  julia: { code: /^-[eE]$/, valued: "-e -E -L -p -t -J", loads: "-L", harmless: NOT_JUDGED },
  elixir: { code: /^-e$/, valued: "-e -r", harmless: NOT_JUDGED },
  groovy: { code: /^-e$/, valued: "-e -cp", harmless: NOT_JUDGED },
  swift: { checks: "--version", harmless: NOT_JUDGED },
  ipython: {
    language: "python",
    code: /^-c$/,
    valued: "-c -m",
    checks: "--version -h --help",
    harmless: NOT_JUDGED,
  },
  "erl ghci guile iex irb jshell mongosh octave pry r racket sbcl scala": { harmless: NOT_JUDGED },
  java: {
    style: "words",
    valued: "-jar -cp -classpath --class-path",
    script: "-jar",
    loads: "-cp -classpath --class-path",
  },
  go: { subcommands: "run", needsSubcommand: true },
  coverage: { subcommands: "run", needsSubcommand: true, valued: "--source --rcfile -m" },
  "streamlit marimo": { subcommands: "run", needsSubcommand: true },
};
