import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, sep } from "node:path";
import { errorCode } from "./errors.ts";
import { leadsNowhere } from "./files/paths.ts";

export interface ProgramSearch {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
}

// Asking for one name in each folder is cheapest for a few names; for a library of them the folders are read once.
const MAX_SINGLE_QUESTIONS = 32;

/** The absolute path of a program along PATH, without starting anything. */
export function findProgram(name: string, environment: ProgramSearch["environment"]): string | undefined {
  return createProgramFinder({ environment })(name);
}

export function createProgramFinder(search: ProgramSearch): (name: string) => string | undefined {
  const { environment, platform = process.platform } = search;
  const folders = pathFolders(environment.PATH);
  const endings = platform === "win32" ? (environment.PATHEXT ?? ".EXE;.CMD;.BAT;.COM").split(";") : [""];
  const known = new Map<string, string | undefined>();
  let listings: readonly (ReadonlySet<string> | undefined)[] | undefined;
  const find = (name: string): string | undefined => {
    if (!isBareName(name)) return undefined;
    if (known.size >= MAX_SINGLE_QUESTIONS) listings ??= folders.map((folder) => listNames(folder, platform));
    for (const [index, folder] of folders.entries())
      for (const ending of endings) {
        const file = name + ending;
        if (listings?.[index]?.has(platform === "win32" ? file.toLowerCase() : file) === false) continue;
        // Not joined before it is found: most look-ups fail.
        if (isProgram(folder + sep + file, platform)) return join(folder, file);
      }
    return undefined;
  };
  return (name) => {
    if (!known.has(name)) known.set(name, find(name));
    return known.get(name);
  };
}

/** The folders of a PATH; an entry that is empty or relative means the working directory, where any project's files lie. */
export function pathFolders(path: string | undefined): readonly string[] {
  return (path ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
}

/** Whether there is a regular file that this user may start. */
export function isProgram(path: string, platform: NodeJS.Platform = process.platform): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true) return false;
    if (platform === "win32") return true;
    // The superuser may access everything, and still cannot start a file without any such bit.
    if ((stats.mode & 0o111) === 0) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (!leadsNowhere(error)) throw error;
    return false;
  }
}

// A path in place of a name would ask about any file of the machine.
function isBareName(name: string): boolean {
  return name !== "" && name.length <= 255 && !/[/\\\0]/.test(name);
}

// A folder that may be searched but not listed is asked name by name.
function listNames(folder: string, platform: NodeJS.Platform): ReadonlySet<string> | undefined {
  try {
    const names = readdirSync(folder);
    return new Set(platform === "win32" ? names.map((name) => name.toLowerCase()) : names);
  } catch (error) {
    if (!leadsNowhere(error)) throw error;
    return errorCode(error) === "EACCES" ? undefined : new Set();
  }
}
