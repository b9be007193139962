export type {
  HarmlessOptions,
  Hazards,
  Interprets,
  OptionStyle,
  ProgramRow,
  Reads,
  Starts,
} from "./table/program-row.ts";
export { findRow, PROGRAMS, programName } from "./table/programs.ts";
