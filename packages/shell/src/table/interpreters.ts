import { type Column, type Interprets, words } from "./program-row.ts";

const NODE: Interprets = {
  language: "javascript",
  code: /^(?:-[a-z]*[ep]|--eval|--print)$/,
  valued: words(
    "-r --require --import --loader --experimental-loader -C --conditions --env-file --input-type --title --watch-path -e --eval -p --print",
  ),
  loads: words("-r --require --import --loader --experimental-loader"),
  checks: words("-c --check -v --version -h --help"),
};
const PYTHON: Interprets = {
  language: "python",
  code: /^-[bBdEhiIOqsSuvWx]*c$/,
  valued: words("-W -X -m -c -Q --check-hash-based-pycs"),
  checks: words("-V --version -h --help"),
  harmless: /^-[uBOsIEqb]+$/,
};
const TYPESCRIPT: Interprets = {
  ...NODE,
  language: "typescript",
  code: /^(?:-[ep]|--eval|--print)$/,
};
const LUA: Interprets = {
  language: "code",
  code: /^-e$/,
  valued: words("-l -e"),
  checks: words("-v"),
  harmless: /^-W$/,
};
const NOT_JUDGED = /^$/;
const POWERSHELL: Interprets = {
  language: "powershell",
  style: "words",
  valued: words(
    "-file -f -executionpolicy -ep -ex -exec -inputformat -outputformat -version -windowstyle -w -workingdirectory -wd -configurationname",
  ),
  script: words("-file -f"),
  directory: words("-workingdirectory -wd"),
  harmless: /^-(?:NoProfile|NonInteractive)$/,
};
const SHELL: Interprets = {
  language: "shell",
  valued: words("-o -O +o +O --rcfile --init-file"),
  checks: words("-n --version --help"),
};

/** Programs that run a script; versions are not part of the names. */
export const INTERPRETERS: Column<Interprets> = {
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
    valued: words("-r --require --import --tsconfig -e --eval -p --print"),
    subcommands: words("watch"),
  },
  "ts-node": {
    ...TYPESCRIPT,
    valued: words(
      "-P --project -O --compiler-options -r --require -e --eval -p --print --cwd --dir -C --compiler",
    ),
    checks: words("-v --version -h --help"),
  },
  deno: {
    language: "javascript",
    code: /^(?:-e|--eval)$/,
    codeVerb: /^eval$/,
    checks: words("-V --version -h --help"),
    valued: words("-c --config --import-map --env-file --cert --location --lock -L --log-level --preload"),
    loads: words("--preload"),
    subcommands: words("run serve watch"),
  },
  bun: {
    language: "javascript",
    code: /^(?:-[ep]|--eval|--print)$/,
    codeVerb: /^eval$/,
    checks: words("-v --version -h --help"),
    valued: words("-r --preload -c --config --cwd --env-file -e --eval -p --print --tsconfig-override"),
    loads: words("-r --preload"),
    subcommands: words("run"),
    directory: words("--cwd"),
  },
  perl: {
    language: "code",
    code: /^-[a-zA-Z0-9]*[eE]$/,
    valued: words("-I -e -E -M -m"),
    checks: words("-c -v -V -h --version --help"),
    harmless: /^-[wTt]+$/,
  },
  ruby: {
    language: "code",
    code: /^-[a-z]*e$/,
    valued: words("-r -I -e -C -E -K"),
    checks: words("-c -v -h --version --help"),
    directory: words("-C"),
    harmless: /^-[wW]$/,
  },
  php: {
    language: "code",
    code: /^-r$/,
    valued: words("-d -c -f -r -S -t -B -R -F -E"),
    script: words("-f"),
    checks: words("-l -v -i -m -S --version"),
    harmless: /^-[nq]+$/,
  },
  "lua luajit": LUA,
  rscript: {
    language: "code",
    code: /^-e$/,
    valued: words("-e"),
    checks: words("--version"),
    harmless: /^--vanilla$/,
  },
  tclsh: {
    language: "code",
    code: /^-e$/,
    valued: words("-e"),
    checks: words("--version"),
    harmless: NOT_JUDGED,
  },
  osascript: { code: /^-e$/, valued: words("-e -l -s"), harmless: NOT_JUDGED },
  julia: { code: /^-[eE]$/, valued: words("-e -E -L -p -t -J"), loads: words("-L"), harmless: NOT_JUDGED },
  elixir: { code: /^-e$/, valued: words("-e -r"), harmless: NOT_JUDGED },
  groovy: { code: /^-e$/, valued: words("-e -cp"), harmless: NOT_JUDGED },
  swift: { checks: words("--version"), harmless: NOT_JUDGED },
  ipython: {
    language: "python",
    code: /^-c$/,
    valued: words("-c -m"),
    checks: words("--version -h --help"),
    harmless: NOT_JUDGED,
  },
  "erl ghci guile iex irb jshell mongosh octave pry r racket sbcl scala": { harmless: NOT_JUDGED },
  java: {
    style: "words",
    valued: words("-jar -cp -classpath --class-path"),
    script: words("-jar"),
    loads: words("-cp -classpath --class-path"),
  },
  go: { subcommands: words("run"), needsSubcommand: true },
  coverage: { subcommands: words("run"), needsSubcommand: true, valued: words("--source --rcfile -m") },
  "streamlit marimo": { subcommands: words("run"), needsSubcommand: true },
};
