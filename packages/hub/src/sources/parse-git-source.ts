import { shellArgument } from "@skillet/kit/text";
import type { GitSource, Source } from "./source.ts";
import { isArchiveName, refuseCredentials, type SourceText } from "./source-text.ts";

/** Parses the part after `git:`: any URL of a repository, with `//folder` and `#ref@pick`. */
export function parseGit(written: SourceText): GitSource {
  const { place } = written;
  // The protocol without encryption or authentication; `git://host` leaves `//host` here.
  if (place.startsWith("//")) {
    const problem = "uses git's own protocol, which can be tampered with in transit";
    written.refuse(problem, "Use https or ssh.", "source-unsupported");
  }
  const scp = parseScp(written);
  if (scp !== undefined) return scp;
  if (!/^(?:https?|ssh|file):\/\//i.test(place)) {
    const forms = "Write git:https://HOST/PATH, git:ssh://… or git:git@HOST:PATH.";
    written.refuse("names no repository after git:", forms);
  }
  return parseGitUrl(written);
}

/** Parses `user@host:path`; undefined for anything else. */
export function parseScp(written: SourceText): GitSource | undefined {
  const form = /^([A-Za-z0-9_][A-Za-z0-9._-]*)@([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?):(?!\/\/)(.+)$/;
  const [, user, host = "", rest = ""] = form.exec(written.place) ?? [];
  if (user !== undefined) return repositoryBelow(`${user}@${host.toLowerCase()}:`, rest, written);
  const secretive = /^[^/@]*:[^/@]*@([^/@:]+)[:/]/.exec(written.place)?.[1];
  if (secretive !== undefined) refuseCredentials(secretive);
  return undefined;
}

export function parseGitUrl(written: SourceText): GitSource {
  const url = written.url();
  if (url.search !== "")
    written.refuse("has a query, which no repository takes", "Leave out ? and what follows it.");
  if ((url.protocol === "file:") !== (url.host === ""))
    written.refuse("names a wrong host", "Write file:///PATH, or a host for other URLs.");
  const user = url.username === "" ? "" : `${url.username}@`;
  return repositoryBelow(`${url.protocol}//${user}${url.host}/`, url.pathname.slice(1), written);
}

/** The repository at a path that `//folder` may follow. */
function repositoryBelow(server: string, rest: string, written: SourceText): GitSource {
  const [, before = "", after] = /^(.*?)(?:\/\/(.*))?$/s.exec(rest) ?? [];
  const folder = after === undefined ? undefined : written.folder(written.decode(after));
  // Without trailing slashes: the checked path is the one that is shown and parsed again.
  const path = before.replace(/\/+$/, "");
  const decoded = written.decode(path);
  const isOdd =
    decoded.replace(/^\//, "") === "" ||
    path !== path.trim() ||
    /[\p{Cc}\p{Cf}\p{Cs}\\]/u.test(decoded) ||
    /(?:^|\/)-/.test(path);
  if (isOdd) written.refuse("has a path that cannot be a repository", "Write HOST/PATH/REPOSITORY.git.");
  return { kind: "git", url: `${server}${path}`, ...written.tail(), ...(folder !== undefined && { folder }) };
}

/** Parses `owner/repository[/folder][#ref][@pick]`. */
export function parseShorthand(written: SourceText, host: string): GitSource {
  const tail = written.tail();
  const [, path = "", pick] = /^([^@]*)(?:@(.*))?$/s.exec(written.place) ?? [];
  if (pick !== undefined)
    written.checkPick(pick, "Write OWNER/REPOSITORY@SKILL; an @ that is part of a folder is written %40.");
  if (pick !== undefined && tail.pick !== undefined)
    written.refuse("picks two skills", "Write one of them, and install the other one by itself.");
  const [owner = "", repository = "", ...folders] = path.split("/");
  if (!isOwner(owner, host) || !isName(repository))
    written.refuse("is not a source", suggestForm(written.text));
  const folder = written.folder(written.decode(folders.join("/")));
  return {
    kind: "git",
    url: `https://${host}/${owner}/${repository.replace(/\.git$/, "")}`,
    ...(folder !== undefined && { folder }),
    ...(pick !== undefined && { pick }),
    ...tail,
  };
}

function isName(text: string): boolean {
  return /^(?!-|\.{1,2}$)[A-Za-z0-9._-]{1,100}$/.test(text) && !/^\.git$/i.test(text);
}

// GitHub owners contain no dots, so `github.com/x` is not a repository.
function isOwner(text: string, host: string): boolean {
  return isName(text) && !(host === "github.com" && text.includes("."));
}

function suggestForm(text: string): string {
  const [bare = ""] = text.split(/[?#]/);
  if (/^[^\s/]+\.[a-z]{2,}(?:\/|$)/i.test(text) && !text.includes("@"))
    return `Did you mean https://${bare}, or the folder ./${bare}?`;
  if (text.includes("\\")) return "Write folders with /, such as ./skills/pdf.";
  if (!text.includes("/"))
    return `Did you mean the folder ./${text}, or OWNER/${text} on GitHub? To look for a skill: skillet find ${shellArgument(text)}`;
  return "Write OWNER/REPOSITORY[/FOLDER][#REF][@SKILL], a URL, or a folder such as ./skills.";
}

// Hosts where the first two parts of a path are always a repository.
const FORGES: ReadonlySet<string> = new Set(["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"]);

export function isForge({ hostname, port }: URL): boolean {
  return FORGES.has(hostname.replace(/^www\./, "")) && port === "";
}

/** Parses a page of a repository: its root, a folder, a SKILL.md, an archive, a commit; undefined for other URLs. */
export function parseForgeUrl(page: URL, written: SourceText): Source | undefined {
  const url = new URL(page);
  // These hosts redirect http to https anyway.
  if (isForge(url)) {
    url.hostname = url.hostname.replace(/^www\./, "");
    url.protocol = "https:";
  }
  const parts = url.pathname.split("/").filter((part) => part !== "");
  if (parts.includes("_git")) return parseAzure(url, parts, written);
  const marker = parts.findIndex(
    (part, index) => part === "-" && /^(?:tree|blob|raw)$/.test(parts[index + 1] ?? ""),
  );
  if (marker > 0) return parsePage(url, { parts, repository: marker, page: marker + 1 }, written);
  if (url.hostname === "raw.githubusercontent.com") return parseRaw(url, parts, written);
  const inRoot = { parts, repository: 2, page: 2 };
  if (parts.length >= 4 && parts[2] === "tree") return parsePage(url, inRoot, written);
  if (!isForge(url)) return undefined;
  if (parts[2] === "archive" || parts[2] === "releases" || parts.includes("-")) return undefined;
  if (parts[2] === "blob" || parts[2] === "raw") return parsePage(url, inRoot, written);
  if (parts[2] === "commit" && parts.length === 4 && written.fragment === undefined)
    return { ...repositoryAt(url, parts.slice(0, 2), written), ...written.tail(parts[3]) };
  const isRepository = parts.length === 2 || (parts.length > 2 && url.hostname === "gitlab.com");
  return isRepository ? { ...repositoryAt(url, parts, written), ...written.tail() } : undefined;
}

function repositoryAt(url: URL, parts: readonly string[], written: SourceText): GitSource {
  if (url.search !== "") written.refuse("has a query", "Leave out ? and what follows it.");
  const isKnown = isForge(url);
  if (isKnown && !(parts.every(isName) && isOwner(parts[0] ?? "", url.hostname)))
    written.refuse("is not the address of a repository", "Check owner and name.");
  const path = parts.join("/");
  return { kind: "git", url: `${url.origin}/${isKnown ? path.replace(/\.git$/, "") : path}` };
}

/** Positions in the path: where the repository ends, and where `tree`, `blob` or `raw` is. */
interface PageParts {
  readonly parts: readonly string[];
  readonly repository: number;
  readonly page: number;
}

/** Parses `tree/REF/FOLDER` and `blob/REF/FOLDER/SKILL.md`; only the remote knows where the ref ends. */
function parsePage(url: URL, { parts, repository, page }: PageParts, written: SourceText): Source {
  const rest = parts.slice(page + 1);
  const isTree = parts[page] === "tree";
  const file = rest.at(-1) ?? "";
  if (!isTree && isArchiveName(file)) {
    const path = [...parts.slice(0, page), "raw", ...rest].join("/");
    return { kind: "archive", location: `${url.origin}/${path}`, ...written.pick() };
  }
  if (!isTree && !/^skill\.md$/i.test(file))
    written.refuse("is the address of a single file", "Give its folder's address, or that of its SKILL.md.");
  // Path and origin are not joined, because a path that begins with // would be parsed as another host.
  const bare = new URL(url);
  bare.search = "";
  const found = repositoryAt(bare, parts.slice(0, repository), written);
  return withRefAndFolder(found, isTree ? rest : rest.slice(0, -1), written);
}

// The raw URL of a file; the rest of the skill is beside it.
function parseRaw(url: URL, parts: readonly string[], written: SourceText): Source | undefined {
  if (parts.length < 4 || !/^skill\.md$/i.test(parts.at(-1) ?? "") || url.search !== "") return undefined;
  const repository = repositoryAt(new URL("https://github.com"), parts.slice(0, 2), written);
  return withRefAndFolder(repository, parts.slice(2, -1), written);
}

function withRefAndFolder(source: GitSource, rest: readonly string[], written: SourceText): GitSource {
  const refAndFolder = written.folder(written.decode(rest.join("/")));
  if (refAndFolder === undefined)
    written.refuse("names no branch, tag or commit", "Leave out /tree, or name one.");
  if (refAndFolder.startsWith("-"))
    written.refuse("names a ref that begins with -", "Name a branch, tag or commit.");
  const tail = written.tail();
  if (tail.ref !== undefined) written.refuse("names two refs", "Write the ref in the path or after #.");
  return { ...source, refAndFolder, ...tail };
}

/** Parses `…/_git/NAME?path=/FOLDER&version=GBbranch`. */
function parseAzure(url: URL, parts: readonly string[], written: SourceText): GitSource {
  const { fragment } = written;
  if (parts.indexOf("_git") !== parts.length - 2)
    written.refuse("names no repository after _git", "Write …/_git/NAME.");
  const folder = written.folder(url.searchParams.get("path") ?? "");
  const version = url.searchParams.get("version");
  const ref = /^G[BTC](.+)$/.exec(version ?? "")?.[1];
  if (version !== null && ref === undefined)
    written.refuse("has an invalid version", "Write version=GBBRANCH.");
  if (ref !== undefined && fragment !== undefined && !fragment.startsWith("@"))
    written.refuse("names two refs", "Write the ref in the query or after #.");
  const tail = written.tail(ref === undefined ? fragment : `${encodeURIComponent(ref)}${fragment ?? ""}`);
  const source: GitSource = { kind: "git", url: `${url.origin}/${parts.join("/")}`, ...tail };
  return folder === undefined ? source : { ...source, folder };
}
