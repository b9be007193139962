import { realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";

/**
 * The caller's home folder, by the environment and by the system's list of users, as it is spelled there and as it is
 * reached without links: /home itself is one to /var/home on some systems.
 */
export function userHomes(): string[] {
  const homes = [homedir, () => userInfo().homedir].map(unlessUnknown).filter((home) => home !== undefined);
  const known = homes.map((home) => home.replace(/(?<=.)\/+$/, "")).filter((home) => home.startsWith("/"));
  return [...new Set(known.flatMap((home) => [home, withoutLinks(home)]))];
}

function unlessUnknown(find: () => string): string | undefined {
  try {
    return find();
  } catch (error) {
    // In a container the user often has a number and no name.
    if (error instanceof Error && "code" in error && error.code === "ERR_SYSTEM_ERROR") return undefined;
    throw error;
  }
}

function withoutLinks(home: string): string {
  try {
    return realpathSync(home);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES" || code === "ELOOP") return home;
    throw error;
  }
}
