import { checkFolder } from "./parse-shorthand.ts";
import { refuseCredentials, refuseKind, refuseSource } from "./refuse-source.ts";
import type { GitSource } from "./source.ts";
import { decodeText, parseTail } from "./source-tail.ts";

/** Reads what stands behind `git:`: any URL of a repository, with `//folder` and `#ref@pick`. */
export function parseGitPrefix(location: string, text: string): GitSource {
  // The protocol that encrypts nothing and knows no server; `git://host` leaves `//host` here.
  if (location.startsWith("//"))
    refuseKind(
      text,
      "uses git's own protocol, by which anybody on the way can change what comes",
      "Use https or ssh.",
    );
  const scp = parseScp(location, text);
  if (scp !== undefined) return scp;
  if (!/^(?:https?|ssh|file):\/\//i.test(location))
    refuseSource(
      text,
      "names no repository behind git:",
      "Write git:https://HOST/PATH, git:ssh://… or git:git@HOST:PATH.",
    );
  return parseGitUrl(location, text);
}

/** Reads `ssh://[user@]host[:port]/path`. */
export function parseSshUrl(location: string, text: string): GitSource {
  return parseGitUrl(location, text);
}

/** Reads `user@host:path`; undefined for what is none. */
export function parseScp(location: string, text: string = location): GitSource | undefined {
  const { place, fragment } = splitFragment(location);
  const match =
    /^([A-Za-z0-9_][A-Za-z0-9._-]*)@([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?):(?!\/\/)(.+)$/.exec(place);
  if (match === null) {
    const host = /^[^/@]*:[^/@]*@([^/@:]+)[:/]/.exec(place)?.[1];
    if (host !== undefined) refuseCredentials(host);
    return undefined;
  }
  const [, user = "", host = "", rest = ""] = match;
  const { path, folder } = splitFolder(rest, text);
  return withTail(
    { kind: "git", url: `${user}@${host.toLowerCase()}:${checkRepositoryPath(path, text)}` },
    { folder, fragment, text },
  );
}

/** Adds a folder and what stands behind `#` to a repository. */
export function withTail(
  source: GitSource,
  tail: {
    readonly folder?: string | undefined;
    readonly fragment?: string | undefined;
    readonly text: string;
  },
): GitSource {
  const { folder, fragment, text } = tail;
  return {
    ...source,
    ...(fragment !== undefined && parseTail(text, fragment)),
    ...(folder !== undefined && { folder }),
  };
}

/** Reads a URL and refuses credentials in it before anything of it is repeated. */
export function readUrl(location: string, text: string): URL {
  let url: URL;
  try {
    url = new URL(location);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    if (location.includes("@")) refuseCredentials("an address that is no URL either");
    return refuseSource(text, "is no URL", "Check its host and port.");
  }
  const isSsh = url.protocol === "ssh:";
  if (url.password !== "" || (url.username !== "" && !isSsh)) refuseCredentials(url.host);
  if (isSsh && url.username !== "" && !/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(url.username))
    refuseCredentials(url.host);
  if (url.hostname.startsWith("-")) refuseSource(text, "names a host that begins with -", "Check its host.");
  return url;
}

/** Splits at the first `#`. */
export function splitFragment(location: string): { readonly place: string; readonly fragment?: string } {
  const hash = location.indexOf("#");
  if (hash === -1) return { place: location };
  return { place: location.slice(0, hash), fragment: location.slice(hash + 1) };
}

function parseGitUrl(location: string, text: string): GitSource {
  const { place, fragment } = splitFragment(location);
  const url = readUrl(place, text);
  if (url.search !== "")
    refuseSource(text, "has a query, which no repository takes", "Leave out ? and what follows it.");
  if (url.protocol === "file:" ? url.host !== "" : url.host === "")
    refuseSource(text, "names a wrong host", "Write file:///PATH, or a host for other URLs.");
  const { path, folder } = splitFolder(url.pathname.slice(1), text);
  const user = url.username === "" ? "" : `${url.username}@`;
  return withTail(
    { kind: "git", url: `${url.protocol}//${user}${url.host}${checkRepositoryPath(`/${path}`, text)}` },
    { folder, fragment, text },
  );
}

/** Splits `repository//folder`. */
function splitFolder(
  rest: string,
  text: string,
): { readonly path: string; readonly folder?: string | undefined } {
  const split = rest.indexOf("//");
  if (split === -1) return { path: rest };
  return { path: rest.slice(0, split), folder: checkFolder(text, decodeText(text, rest.slice(split + 2))) };
}

/** Returns the path without slashes at its end; that form is the one checked, because it is the one shown and read again. */
function checkRepositoryPath(written: string, text: string): string {
  const path = written.replace(/\/+$/, "");
  const decoded = decodeText(text, path);
  const isOdd =
    decoded.replace(/^\//, "") === "" ||
    path !== path.trim() ||
    /[\p{Cc}\p{Cf}\p{Cs}\\]/u.test(decoded) ||
    /(?:^|\/)-/.test(path);
  if (isOdd) refuseSource(text, "has a path that cannot be a repository", "Write HOST/PATH/REPOSITORY.git.");
  return path;
}
