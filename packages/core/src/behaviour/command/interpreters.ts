import type { OptionStyle } from "./split-options.ts";

/** A program that runs the script that its first operand names. */
export interface Interpreter extends OptionStyle {
  /** With these it runs a text, so that no operand is a script. */
  readonly code?: ReadonlySet<string>;
  /** Their value is a file that it runs besides. */
  readonly loads?: ReadonlySet<string>;
  /** Their value is the script. */
  readonly script?: ReadonlySet<string>;
  /** With these it looks at the script and runs nothing. */
  readonly checks?: ReadonlySet<string>;
  /** Words before the script: `deno run`. */
  readonly subcommands?: ReadonlySet<string>;
  /** Whether it does something else entirely without one of them. */
  readonly needsSubcommand?: true;
  readonly directory?: ReadonlySet<string>;
}

const NODE: Interpreter = {
  valued: words(
    "-r --require --import --loader --experimental-loader -C --conditions --env-file --input-type --title --watch-path -e --eval -p --print",
  ),
  code: words("-e --eval -p --print -pe"),
  loads: words("-r --require --import --loader --experimental-loader"),
  checks: words("-c --check -v --version -h --help"),
};

/** Programs that run a script, by name. */
export const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map<string, Interpreter>([
  [
    "python",
    {
      valued: words("-W -X -m -c -Q --check-hash-based-pycs"),
      code: words("-c"),
      checks: words("-V --version -h --help"),
    },
  ],
  ["node", NODE],
  ["nodemon", { ...NODE, valued: words("-w --watch -e --ext -x --exec --require -r"), code: words("") }],
  [
    "tsx",
    {
      ...NODE,
      valued: words("-r --require --import --tsconfig -e --eval -p --print"),
      subcommands: words("watch"),
    },
  ],
  [
    "ts-node",
    {
      ...NODE,
      valued: words(
        "-P --project -O --compiler-options -r --require -e --eval -p --print --cwd --dir -C --compiler",
      ),
      checks: words("-v --version -h --help"),
    },
  ],
  [
    "deno",
    {
      valued: words("-c --config --import-map --env-file --cert --location --lock -L --log-level --preload"),
      loads: words("--preload"),
      subcommands: words("run serve watch"),
    },
  ],
  [
    "bun",
    {
      valued: words("-r --preload -c --config --cwd --env-file -e --eval -p --print --tsconfig-override"),
      code: words("-e --eval -p --print"),
      loads: words("-r --preload"),
      subcommands: words("run"),
      directory: words("--cwd"),
    },
  ],
  [
    "ruby",
    { valued: words("-r -I -e -C -E -K"), code: words("-e"), checks: words("-c -v"), directory: words("-C") },
  ],
  ["perl", { valued: words("-I -e -E -M -m"), code: words("-e -E -i"), checks: words("-c -v") }],
  [
    "php",
    {
      valued: words("-d -c -f -r -S -t -B -R -F -E"),
      code: words("-r -S"),
      script: words("-f"),
      checks: words("-l -v"),
    },
  ],
  ["lua", { valued: words("-l -e"), code: words("-e") }],
  ["luajit", { valued: words("-l -e"), code: words("-e") }],
  ["rscript", { valued: words("-e"), code: words("-e") }],
  ["julia", { valued: words("-e -E -L -p -t -J"), code: words("-e -E"), loads: words("-L") }],
  ["osascript", { valued: words("-e -l -s"), code: words("-e") }],
  ["tclsh", {}],
  ["elixir", { valued: words("-e -r"), code: words("-e") }],
  ["groovy", { valued: words("-e -cp"), code: words("-e") }],
  ["swift", { checks: words("--version") }],
  ["ipython", { valued: words("-c -m"), code: words("-c") }],
  ["java", { style: "words", valued: words("-jar -cp -classpath --class-path"), script: words("-jar") }],
  ["go", { subcommands: words("run"), needsSubcommand: true }],
  ["coverage", { subcommands: words("run"), needsSubcommand: true, valued: words("--source --rcfile -m") }],
  ["streamlit", { subcommands: words("run"), needsSubcommand: true }],
  ["marimo", { subcommands: words("run"), needsSubcommand: true }],
]);

/** Shells: interpreters of scripts, of the text behind `-c` and of what they read. */
export const SHELLS: ReadonlySet<string> = words("bash sh zsh dash ksh mksh ash fish");
export const SHELL_OPTIONS: Interpreter = {
  valued: words("-o -O +o +O --rcfile --init-file"),
  checks: words("-n --version --help"),
};

/** Shells of the other kind. */
export const POWERSHELLS: ReadonlySet<string> = words("pwsh powershell");
export const POWERSHELL_OPTIONS: Interpreter = {
  style: "words",
  valued: words(
    "-file -f -executionpolicy -ep -ex -exec -inputformat -outputformat -version -windowstyle -w -workingdirectory -wd -configurationname",
  ),
  script: words("-file -f"),
  directory: words("-workingdirectory -wd"),
};

/** A set of the words of a text. */
export function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
