import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, sep } from "node:path";
import { errorCode } from "./errors.ts";
import { leadsNowhere } from "./files/paths.ts";

type Environment = Readonly<Record<string, string | undefined>>;

// Checking each folder is cheapest for a few names; for many names, the folders are listed once.
const MAX_SINGLE_QUESTIONS = 32;

/** The absolute path of a program in PATH, without starting anything. */
export function findProgram(name: string, environment: Environment): string | undefined {
  return createProgramFinder({ environment })(name);
}

export function createProgramFinder({
  environment,
}: {
  readonly environment: Environment;
}): (name: string) => string | undefined {
  const folders = pathFolders(environment.PATH);
  const isWindows = process.platform === "win32";
  const endings = isWindows ? (environment.PATHEXT ?? ".EXE;.CMD;.BAT;.COM").split(";") : [""];
  const known = new Map<string, string | undefined>();
  let listing: ReturnType<typeof listNames> | undefined;
  const find = (name: string): string | undefined => {
    // A path instead of a name would ask about any file on the machine.
    if (name === "" || name.length > 255 || /[/\\\0]/.test(name)) return undefined;
    if (known.size >= MAX_SINGLE_QUESTIONS) listing ??= listNames(folders);
    const files = endings.map((ending) => name + ending);
    const listed = listing;
    const places =
      listed === undefined || files.some((file) => listed.names.has(file.toLowerCase()))
        ? folders
        : listed.unlisted;
    // Joined only when found: most look-ups fail.
    for (const folder of places)
      for (const file of files) if (isProgram(folder + sep + file)) return join(folder, file);
    return undefined;
  };
  return (name) => {
    if (!known.has(name)) known.set(name, find(name));
    return known.get(name);
  };
}

/**
 * The variables that are passed on to a program, selected by name, because an environment contains keys.
 * Windows has `Path` for `PATH`.
 */
export function passedOn(
  environment: Environment,
  isPassed: (name: string) => boolean,
): Record<string, string> {
  const passed: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && isPassed(process.platform === "win32" ? name.toUpperCase() : name))
      passed[name] = value;
  return passed;
}

/** The absolute folders of a PATH: empty or relative entries mean the working directory, often a project. */
export function pathFolders(path: string | undefined): readonly string[] {
  return (path ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
}

export function isProgram(path: string): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true) return false;
    if (process.platform === "win32") return true;
    // Root passes access checks, but cannot start a file without any executable bit.
    if ((stats.mode & 0o111) === 0) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (!leadsNowhere(error)) throw error;
    return false;
  }
}

/** The names in all folders, in lower case, and the folders that may be searched but not listed. */
function listNames(folders: readonly string[]): {
  readonly names: ReadonlySet<string>;
  readonly unlisted: readonly string[];
} {
  const names = new Set<string>();
  const unlisted: string[] = [];
  for (const folder of folders) {
    try {
      for (const name of readdirSync(folder)) names.add(name.toLowerCase());
    } catch (error) {
      if (!leadsNowhere(error)) throw error;
      if (errorCode(error) === "EACCES") unlisted.push(folder);
    }
  }
  return { names, unlisted };
}
