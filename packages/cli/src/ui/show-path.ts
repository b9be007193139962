import { sep } from "node:path";
import { stripControl } from "./strip-control.ts";

/** A path for people: safe to print, with the home folder shortened to `~`. */
export function showPath(path: string, environment: Readonly<Record<string, string | undefined>>): string {
  const home = environment.HOME ?? environment.USERPROFILE;
  if (home !== undefined && home.length > 1 && (path === home || path.startsWith(home + sep))) {
    return stripControl(`~${path.slice(home.length)}`);
  }
  return stripControl(path);
}
