import type { Program, QuietProgram } from "../model/call.ts";
import { EMPTY, UNKNOWN } from "../model/value.ts";
import { type Column, lookUp } from "../table/program-row.ts";
import { findRow, programName } from "../table/programs.ts";
import { BUILTINS } from "./builtins.ts";
import { DECODERS } from "./decoders.ts";
import { DESTROYERS } from "./destroyers.ts";
import { FETCHERS } from "./fetchers.ts";
import { FILE_TOOLS } from "./file-tools.ts";
import { FILTERS, grep, through } from "./filters.ts";
import { GIT_TOOLS } from "./git.ts";
import { INTERPRETING, interpret } from "./interpreters.ts";
import { AGENT_TOOLS, PACKAGE_MANAGERS } from "./package-managers.ts";
import { SENDERS } from "./senders.ts";
import { effectsOf, hasSigns, printedBySign } from "./signs.ts";
import { STARTERS, startInner } from "./starters.ts";
import { PERSISTERS, SYSTEM_TOOLS } from "./system-tools.ts";
import { WINDOWS_TOOLS } from "./windows-tools.ts";

/** Finds a program's behaviour by its base name; undefined if neither the table nor a function knows it. */
export function findProgram(name: string): Program | undefined {
  const run = functionOf(name);
  if (!hasSigns(programName(name))) return run;
  return (call, shell) => {
    for (const effect of effectsOf(call)) shell.effect(effect);
    const printed = run?.(call, shell) ?? UNKNOWN;
    return printedBySign(call) ?? printed;
  };
}

function functionOf(name: string): Program | undefined {
  const found = findFunction(name) ?? findFunction(programName(name));
  const own: Program | undefined = found && ((call, shell) => found(call, shell) ?? EMPTY);
  const row = findRow(name);
  if (row === undefined) return own;
  const { starts, interprets, reads } = row;
  const start: Program | undefined = starts && ((call, shell) => startInner(starts, call, shell));
  const run: Program | undefined = interprets && ((call, shell) => interpret(interprets, call, shell));
  // `go get` installs, and `go run` runs a file.
  if (own !== undefined)
    return bothOf(own, interprets?.needsSubcommand ? run : startsItself(name) ? undefined : start);
  return start ?? run ?? (reads === undefined ? (call) => call.passedOn : reads.searches ? grep : through);
}

// `op run` starts a command, and `op read` prints a secret.
function bothOf(own: Program, other: Program | undefined): Program {
  if (other === undefined) return own;
  return (call, shell) => {
    const printed = own(call, shell);
    const inner = other(call, shell);
    return inner === EMPTY ? printed : inner;
  };
}

export function isKnownProgram(name: string): boolean {
  return findFunction(name) !== undefined || hasSigns(programName(name)) || findRow(name) !== undefined;
}

const startsItself = lookUp(() => [STARTERS, PACKAGE_MANAGERS, PERSISTERS]);

/** Whether the shell itself does it, so that no program can start it. */
export function isBuiltin(name: string): boolean {
  return findBuiltin(name) !== undefined;
}

const findBuiltin = lookUp(() => [BUILTINS]);

/** Whether all effects of a program's words are known; otherwise the words are also judged by their look. */
export function isPrecise(name: string): boolean {
  const plain = programName(name);
  if (isPreciseFunction(name) || isPreciseFunction(plain)) return true;
  const row = (findFunction(name) ?? findFunction(plain)) ? undefined : findRow(name);
  return (
    row !== undefined &&
    row.starts?.subcommands === undefined &&
    (row.hazards === undefined || "reads" in row)
  );
}

const PRECISE = [BUILTINS, FILTERS, DECODERS, FILE_TOOLS, FETCHERS, PERSISTERS, INTERPRETING, STARTERS];
const findPrecise = lookUp(() => PRECISE);
const ALSO = /^(?:rm|shred|srm|unlink|rimraf|trash|del|erase|rd|rmdir|docker|podman|nerdctl|git|ssh-keygen)$/;
const isPreciseFunction = (name: string): boolean =>
  ALSO.test(name) || (findPrecise(name) !== undefined && !/^(?:xdg-)?open$/.test(name));

/** The behaviour of programs that their rows in the table do not fully describe. */
export const functionColumns = (): readonly Column<Program | QuietProgram>[] => [
  ...[BUILTINS, FILTERS, DECODERS, FILE_TOOLS, FETCHERS, GIT_TOOLS, SENDERS, PACKAGE_MANAGERS, AGENT_TOOLS],
  ...[PERSISTERS, DESTROYERS, SYSTEM_TOOLS, WINDOWS_TOOLS, INTERPRETING, STARTERS],
];

const findFunction = lookUp(functionColumns);
