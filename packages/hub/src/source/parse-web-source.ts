import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isForge, parseForgeUrl } from "./parse-forge-url.ts";
import { parseGitPrefix, readUrl, splitFragment } from "./parse-git-source.ts";
import { refuseCredentials, refuseSource } from "./refuse-source.ts";
import type { Source, WellKnownSource } from "./source.ts";
import { decodeText, isArchiveName, isPick, parsePickTail } from "./source-tail.ts";

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
    if (fragment !== undefined) refuseSource(text, "has a # behind a single skill", "Leave it out.");
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

/** Reads what stands behind `well-known:`: `BASE/NAME`, or `BASE/` for everything there. */
export function parseWellKnown(location: string, text: string): WellKnownSource {
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
      `ends with ${JSON.stringify(name.slice(0, 80))}, which is no name of a skill`,
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
