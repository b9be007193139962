import { homedir, userInfo } from "node:os";

/** The caller's home folder, by the environment and by the system's list of users; either may be missing. */
export function userHomes(): string[] {
  const homes = [homedir, () => userInfo().homedir].map(unlessUnknown);
  return [...new Set(homes.filter((home) => home !== undefined))];
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
