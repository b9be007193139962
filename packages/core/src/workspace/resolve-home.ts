import { homedir, userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";

/** The folders that belong to a user. */
export interface Homes {
  readonly userHome: string;
  /** Skillet's own: `SKILLET_HOME`, else `~/.skillet`. */
  readonly home: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the user's folders.
 *
 * The working directory must not become anybody's home, or a repository's own config and trust store would be
 * believed: a variable that is empty counts as not set, and one that is not absolute is refused.
 */
export function resolveHome(
  environment: Environment,
  options: { readonly userHome?: string | undefined; readonly home?: string | undefined } = {},
): Homes {
  const userHome = options.userHome === undefined ? findUserHome(environment) : resolve(options.userHome);
  const home =
    options.home === undefined
      ? (readFolder(environment, "SKILLET_HOME") ?? join(userHome, ".skillet"))
      : resolve(options.home);
  return { userHome, home };
}

function findUserHome(environment: Environment): string {
  const named = readFolder(environment, "HOME") ?? readFolder(environment, "USERPROFILE");
  if (named !== undefined) return named;
  // Node believes the process's own HOME, whatever it says; the user database cannot be set from a shell.
  const known = [homedir, () => userInfo().homedir].map(ask).find((folder) => isAbsolute(folder));
  if (known !== undefined) return known;
  throw new SkilletError("home-unknown", "Your home folder is not known; set HOME to its absolute path.");
}

// A container may run as somebody whom its user database does not list.
function ask(question: () => string): string {
  try {
    return question();
  } catch (error) {
    if (errorCode(error) !== "ERR_SYSTEM_ERROR") throw error;
    return "";
  }
}

function readFolder(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  if (value === undefined || value === "") return undefined;
  if (isAbsolute(value)) return resolve(value);
  throw new SkilletError(
    "home-not-absolute",
    `${name} is ${JSON.stringify(value)}, which depends on the working directory; set it to an absolute path.`,
    { data: { name, value } },
  );
}
