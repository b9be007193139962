import { BUILD_HAZARDS, PACKAGE_HAZARDS } from "./build-hazards.ts";
import { FILE_HAZARDS, NETWORK_HAZARDS, NEVER_COVERED } from "./hazards.ts";
import { INTERPRETERS } from "./interpreters.ts";
import { type Column, type ProgramRow, readCell, type Written, words } from "./program-row.ts";
import { READERS } from "./readers.ts";
import { WRAPPERS } from "./wrappers.ts";

// Read when it is asked for: a command names few programs, and an agent waits for hooks that look them up.
export function findRow(command: string): ProgramRow | undefined {
  const name = programName(command);
  const written = ROWS.get(name);
  if (written === undefined || READ.has(name)) return READ.get(name);
  const row = Object.fromEntries(Object.entries(written).map(([key, cell]) => [key, readCell(cell)]));
  READ.set(name, row);
  return row;
}

const READ = new Map<string, ProgramRow>();
/** A program as the table knows it: without its folder, its version and the `g` that GNU tools carry elsewhere. */
export function programName(command: string): string {
  const base = command.slice(Math.max(command.lastIndexOf("/"), command.lastIndexOf("\\")) + 1).toLowerCase();
  const name = base
    .replace(/\.(?:exe|cmd|bat|com)$/, "")
    .replace(/^(python|pypy|perl|ruby|php|lua|pip|node)[\d.]+w?$/, "$1");
  return GNU.has(name) ? name.slice(1) : name;
}

const GNU: ReadonlySet<string> = words(
  "gawk genv gfind gnice gnohup gsed gsort gsplit gstdbuf gtar gtimeout gxargs",
);

export function isShellName(command: string): boolean {
  return /^(?:shell|powershell|batch)$/.test(findRow(command)?.interprets?.language ?? "");
}

/** Programs that take their operands as data, and of which nothing else matters here. */
const DATA_PROGRAMS =
  "apropos basename brew cal cheat chgrp chown clear cmp comm dirname dpkg-query dust emerge eza figlet file " +
  "fzf groups info jobs locate ls man md5 nl nvm pacman-key pgrep pkg pkg-config pidof pkgutil readlink realpath say " +
  "sdkman seq sha1sum stat sum tldr toilet touch tput tree tty type uname uptime whatis whereis which who yes";

const ROWS: ReadonlyMap<string, Column<Written<object>>> = joinColumns();

export const PROGRAM_NAMES: readonly string[] = [...ROWS.keys()];

function joinColumns(): ReadonlyMap<string, Column<Written<object>>> {
  const rows = new Map(DATA_PROGRAMS.split(" ").map((name) => [name, {}]));
  const add = (key: keyof ProgramRow, ...columns: readonly Column<Written<object>>[]): void => {
    for (const [names, cell] of columns.flatMap((column) => Object.entries(column)))
      for (const name of names.split(" "))
        rows.set(name, Object.assign(rows.get(name) ?? {}, { [key]: cell }));
  };
  add("starts", WRAPPERS);
  add("interprets", INTERPRETERS);
  add("reads", READERS);
  add("hazards", BUILD_HAZARDS, PACKAGE_HAZARDS, FILE_HAZARDS, NETWORK_HAZARDS, NEVER_COVERED);
  return rows;
}
