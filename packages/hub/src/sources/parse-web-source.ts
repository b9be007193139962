import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  checkFolder,
  isName,
  isOwner,
  parseGitPrefix,
  readUrl,
  splitFragment,
  withTail,
} from "./parse-git-source.ts";
import type { GitSource, Source, SourceOf } from "./source.ts";
import {
  decodeText,
  isArchiveName,
  isPick,
  parsePickTail,
  parseTail,
  refuseCredentials,
  refuseSource,
} from "./source-tail.ts";

/** Reads an http(s) URL: of an archive, a SKILL.md, a repository, or else of a site with an index of skills. */
export function parseWebUrl(location: string, text: string): Source {
  const { place, fragment } = splitFragment(location);
  const url = readUrl(place, text);
  if (url.hostname === "") refuseSource(text, "names no host", "Write https://HOST/PATH.");
  const forge = parseForgeUrl(url, { text, fragment });
  if (forge !== undefined) return forge;
  const name = decodeText(text, url.pathname.slice(url.pathname.lastIndexOf("/") + 1));
  if (isArchiveName(name)) {
    checkQuery(url);
    return { kind: "archive", location: url.href, ...parsePickTail(text, fragment) };
  }
  if (/^skill\.md$/i.test(name)) {
    checkQuery(url);
    if (fragment !== undefined) refuseSource(text, "has a # after a single skill", "Leave it out.");
    return { kind: "skill-file", url: url.href };
  }
  if (/\.git(?:\/\/|\/?$)/.test(url.pathname)) return parseGitPrefix(location, text);
  if (isForge(url))
    refuseSource(
      text,
      "is a page about no repository",
      "Write https://HOST/OWNER/REPOSITORY, or a folder's page.",
    );
  return { kind: "well-known", base: baseOf(url, text), ...parsePickTail(text, fragment) };
}

/** Reads what follows `well-known:`: `BASE/NAME`, or `BASE/` for everything there. */
export function parseWellKnown(location: string, text: string): SourceOf<"well-known"> {
  const { place, fragment } = splitFragment(
    /^https?:\/\//i.test(location) ? location : `https://${location}`,
  );
  const url = readUrl(place, text);
  if (url.hostname === "") refuseSource(text, "names no host", "Write well-known:https://HOST/NAME.");
  const tail = parsePickTail(text, fragment);
  if (tail.pick !== undefined) return { kind: "well-known", base: baseOf(url, text), ...tail };
  const name = decodeText(text, url.pathname.slice(url.pathname.lastIndexOf("/") + 1));
  if (name === "") return { kind: "well-known", base: baseOf(url, text) };
  if (!isPick(name))
    refuseSource(
      text,
      `ends with ${JSON.stringify(name.slice(0, 80))}, which is not the name of a skill`,
      "End it with /.",
    );
  url.pathname = url.pathname.slice(0, url.pathname.lastIndexOf("/"));
  return { kind: "well-known", base: baseOf(url, text), pick: name };
}

/** Reads `file:///path`: an archive by its name, otherwise a repository. */
export function parseFileUrl(location: string, text: string): Source {
  const { place, fragment } = splitFragment(location);
  const url = readUrl(place, text);
  if (isArchiveName(url.pathname)) {
    if (url.host !== "" || url.search !== "")
      refuseSource(text, "names no file of this machine", "Write file:///PATH.");
    return { kind: "archive", location: pathOf(url, text), ...parsePickTail(text, fragment) };
  }
  return parseGitPrefix(location, text);
}

function pathOf(url: URL, text: string): string {
  try {
    const path = resolve(fileURLToPath(url));
    if (!/\p{Cc}/u.test(path)) return path;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  return refuseSource(text, "names no file of this machine", "Write file:///PATH.");
}

function baseOf(url: URL, text: string): string {
  if (url.search !== "") {
    checkQuery(url);
    refuseSource(text, "has a query, which no index of skills takes", "Leave out ? and what follows it.");
  }
  if (/\/{2}|%2f|%5c|%00/i.test(url.pathname)) refuseSource(text, "has an odd path", "Use single slashes.");
  return `${url.origin}${url.pathname.replace(/\/$/, "")}`;
}

// Signed addresses are keys: whoever reads the lock could use them.
function checkQuery(url: URL): void {
  const isKey = (name: string): boolean =>
    /token|sig|key|secret|pass|credential|auth|jwt|session/i.test(name);
  if ([...url.searchParams.keys()].some(isKey)) refuseCredentials(url.host);
}

interface Written {
  readonly text: string;
  readonly fragment: string | undefined;
}

// Where the first two parts of a path are always a repository.
const FORGES: ReadonlySet<string> = new Set(["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"]);

function parseForgeUrl(page: URL, written: Written): Source | undefined {
  const { text } = written;
  const url = canonical(page);
  const parts = url.pathname.split("/").filter((part) => part !== "");
  const azure = parts.indexOf("_git");
  if (azure !== -1) return parseAzure(url, { parts, azure, ...written });
  const marker = parts.findIndex(
    (part, index) => part === "-" && /^(?:tree|blob|raw)$/.test(parts[index + 1] ?? ""),
  );
  if (marker > 0) return parsePage(url, { parts, repository: marker, page: marker + 1, ...written });
  if (url.hostname === "raw.githubusercontent.com") return parseRaw(url, parts, written);
  if (parts.length >= 4 && parts[2] === "tree")
    return parsePage(url, { parts, repository: 2, page: 2, ...written });
  if (!isForge(url)) return undefined;
  if (parts[2] === "archive" || parts[2] === "releases" || parts.includes("-")) return undefined;
  if (parts[2] === "blob" || parts[2] === "raw")
    return parsePage(url, { parts, repository: 2, page: 2, ...written });
  if (parts[2] === "commit" && parts.length === 4 && written.fragment === undefined)
    return withTail(repositoryAt(url, parts.slice(0, 2), text), { fragment: parts[3], text });
  if (parts.length === 2 || url.hostname === "gitlab.com") {
    if (parts.length < 2) return undefined;
    return withTail(repositoryAt(url, parts, text), { fragment: written.fragment, text });
  }
  return undefined;
}

function isForge({ hostname, port }: URL): boolean {
  return FORGES.has(hostname.replace(/^www\./, "")) && port === "";
}

// http would be answered with https by these anyway.
function canonical(page: URL): URL {
  const url = new URL(page);
  if (isForge(url)) url.hostname = url.hostname.replace(/^www\./, "");
  if (isForge(url)) url.protocol = "https:";
  return url;
}

function repositoryAt(url: URL, parts: readonly string[], text: string): GitSource {
  if (url.search !== "") refuseSource(text, "has a query", "Leave out ? and what follows it.");
  const isKnown = isForge(url);
  if (isKnown && !(parts.every(isName) && isOwner(parts[0] ?? "", url.hostname)))
    refuseSource(text, "is no address of a repository", "Check owner and name.");
  const path = parts.join("/");
  return { kind: "git", url: `${url.origin}/${isKnown ? path.replace(/\.git$/, "") : path}` };
}

/** Reads `tree/REF/FOLDER` and `blob/REF/FOLDER/SKILL.md`; only the remote knows where the ref ends. */
function parsePage(
  url: URL,
  options: Written & {
    readonly parts: readonly string[];
    readonly repository: number;
    readonly page: number;
  },
): Source {
  const { parts, repository, page, text, fragment } = options;
  const rest = parts.slice(page + 1);
  const kind = parts[page];
  if (kind !== "tree" && isArchiveName(rest.at(-1) ?? "")) {
    const path = [...parts.slice(0, page), "raw", ...rest].join("/");
    return { kind: "archive", location: `${url.origin}/${path}`, ...parsePickTail(text, fragment) };
  }
  if (kind !== "tree" && !/^skill\.md$/i.test(rest.at(-1) ?? ""))
    refuseSource(
      text,
      "is the address of a single file",
      "Give the folder's address, or that of its SKILL.md.",
    );
  // Not by joining path and origin: a path that begins with // would be read as another host.
  const bare = new URL(url);
  bare.search = "";
  const repositorySource = repositoryAt(bare, parts.slice(0, repository), text);
  return withRest(repositorySource, kind === "tree" ? rest : rest.slice(0, -1), options);
}

// The address of the bytes of a file: the rest of the skill lies beside it.
function parseRaw(url: URL, parts: readonly string[], written: Written): Source | undefined {
  if (parts.length < 4 || !/^skill\.md$/i.test(parts.at(-1) ?? "") || url.search !== "") return undefined;
  const repository = repositoryAt(new URL("https://github.com"), parts.slice(0, 2), written.text);
  return withRest(repository, parts.slice(2, -1), written);
}

function withRest(source: GitSource, rest: readonly string[], { text, fragment }: Written): GitSource {
  const refAndFolder = checkFolder(text, decodeText(text, rest.join("/")));
  if (refAndFolder === undefined)
    refuseSource(text, "names no branch, tag or commit", "Leave out /tree, or name one.");
  if (refAndFolder.startsWith("-"))
    refuseSource(text, "names a ref that begins with -", "Name a branch, tag or commit.");
  const tail = fragment === undefined ? {} : parseTail(text, fragment);
  if ("ref" in tail) refuseSource(text, "names two refs", "Write the ref in the path or after #.");
  return { ...source, refAndFolder, ...tail };
}

/** Reads `…/_git/NAME?path=/FOLDER&version=GBbranch`. */
function parseAzure(
  url: URL,
  options: Written & { readonly parts: readonly string[]; readonly azure: number },
): GitSource {
  const { parts, azure, text, fragment } = options;
  if (parts.length !== azure + 2) refuseSource(text, "names no repository after _git", "Write …/_git/NAME.");
  const source: GitSource = { kind: "git", url: `${url.origin}/${parts.join("/")}` };
  const folder = checkFolder(text, url.searchParams.get("path") ?? "");
  const version = url.searchParams.get("version");
  const [, ref] = /^G[BTC](.+)$/.exec(version ?? "") ?? [];
  if (version !== null && ref === undefined)
    refuseSource(text, "names an odd version", "Write version=GBBRANCH.");
  if (ref !== undefined && fragment !== undefined && !fragment.startsWith("@"))
    refuseSource(text, "names two refs", "Write the ref in the query or after #.");
  const tail = ref === undefined ? fragment : `${encodeURIComponent(ref)}${fragment ?? ""}`;
  return withTail(source, { folder, fragment: tail, text });
}
