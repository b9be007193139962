import type { Resolved } from "../fetch/resolved.ts";

/**
 * Whose word a pin is, for people: whoever may write there, as far as an address tells.
 *
 * Only of a few forges is it known which part of a path is somebody's name; elsewhere whole paths are compared, since a
 * question too many is better than a stranger who is not noticed.
 */
export function publisherOf(resolved: Resolved): string {
  switch (resolved.kind) {
    case "local":
      return "this machine";
    case "git":
      return ofRepository(resolved.url);
    case "archive":
      return resolved.location.startsWith("/") ? "this machine" : ofFile(resolved.location);
    case "skill-file":
      return ofFile(resolved.url);
    case "well-known":
      return ofIndex(resolved.index);
    case "npm":
      return `the package ${resolved.name}`;
    case "oci":
      return `${resolved.registry}/${resolved.repository}`;
  }
}

function ofRepository(url: string): string {
  const address = addressOf(url);
  if (address === undefined) return url;
  const { host, path } = address;
  const [, owner = "", repository = ""] = path.split("/");
  return FORGES.has(host) && isOwner(owner) && repository !== ""
    ? `${host}/${owner.toLowerCase()}`
    : `${host}${path.replace(/\/+$/, "").replace(/\.git$/, "")}`;
}

function ofFile(url: string): string {
  const address = addressOf(url);
  if (address === undefined) return url;
  const { host, path } = address;
  const owner = OWN_FILES.map((form) => form.exec(`${host}${path}`)?.[1]).find((name) => name !== undefined);
  if (owner !== undefined && isOwner(owner)) return `${host}/${owner.toLowerCase()}`;
  // What is told apart by a query, or by a slash in disguise, has no folder.
  if (/[?]|%2f|%5c/i.test(path)) return `${host}${path}`;
  return `${host}${path.slice(0, path.lastIndexOf("/"))}`;
}

// The index of one site has several places.
function ofIndex(url: string): string {
  return ofFile(url.replace(/\/\.well-known\/(?:agent-)?skills\/index\.json$/, "/index.json"));
}

// The first folder is whose the repository is.
const FORGES: ReadonlySet<string> = new Set([
  "github.com",
  "gitlab.com",
  "bitbucket.org",
  "codeberg.org",
  "git.sr.ht",
]);

// Files that nobody but who is named there can have put there; by a commit, a stranger's can be had under any fork's name.
const OWN_FILES: readonly RegExp[] = [
  /^github\.com\/([^/]+)\/[^/]+\/(?:releases\/download|archive\/refs\/(?:heads|tags))\//,
  /^codeload\.github\.com\/([^/]+)\/[^/]+\/(?:zip|tar\.gz)\/refs\/(?:heads|tags)\//,
  /^gitlab\.com\/([^/]+)\/(?:[^/]+\/)+-\/releases\//,
  /^bitbucket\.org\/([^/]+)\/[^/]+\/downloads\//,
  /^codeberg\.org\/([^/]+)\/[^/]+\/releases\/download\//,
];

function isOwner(name: string): boolean {
  return /^[A-Za-z0-9._~-]+$/.test(name) && !EVERYBODYS.has(name.toLowerCase());
}

// First folders of those forges that are nobody's name.
const EVERYBODYS: ReadonlySet<string> = new Set(["-", "api", "attachments", "snippets", "user-attachments"]);

interface Address {
  readonly host: string;
  /** Begins with a slash; with its query. */
  readonly path: string;
}

function addressOf(url: string): Address | undefined {
  const [, user, machine, place] = /^(?:([^/:@]+)@)?([^/:@]+):(?!\/\/)(.*)$/.exec(url) ?? [];
  if (machine !== undefined && place !== undefined)
    return { host: hostOf(machine, user), path: place.startsWith("/") ? place : `/${place}` };
  if (!URL.canParse(url)) return undefined;
  const { protocol, username, host, pathname, search } = new URL(url);
  if (protocol === "file:") return undefined;
  const isSsh = protocol === "ssh:";
  return {
    host: isSsh ? hostOf(host.replace(/:22$/, ""), username) : hostOf(host),
    path: `${pathname}${search}`,
  };
}

// Over ssh, paths begin at home, and each has another one; `git` is everybody's.
function hostOf(host: string, user = ""): string {
  return `${user === "" || user === "git" ? "" : `${user}@`}${host.toLowerCase()}`;
}
