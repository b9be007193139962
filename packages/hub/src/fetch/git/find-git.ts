import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";

/** The absolute path of git, by the PATH that was given; folders that are relative to anything do not count. */
export function findGit(environment: Readonly<Record<string, string | undefined>>): string {
  for (const folder of (environment.PATH ?? "").split(":")) {
    if (isAbsolute(folder) && isProgram(join(folder, "git"))) return join(folder, "git");
  }
  throw new SkilletError(
    "git-missing",
    "There is no git in any folder of PATH; install it, or name an archive or a folder instead.",
  );
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
