import { type GitAsker, gitProtocols } from "./git-protocols.ts";

// What the user's own helpers, agents, proxies and certificates need; nothing else of the caller's comes along.
const PASSED: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "TMPDIR",
  "XDG_CONFIG_HOME",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
  "SSH_AUTH_SOCK",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GIT_SSH_VARIANT",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "HTTP_PROXY",
  "http_proxy",
  "HTTPS_PROXY",
  "https_proxy",
  "ALL_PROXY",
  "all_proxy",
  "NO_PROXY",
  "no_proxy",
];

/** Where the helper of `gitSettings` finds the token. */
export const TOKEN_VARIABLE = "SKILLET_GIT_TOKEN";

const TOKENS: ReadonlyMap<string, readonly string[]> = new Map([
  ["github.com", ["GH_TOKEN", "GITHUB_TOKEN"]],
  ["gitlab.com", ["GITLAB_TOKEN"]],
]);

/** What git gets: no prompt of any kind, no lazy download, English messages, and a token for its own host alone. */
export function gitEnvironment(options: {
  readonly url: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly asker: GitAsker;
}): Record<string, string> {
  const { url, directory, environment, asker } = options;
  const own: Record<string, string> = Object.create(null);
  for (const name of PASSED) {
    const value = environment[name];
    if (value !== undefined) own[name] = value;
  }
  const token = tokenFor(url, environment);
  return {
    ...own,
    ...(token !== undefined && { [TOKEN_VARIABLE]: token }),
    LC_ALL: "C",
    GIT_DIR: directory,
    GIT_ALLOW_PROTOCOL: gitProtocols(url, asker),
    GIT_TERMINAL_PROMPT: "0",
    // Set and empty: git then asks neither this nor what its config names.
    GIT_ASKPASS: "",
    // Without a terminal, which a process of its own session has not, ssh could only ask through a window.
    SSH_ASKPASS_REQUIRE: "never",
    GCM_INTERACTIVE: "never",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
  };
}

/** The token that a variable holds for exactly the host of a URL. */
export function tokenFor(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const host = /^https:\/\/([^/]+)\//.exec(url)?.[1];
  const names = host === undefined ? undefined : TOKENS.get(host);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line end would add a line to what the helper says.
  return names?.map((name) => environment[name]).find((token) => token && !/[\x00-\x1f\x7f]/.test(token));
}
