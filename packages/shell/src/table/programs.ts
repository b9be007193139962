import { BUILD_HAZARDS, PACKAGE_HAZARDS } from "./build-hazards.ts";
import { FILE_HAZARDS, NETWORK_HAZARDS, NEVER_COVERED } from "./hazards.ts";
import { INTERPRETERS } from "./interpreters.ts";
import { byName, type Column, type ProgramRow, readCell, type Written, words } from "./program-row.ts";
import { READERS } from "./readers.ts";
import { WRAPPERS } from "./wrappers.ts";

export function findRow(command: string): ProgramRow | undefined {
  return PROGRAMS.get(programName(command));
}

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

export const PROGRAMS: ReadonlyMap<string, ProgramRow> = joinColumns([
  ...DATA_PROGRAMS.split(" ").map((name) => [name, {}] as const),
  ...cellsOf("starts", WRAPPERS),
  ...cellsOf("interprets", INTERPRETERS),
  ...cellsOf("reads", READERS),
  ...[BUILD_HAZARDS, PACKAGE_HAZARDS, FILE_HAZARDS, NETWORK_HAZARDS, NEVER_COVERED].flatMap((hazards) =>
    cellsOf("hazards", hazards),
  ),
]);

// Read when it is asked for: a command names few programs, and an agent waits for hooks that look them up.
function cellsOf<Key extends keyof ProgramRow>(
  key: Key,
  column: Column<Written<NonNullable<ProgramRow[Key]>>>,
): Cells {
  return byName(column).map(([name, cell]) => [name, { [key]: { get: () => readCell(cell) } }]);
}

type Cells = readonly (readonly [name: string, PropertyDescriptorMap])[];
function joinColumns(cells: Cells): ReadonlyMap<string, ProgramRow> {
  const rows = new Map<string, ProgramRow>();
  for (const [name, cell] of cells) rows.set(name, Object.defineProperties(rows.get(name) ?? {}, cell));
  return rows;
}
