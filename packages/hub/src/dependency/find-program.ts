import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { errorCode } from "@skillet/kit/errors";

/** The absolute path of a program, by the PATH that was given; folders that are relative to anything do not count. */
export function findProgram(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/.test(name)) return undefined;
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}
