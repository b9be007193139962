import { readdirSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { errorCode } from "@skillet/kit/errors";
import { leadsNowhere } from "@skillet/kit/files";

/** Where commands are looked for. */
export interface CommandPath {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

// Asking for one name in each folder is cheapest for a few names; for a library of them the folders are read once.
const MAX_SINGLE_QUESTIONS = 32;

/** Looks commands up along PATH without starting a process, each once. */
export function createCommandFinder(where: CommandPath): (command: string) => boolean {
  const { platform, environment } = where;
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const endings = platform === "win32" ? (environment.PATHEXT ?? ".EXE;.CMD;.BAT;.COM").split(";") : [""];
  const known = new Map<string, boolean>();
  let listings: readonly (ReadonlySet<string> | undefined)[] | undefined;
  const find = (command: string): boolean => {
    if (!isBareName(command)) return false;
    if (known.size >= MAX_SINGLE_QUESTIONS) listings ??= folders.map((folder) => listNames(folder, platform));
    return folders.some((folder, index) => {
      const names = listings?.[index];
      return endings.some((ending) => {
        const name = command + ending;
        if (names?.has(platform === "win32" ? name.toLowerCase() : name) === false) return false;
        return isExecutable(join(folder, name), platform);
      });
    });
  };
  return (command) => {
    const answer = known.get(command) ?? find(command);
    known.set(command, answer);
    return answer;
  };
}

// A path in place of a name would ask about any file of the machine.
function isBareName(command: string): boolean {
  return command !== "" && command.length <= 255 && !/[/\\\0]/.test(command);
}

// A folder that may be searched but not listed is asked name by name.
function listNames(folder: string, platform: NodeJS.Platform): ReadonlySet<string> | undefined {
  try {
    const names = readdirSync(folder);
    return new Set(platform === "win32" ? names.map((name) => name.toLowerCase()) : names);
  } catch (error) {
    return passOver(error) ? undefined : new Set();
  }
}

function isExecutable(path: string, platform: NodeJS.Platform): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true && (platform === "win32" || (stats.mode & 0o111) !== 0);
  } catch (error) {
    passOver(error);
    return false;
  }
}

// A PATH entry that may not be searched, or is no folder, holds no command that could be run.
function passOver(error: unknown): boolean {
  if (!leadsNowhere(error)) throw error;
  return errorCode(error) === "EACCES";
}
