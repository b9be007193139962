export { parseShell } from "./syntax/parse-shell.ts";
export { type Loop, type TreeClient, TreeWalk } from "./syntax/walk-tree.ts";
export type {
  HarmlessOptions,
  Hazards,
  Interprets,
  OptionStyle,
  ProgramRow,
  Reads,
  Starts,
} from "./table/program-row.ts";
export { findRow, PROGRAM_NAMES, programName } from "./table/programs.ts";
export { findCommands } from "./table/split-options.ts";
