import { type Program, passOn } from "../model/call.ts";
import { EMPTY } from "../model/value.ts";
import type { Starts } from "../table/program-row.ts";
import { findRow, programName } from "../table/programs.ts";
import { BUILTINS } from "./builtins.ts";
import { DECODERS } from "./decoders.ts";
import { DESTROYERS } from "./destroyers.ts";
import { FETCHERS } from "./fetchers.ts";
import { FILE_TOOLS, HIDING_TOOLS } from "./file-tools.ts";
import { FILTERS, grep, through } from "./filters.ts";
import { GIT_TOOLS } from "./git.ts";
import { INTERPRETING, interpret } from "./interpreters.ts";
import { OBSERVERS } from "./observers.ts";
import { AGENT_TOOLS, PACKAGE_MANAGERS } from "./package-managers.ts";
import { SENDERS, SOCKET_TOOLS } from "./senders.ts";
import { STARTERS, startInner } from "./starters.ts";
import { ACCOUNT_TOOLS, CONTAINER_TOOLS, PERSISTERS, PROTECTION_TOOLS } from "./system-tools.ts";
import { WINDOWS_TOOLS } from "./windows-tools.ts";

/** What a program does, by its base name; undefined where neither the table nor any function knows it. */
export function findProgram(name: string): Program | undefined {
  const own = FUNCTIONS.get(name) ?? FUNCTIONS.get(programName(name));
  const row = findRow(name);
  if (own === undefined && row === undefined) return undefined;
  const { starts, interprets, reads } = row ?? {};
  if (own !== undefined) {
    // `go get` installs, and `go run` runs a file.
    if (interprets?.needsSubcommand) return bothOf(own, interpret(interprets));
    return starts === undefined || STARTS_ITSELF.has(name) ? own : bothOf(own, starter(starts));
  }
  if (starts !== undefined) return starter(starts);
  if (interprets !== undefined) return interpret(interprets);
  if (reads !== undefined) return reads.searches ? grep : through;
  return passOn;
}

export function isKnownProgram(name: string): boolean {
  return FUNCTIONS.has(name) || findRow(name) !== undefined;
}

// `op run` starts a command, and `op read` prints a secret.
function bothOf(own: Program, other: Program): Program {
  return (call, shell) => {
    const printed = own(call, shell);
    const inner = other(call, shell);
    return inner === EMPTY ? printed : inner;
  };
}

function starter(starts: Starts): Program {
  return (call, shell) => startInner(starts, call, shell);
}

const STARTS_ITSELF: ReadonlySet<string> = new Set(
  [...STARTERS, ...PACKAGE_MANAGERS, ...PERSISTERS].map(([name]) => name),
);

/** Whether a shell does it itself, so that no program can start it. */
export function isBuiltin(name: string): boolean {
  return BUILTIN_NAMES.has(name);
}

const BUILTIN_NAMES: ReadonlySet<string> = new Set(BUILTINS.map(([name]) => name));

/** What the programs do whose rows do not say it all. */
export const NAMED_FUNCTIONS: readonly (readonly [string, Program])[] = [
  ...BUILTINS,
  ...FILTERS,
  ...DECODERS,
  ...OBSERVERS,
  ...FILE_TOOLS,
  ...HIDING_TOOLS,
  ...FETCHERS,
  ...GIT_TOOLS,
  ...SENDERS,
  ...SOCKET_TOOLS,
  ...PACKAGE_MANAGERS,
  ...AGENT_TOOLS,
  ...PERSISTERS,
  ...PROTECTION_TOOLS,
  ...CONTAINER_TOOLS,
  ...DESTROYERS,
  ...ACCOUNT_TOOLS,
  ...WINDOWS_TOOLS,
  ...INTERPRETING,
  ...STARTERS,
];

const FUNCTIONS: ReadonlyMap<string, Program> = new Map(NAMED_FUNCTIONS);
