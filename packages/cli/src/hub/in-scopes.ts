import { existsSync } from "node:fs";
import { type Lock, readLock } from "@skillet/hub";
import { CliError, onSkilletError, refuseUsage } from "../context/cli-error.ts";
import type { CommandContext, ExitCode, Flags } from "../context/command-context.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { loadInstalling } from "../load-beside.ts";
import { printJson } from "../ui/json-document.ts";
import { showPath, stripControl } from "../ui/text.ts";

interface ScopedOptions extends Flags<"project" | "user"> {
  readonly names?: readonly string[];
  readonly name?: string;
}

type Scope = "user" | "project";
type ScopedCommand<Options> = (context: CommandContext, options: Options) => Promise<ExitCode>;

interface ScopeRules {
  readonly title: string;
  readonly changes: boolean;
  readonly hasNew?: boolean;
}

/**
 * Runs a command for the skills of the user and of the surrounding project; `--user` and `--project` narrow
 * it. A name goes to the scope where it is installed; to change one that is in both, the user must say which.
 */
export function inScopes(command: ScopedCommand<never>, rules: ScopeRules): ScopedCommand<ScopedOptions> {
  return async (context, options) => {
    const { project = false, user = false } = options;
    refuseUsage(rules.title, [[project && user, "--user and --project cannot be combined."]]);
    const { locks: files } = openWorkspace(context);
    const locks = { user: await lockAt(files.user), project: await lockAt(files.project) };
    const given = [options.names ?? options.name ?? []].flat();
    const isOne = project || user || !existsSync(files.project);
    const scopes: readonly Meant[] = isOne
      ? [{ scope: project ? "project" : "user", names: given }]
      : meant(given, locks, rules);
    const documents: Record<string, unknown>[] = [];
    let exitCode: ExitCode = 0;
    for (const one of scopes) {
      const { scope } = one;
      const scoped = optionsFor(options, one, locks[scope]);
      if (isOne) return command(context, scoped);
      if (!context.json) context.terminal.print(heading(context, scope, files[scope]));
      const code = await command(context.json ? capturing(context, scope, documents) : context, scoped);
      if (code > exitCode) exitCode = code;
    }
    if (context.json) printJson(context.terminal, merged(documents));
    return exitCode;
  };
}

function optionsFor(options: ScopedOptions, { scope, names }: Meant, lock: Lock | undefined): never {
  const own = lock === undefined ? names : names.map((name) => loadInstalling().lockedName(lock, name));
  const named = options.names === undefined ? { name: own[0] } : { names: own };
  return { ...options, project: scope === "project", ...named } as never;
}

interface Meant {
  readonly scope: Scope;
  readonly names: readonly string[];
}

function meant(
  given: readonly string[],
  locks: Readonly<Record<Scope, Lock | undefined>>,
  { changes, hasNew = false }: ScopeRules,
): readonly Meant[] {
  // If a lock is unreadable, the command itself reports why.
  const isIn = (scope: Scope, name: string): boolean | undefined => {
    const lock = locks[scope];
    return lock?.skills.has(loadInstalling().lockedName(lock, name));
  };
  const twice = given.find((name) => isIn("user", name) === true && isIn("project", name) === true);
  if (changes && twice !== undefined)
    throw new CliError("scope-ambiguous", `${twice} is installed for you and in this project.`, {
      exitCode: 1,
      hints: ["Say which one: pass --user or --project."],
      details: { name: twice },
    });
  const ofProject = given.filter((name) => isIn("project", name) !== false);
  // With `hasNew`, the user's config may list skills without a lock entry. Unknown names go to the user.
  const ofUser = given.filter((name) => isIn("user", name) !== false || isIn("project", name) === false);
  const both = [
    { scope: "project" as const, names: ofProject },
    { scope: "user" as const, names: ofUser },
  ];
  if (given.length > 0) return both.filter(({ names }) => names.length > 0);
  const filled = both.filter(({ scope }) => locks[scope]?.skills.size !== 0 || (hasNew && scope === "user"));
  // For an empty project lock, a command that only reads may report skills beside it.
  return changes && filled.length > 0
    ? filled
    : both.filter((one) => one.scope === "project" || filled.includes(one));
}

function lockAt(file: string): Promise<Lock | undefined> {
  return readLock(file).catch(onSkilletError(() => undefined));
}

function heading({ terminal, environment }: CommandContext, scope: Scope, file: string): string {
  const { bold, dim } = terminal.colours;
  return `${bold(scope === "user" ? "[Yours]" : "[This project's]")} ${dim(stripControl(showPath(file, environment)))}`;
}

/** Returns a context that captures a command's document instead of printing it, with a scope in each row. */
function capturing(
  context: CommandContext,
  scope: Scope,
  documents: Record<string, unknown>[],
): CommandContext {
  const printRaw = (text: string | Uint8Array): void => {
    const { schemaVersion: _, ...document } = JSON.parse(String(text)) as Record<string, unknown>;
    const rows = Object.entries(document).map(([key, value]) => [
      key,
      Array.isArray(value) && key !== "diagnostics" ? value.map((row) => ({ ...row, scope })) : value,
    ]);
    documents.push(Object.fromEntries(rows));
  };
  return { ...context, terminal: { ...context.terminal, printRaw } };
}

function merged(documents: readonly Record<string, unknown>[]): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const [key, value] of documents.flatMap(Object.entries)) {
    const before = all[key];
    all[key] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : (before ?? value);
  }
  return all;
}
