import { BUILD_HAZARDS, PACKAGE_HAZARDS } from "./build-hazards.ts";
import { FILE_HAZARDS, NETWORK_HAZARDS, NEVER_COVERED } from "./hazards.ts";
import { INTERPRETERS } from "./interpreters.ts";
import { lookUp, MAX_FOUND, type ProgramRow, readCell, type Written, words } from "./program-row.ts";
import { READERS } from "./readers.ts";
import { WRAPPERS } from "./wrappers.ts";

export function findRow(command: string): ProgramRow | undefined {
  const name = programName(command);
  if (READ.has(name)) return READ.get(name);
  const cells = Object.entries(COLUMNS).flatMap(([key, find]) => {
    const cell = find(name);
    return cell === undefined ? [] : [[key, readCell(cell as Written<object>)]];
  });
  const isKnown = cells.length > 0 || DATA_PROGRAMS.includes(` ${name} `);
  const row: ProgramRow | undefined = isKnown ? Object.fromEntries(cells) : undefined;
  if (READ.size < MAX_FOUND) READ.set(name, row);
  return row;
}

const READ = new Map<string, ProgramRow | undefined>();

/** A program's name in the table: without folder, version and the `g` prefix of GNU tools. */
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

/** Programs that treat their operands as data, about which nothing else matters here. */
const DATA_PROGRAMS =
  " apropos basename brew cal cheat chgrp chown clear cmp comm dirname dpkg-query dust emerge eza figlet file " +
  "fzf groups info jobs locate ls man md5 nl nvm pacman-key pgrep pkg pkg-config pidof pkgutil readlink realpath say " +
  "sdkman seq sha1sum stat sum tldr toilet touch tput tree tty type uname uptime whatis whereis which who yes ";

const HAZARDS = [BUILD_HAZARDS, PACKAGE_HAZARDS, FILE_HAZARDS, NETWORK_HAZARDS, NEVER_COVERED];
const COLUMNS: Readonly<Record<keyof ProgramRow, (program: string) => object | undefined>> = {
  starts: lookUp(() => [WRAPPERS]),
  interprets: lookUp(() => [INTERPRETERS]),
  reads: lookUp(() => [READERS]),
  hazards: lookUp(() => HAZARDS),
};

export const PROGRAM_NAMES: readonly string[] = /* @__PURE__ */ (() => {
  const keys = [WRAPPERS, INTERPRETERS, READERS, ...HAZARDS].flatMap((column) => Object.keys(column));
  return [...words([DATA_PROGRAMS.trim(), ...keys].join(" "))];
})();
