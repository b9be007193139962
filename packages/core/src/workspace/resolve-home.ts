import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The folders that belong to a user. */
export interface Homes {
  readonly userHome: string;
  /** Skillet's own: `SKILLET_HOME`, else `~/.skillet`. */
  readonly home: string;
}

/**
 * Finds the user's folders.
 *
 * A variable that is set but empty counts as not set: the working directory must not become anybody's home, or a
 * repository's own trust store would be believed.
 */
export function resolveHome(
  environment: Readonly<Record<string, string | undefined>>,
  options: { readonly userHome?: string | undefined; readonly home?: string | undefined } = {},
): Homes {
  const userHome = resolve(options.userHome ?? (environment.HOME || environment.USERPROFILE || homedir()));
  return {
    userHome,
    home: resolve(options.home ?? (environment.SKILLET_HOME || join(userHome, ".skillet"))),
  };
}
