import { words } from "./interpreters.ts";
import type { OptionStyle } from "./split-options.ts";

/** A program that starts the command in its arguments. */
export interface Runner extends OptionStyle {
  /** Words before the command: `uv run`; without one of them it starts nothing. */
  readonly subcommands?: ReadonlySet<string>;
  /** Words between the options and the command: a duration, say. */
  readonly operands?: number;
  readonly takesAssignments?: true;
  /** Whether a bare file name such as `fill.py` is a file to it, and not a program. */
  readonly runsFiles?: true;
  /** Options whose value is where the command runs. */
  readonly directory?: ReadonlySet<string>;
  /** Options whose value is a text for a shell. */
  readonly text?: ReadonlySet<string>;
}

const ENVIRONMENT: Runner = { subcommands: words("run"), runsFiles: true };

/** Programs that start a command, by name. */
export const RUNNERS: ReadonlyMap<string, Runner> = new Map<string, Runner>([
  [
    "env",
    {
      valued: words("-u --unset -C --chdir -S --split-string"),
      takesAssignments: true,
      directory: words("-C --chdir"),
      text: words("-S --split-string"),
    },
  ],
  [
    "sudo",
    {
      valued: words(
        "-u --user -g --group -h --host -p --prompt -C -D --chdir -r --role -t --type -U -R --chroot -T",
      ),
      takesAssignments: true,
      directory: words("-D --chdir"),
    },
  ],
  ["doas", { valued: words("-u -C") }],
  ["nohup", {}],
  ["time", { valued: words("-f -o --format --output") }],
  ["command", {}],
  ["builtin", {}],
  ["exec", { valued: words("-a") }],
  ["nice", { valued: words("-n --adjustment") }],
  ["ionice", { valued: words("-c -n --class --classdata") }],
  ["timeout", { valued: words("-k -s --kill-after --signal"), operands: 1 }],
  ["stdbuf", { valued: words("-i -o -e") }],
  ["setsid", {}],
  ["busybox", {}],
  ["parallel", { valued: words("-j --jobs -a -n -I --colsep --joblog") }],
  ["su", { valued: words("-c --command -s --shell -g"), text: words("-c --command") }],
  ["chronic", {}],
  ["unbuffer", {}],
  ["caffeinate", { valued: words("-t -w") }],
  ["watch", { valued: words("-n --interval") }],
  ["strace", { valued: words("-e -o -s -p -P") }],
  ["flock", { valued: words("-w -E"), operands: 1 }],
  ["taskset", { operands: 1 }],
  ["xvfb-run", { valued: words("-n -s -e -f -p -w --server-args --server-num") }],
  ["dotenv", { valued: words("-f -e --file") }],
  ["cross-env", { takesAssignments: true }],
  ["direnv", { subcommands: words("exec"), operands: 1 }],
  ["mise", { subcommands: words("exec x"), valued: words("-C --cd"), directory: words("-C --cd") }],
  ["op", { subcommands: words("run"), valued: words("--env-file") }],
  ["doppler", { subcommands: words("run"), valued: words("-p -c --project --config") }],
  ["bundle", { subcommands: words("exec") }],
  [
    "conda",
    { subcommands: words("run"), valued: words("-n --name -p --prefix --cwd"), directory: words("--cwd") },
  ],
  ["mamba", { subcommands: words("run"), valued: words("-n --name -p --prefix") }],
  ["micromamba", { subcommands: words("run"), valued: words("-n --name -p --prefix") }],
  ["pixi", { subcommands: words("run"), valued: words("-e --environment --manifest-path") }],
  [
    "uv",
    {
      ...ENVIRONMENT,
      valued: words(
        "--with --with-editable --with-requirements -p --python --directory --project --extra --group --no-group --only-group " +
          "--env-file --package --index --default-index -i --index-url --extra-index-url -f --find-links --config-file " +
          "--cache-dir --isolated-from -P --upgrade-package -C --config-setting --link-mode --resolution --prerelease -w -m --module",
      ),
      directory: words("--directory"),
    },
  ],
  [
    "uvx",
    { valued: words("--from --with -p --python --with-editable --index --index-url -w"), runsFiles: true },
  ],
  [
    "poetry",
    { ...ENVIRONMENT, valued: words("-C --directory -P --project"), directory: words("-C --directory") },
  ],
  ["pipenv", ENVIRONMENT],
  ["pdm", { ...ENVIRONMENT, valued: words("-p --project"), directory: words("-p --project") }],
  ["hatch", { ...ENVIRONMENT, valued: words("-e --env") }],
  ["rye", ENVIRONMENT],
  ["pipx", { ...ENVIRONMENT, valued: words("--spec --python --pip-args") }],
  [
    "npx",
    {
      valued: words("-p --package -c --call --prefix -w --workspace"),
      text: words("-c --call"),
      directory: words("--prefix"),
    },
  ],
  [
    "npm",
    {
      subcommands: words("exec x"),
      valued: words("-p --package -c --call --prefix -C -w --workspace"),
      text: words("-c --call"),
      directory: words("--prefix -C"),
    },
  ],
  [
    "pnpm",
    {
      subcommands: words("dlx exec"),
      valued: words("-C --dir --package --filter"),
      directory: words("-C --dir"),
    },
  ],
  [
    "yarn",
    { subcommands: words("dlx exec"), valued: words("--cwd -p --package"), directory: words("--cwd") },
  ],
  ["bunx", { valued: words("-p --package") }],
  ["nix-shell", { valued: words("-p --packages --run --command -I -A"), text: words("--run --command") }],
]);

/** Starts its command with what it reads behind it. */
export const XARGS: OptionStyle = {
  valued: words(
    "-n -L -P -s -d -I -E -a --max-args --max-procs --delimiter --arg-file --replace --max-lines",
  ),
};
