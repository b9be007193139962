import type { Program } from "../shell-call.ts";
import { ACCOUNT_TOOLS } from "./account-tools.ts";
import { AGENT_TOOLS } from "./agent-tools.ts";
import { BUILTINS } from "./builtins.ts";
import { CONTAINER_TOOLS } from "./container-tools.ts";
import { DECODERS } from "./decoders.ts";
import { DESTROYERS } from "./destroyers.ts";
import { FETCHERS } from "./fetchers.ts";
import { FILE_TOOLS } from "./file-tools.ts";
import { FILTERS } from "./filters.ts";
import { HIDING_TOOLS } from "./hiding-tools.ts";
import { findInterpreter, INTERPRETING } from "./interpreters.ts";
import { OBSERVERS } from "./observers.ts";
import { PACKAGE_MANAGERS } from "./package-managers.ts";
import { PERSISTERS } from "./persisters.ts";
import { PROTECTION_TOOLS } from "./protection-tools.ts";
import { SENDERS } from "./senders.ts";
import { SOCKET_TOOLS } from "./socket-tools.ts";
import { WINDOWS_TOOLS } from "./windows-tools.ts";
import { STARTERS } from "./wrappers.ts";

/** What is known of a program by its base name. */
export function findProgram(name: string): Program | undefined {
  return PROGRAMS.get(name) ?? findInterpreter(name);
}

const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ...BUILTINS,
  ...FILTERS,
  ...DECODERS,
  ...OBSERVERS,
  ...FILE_TOOLS,
  ...HIDING_TOOLS,
  ...FETCHERS,
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
]);
