import type { GitSource } from "./source.ts";
import {
  decodeText,
  isPick,
  parseTail,
  refuseCredentials,
  refuseKind,
  refuseSource,
  type SourceTail,
} from "./source-tail.ts";

/** Reads what follows `git:`: any URL of a repository, with `//folder` and `#ref@pick`. */
export function parseGitPrefix(location: string, text: string): GitSource {
  // The protocol that encrypts nothing and knows no server; `git://host` leaves `//host` here.
  if (location.startsWith("//"))
    refuseKind(text, "uses git's own protocol, which can be tampered with in transit", "Use https or ssh.");
  const scp = parseScp(location, text);
  if (scp !== undefined) return scp;
  if (!/^(?:https?|ssh|file):\/\//i.test(location))
    refuseSource(
      text,
      "names no repository after git:",
      "Write git:https://HOST/PATH, git:ssh://… or git:git@HOST:PATH.",
    );
  return parseGitUrl(location, text);
}

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

function splitFolder(
  rest: string,
  text: string,
): { readonly path: string; readonly folder?: string | undefined } {
  const split = rest.indexOf("//");
  if (split === -1) return { path: rest };
  return { path: rest.slice(0, split), folder: checkFolder(text, decodeText(text, rest.slice(split + 2))) };
}

/** Returns the path without slashes at its end: what is checked is what is shown and read again. */
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

/** Reads `owner/repository[/folder][#ref][@pick]`. */
export function parseShorthand(shorthand: string, text: string, host: string): GitSource {
  const hash = shorthand.indexOf("#");
  const tail: SourceTail = hash === -1 ? {} : parseTail(text, shorthand.slice(hash + 1));
  const place = splitPlace(hash === -1 ? shorthand : shorthand.slice(0, hash), text);
  if (place.pick !== undefined && tail.pick !== undefined)
    refuseSource(text, "picks two skills", "Write one of them, and install the other one by itself.");
  const [owner = "", repository = "", ...folders] = place.path.split("/");
  if (!isOwner(owner, host) || !isName(repository)) refuseSource(text, "is no source", suggestForm(text));
  const folder = folders.length === 0 ? undefined : checkFolder(text, decodeText(text, folders.join("/")));
  return {
    kind: "git",
    url: `https://${host}/${owner}/${repository.replace(/\.git$/, "")}`,
    ...(tail.ref !== undefined && { ref: tail.ref }),
    ...(folder !== undefined && { folder }),
    ...(place.pick !== undefined && { pick: place.pick }),
    ...(tail.pick !== undefined && { pick: tail.pick }),
  };
}

export function checkFolder(text: string, folder: string): string | undefined {
  const trimmed = folder.replace(/^\/+|\/+$/g, "");
  if (trimmed === "") return undefined;
  const isPlain = trimmed.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (!isPlain || /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\]/u.test(trimmed)) {
    refuseSource(
      text,
      `names the folder ${JSON.stringify(trimmed.slice(0, 80))}, which is none inside a repository`,
      "Write it from the repository's root, with single slashes and without . and ..",
    );
  }
  return trimmed;
}

export function isName(text: string): boolean {
  return (
    /^[A-Za-z0-9._-]{1,100}$/.test(text) &&
    !/^\.{1,2}$/.test(text) &&
    !/^\.git$/i.test(text) &&
    !text.startsWith("-")
  );
}

/** Whether a text can be the name of an owner there; GitHub has none with a dot, so `github.com/x` is not a repository. */
export function isOwner(text: string, host: string): boolean {
  return isName(text) && !(host === "github.com" && text.includes("."));
}

function splitPlace(place: string, text: string): { readonly path: string; readonly pick?: string } {
  const at = place.indexOf("@");
  if (at === -1) return { path: place };
  const pick = place.slice(at + 1);
  if (!isPick(pick)) {
    refuseSource(
      text,
      `names ${JSON.stringify(pick.slice(0, 80))} after @, which is not the name of a skill`,
      "Write OWNER/REPOSITORY@SKILL; an @ that is part of a folder is written %40.",
    );
  }
  return { path: place.slice(0, at), pick };
}

function suggestForm(text: string): string {
  if (/^[^\s/]+\.[a-z]{2,}(?:\/|$)/i.test(text) && !text.includes("@")) {
    return `Did you mean https://${text.split(/[?#]/)[0]}, or the folder ./${text.split(/[?#]/)[0]}?`;
  }
  if (text.includes("\\")) return "Write folders with /, such as ./skills/pdf.";
  if (!text.includes("/")) return `Did you mean the folder ./${text}, or OWNER/${text} on GitHub?`;
  return "Write OWNER/REPOSITORY[/FOLDER][#REF][@SKILL], a URL, or a folder such as ./skills.";
}
