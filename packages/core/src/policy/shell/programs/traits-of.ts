import { BUILD_PROGRAMS } from "./build-programs.ts";
import { FILE_PROGRAMS } from "./file-programs.ts";
import { GIT } from "./git.ts";
import { INTERPRETERS } from "./interpreters.ts";
import { NETWORK_PROGRAMS } from "./network-programs.ts";
import { PACKAGE_PROGRAMS } from "./package-programs.ts";
import { programName } from "./program-name.ts";
import type { ProgramTraits } from "./program-traits.ts";
import { STARTERS } from "./starters.ts";

/** What is known of a program, by the word that names it. */
export function traitsOf(command: string): ProgramTraits {
  return TRAITS.get(programName(command)) ?? NONE;
}

const NONE: ProgramTraits = {};
const TRAITS: ReadonlyMap<string, ProgramTraits> = new Map([
  ["git", GIT],
  ...Object.entries(BUILD_PROGRAMS),
  ...Object.entries(FILE_PROGRAMS),
  ...Object.entries(NETWORK_PROGRAMS),
  ...Object.entries(PACKAGE_PROGRAMS),
  ...Object.entries(INTERPRETERS),
  ...Object.entries(STARTERS),
]);
