import type { Interprets } from "@skillet/shell/programs";
import { type Argument, exactText } from "./argument.ts";
import type { CommandScope } from "./command-scope.ts";
import { namesFile } from "./names-file.ts";
import { type CommandReader, NOTHING, type ProgramCall, type ProgramOutput } from "./program-call.ts";
import { type GivenOption, splitOptions } from "./split-options.ts";

/** Notes the script that an interpreter is called with, and what its options load. */
export function readInterpreter(
  spec: Interprets,
  { words, scope, input }: ProgramCall,
  { log }: CommandReader,
): ProgramOutput {
  const before = splitOptions(words, 1, spec);
  const hasSubcommand = spec.subcommands?.has(exactText(words[before.next])) ?? false;
  if (spec.needsSubcommand && !hasSubcommand) return NOTHING;
  const after = hasSubcommand ? splitOptions(words, before.next + 1, spec) : before;
  const options = hasSubcommand ? [...before.options, ...after.options] : before.options;
  if (options.some(({ name }) => spec.checks?.has(name))) return NOTHING;
  const { cwd } = enterDirectory(options, spec.directory, scope);
  for (const { name, value } of options)
    if (value !== undefined && spec.loads?.has(name) && namesFile(value)) log.file("run", value, cwd);
  const module = options.find(({ name }) => name === "-m")?.value;
  const script = options.find(({ name }) => spec.script?.has(name))?.value ?? words[after.next];
  if (module !== undefined) {
    if (!SCRIPT_MODULES.has(exactText(module))) noteModule(module, { log, scope, cwd });
    else noteFirstFile(words.slice(after.next), { log, cwd });
  } else if (options.some(({ name }) => spec.code?.test(name))) return NOTHING;
  else if (script === undefined || exactText(script) === "-")
    for (const file of input.content) log.file("run", file, cwd);
  else if (spec.subcommands === undefined || namesFile(script)) log.file("run", script, cwd);
  else if (hasSubcommand) log.file("run", PACKAGE_SCRIPTS, cwd);
  return NOTHING;
}

/** Where the scripts of `npm run` stand; which of them are the skill's is not known. */
export const PACKAGE_SCRIPTS: Argument = { kind: "pattern", text: "package.json" };

/** The scope in which a program works that was told a folder. */
export function enterDirectory(
  options: readonly GivenOption[],
  names: ReadonlySet<string> | undefined,
  scope: CommandScope,
): CommandScope {
  const value = options.find(({ name }) => names?.has(name))?.value;
  if (value === undefined) return scope;
  const inside = scope.copy();
  inside.enter(value);
  return inside;
}

/** Notes where a Python module would be that is looked for in the working directory and in `PYTHONPATH`. */
export function noteModule(
  module: Argument,
  {
    log,
    scope,
    cwd,
  }: {
    readonly log: CommandReader["log"];
    readonly scope: CommandScope;
    readonly cwd: string | undefined;
  },
): void {
  const name = exactText(module);
  if (!/^[\w.]+$/.test(name) || TOOL_MODULES.has(name.split(".")[0] ?? "")) return;
  const text = `${name.replaceAll(".", "/")}.py`;
  const path = scope.variable("PYTHONPATH");
  const folders = path.kind === "exact" ? path.text.split(":").slice(0, 8) : [];
  log.file("module", { kind: "exact", text }, cwd);
  for (const folder of folders)
    if (folder !== "") log.file("module", { kind: "exact", text: `${folder}/${text}` }, cwd);
}

function noteFirstFile(
  words: readonly Argument[],
  { log, cwd }: { readonly log: CommandReader["log"]; readonly cwd: string | undefined },
): void {
  const file = words.find((word) => namesFile(word));
  if (file !== undefined) log.file("run", file, cwd);
}

// These run the script behind them.
const SCRIPT_MODULES: ReadonlySet<string> = new Set(["cProfile", "pdb", "profile", "runpy", "trace"]);
// Everybody has these, wherever they stand.
const TOOL_MODULES: ReadonlySet<string> = new Set(
  (
    "ast base64 black build compileall coverage doctest ensurepip flake8 http idlelib isort json mypy pip pipx poetry " +
    "pydoc pylint pytest py_compile ruff site sqlite3 tarfile timeit tokenize twine unittest uv venv virtualenv zipfile"
  ).split(" "),
);
