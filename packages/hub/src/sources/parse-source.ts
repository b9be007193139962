import { basename, dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SkilletError } from "@skillet/kit/errors";
import {
  isForge,
  parseForgeUrl,
  parseGit,
  parseGitUrl,
  parseScp,
  parseShorthand,
} from "./parse-git-source.ts";
import { isNpmName, isOci, type Source, type SourceOf } from "./source.ts";
import { isArchiveName, isPick, refuseCredentials, SourceText } from "./source-text.ts";

const MAX_SOURCE_CHARACTERS = 2_048;

export interface ParseSourceOptions {
  readonly workspace: string;
  readonly userHome: string;
}

/**
 * Parses the source of skills as a user wrote it; nothing is looked up or fetched.
 *
 * @example
 * parseSource("anthropics/skills#main@pdf", { workspace: "/desk", userHome: "/home/me" });
 * // { kind: "git", url: "https://github.com/anthropics/skills", ref: "main", pick: "pdf" }
 */
export function parseSource(text: string, options: ParseSourceOptions): Source {
  const written = new SourceText(text);
  checkText(written);
  if (/^(?:\.{1,2}$|\.{1,2}\/|\/|~$|~\/)/.test(text)) return parseLocalSource(text, options);
  // Local folders may have such names; text from elsewhere must be readable for users first.
  if (/[\p{Cf}\p{Co}]|\p{Default_Ignorable_Code_Point}/u.test(text)) refuseInvisible(written);
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined) return parseScheme(scheme, written);
  if (text.startsWith("@")) refuseRegistry(written);
  return parseScp(written) ?? parseShorthand(written, "github.com");
}

/** Like `parseSource`, for text that need not be a source. */
export function sourceOrNone(text: string, options: ParseSourceOptions): Source | undefined {
  try {
    return parseSource(text, options);
  } catch (error) {
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}

function checkText(written: SourceText): void {
  const { text } = written;
  if (text === "") written.refuse("is empty", "Write OWNER/REPOSITORY, a URL, or a folder such as ./skills.");
  if (text.length > MAX_SOURCE_CHARACTERS)
    written.refuse(`has more than ${MAX_SOURCE_CHARACTERS} characters`, "Write a shorter one.");
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)) refuseInvisible(written);
  if (text !== text.trim()) written.refuse("begins or ends with a space", "Leave it out.");
  if (text.startsWith("-"))
    written.refuse("begins with -, which programs read as an option", "Write a folder like that as ./-NAME.");
}

function refuseInvisible(written: SourceText): never {
  written.refuse("has a control character or an invisible one", "Type it instead of pasting it.");
}

function parseScheme(scheme: string, written: SourceText): Source {
  const { text } = written;
  const rest = text.slice(scheme.length + 1);
  if (rest.startsWith(":")) {
    const problem = `asks git for the helper ${scheme}, which can run any command`;
    written.refuse(problem, "Write an https or ssh URL.", "source-unsupported");
  }
  switch (scheme) {
    case "github":
    case "gitlab":
      return parseShorthand(new SourceText(text, rest), `${scheme}.com`);
    case "http":
    case "https":
      return parseWebUrl(written);
    case "file":
      return parseFileUrl(written);
    case "ssh":
      return parseGitUrl(written);
    case "git+https":
    case "git+http":
    case "git+ssh":
    case "git+file":
      return parseGit(new SourceText(text, text.slice("git+".length)));
    case "git":
      return parseGit(new SourceText(text, rest));
    case "well-known":
      return parseWellKnown(new SourceText(text, /^https?:\/\//i.test(rest) ? rest : `https://${rest}`));
    case "npm":
      return parseNpm(new SourceText(text, rest));
    case "oci":
      return parseOci(new SourceText(text, rest.replace(/^\/\//, "")));
    default:
      return refuseScheme(scheme, written);
  }
}

function refuseScheme(scheme: string, written: SourceText): never {
  // Checked before any of it is repeated: an unknown scheme may contain a password all the same.
  const host = /^[^/?#]*\/\/[^/?#]*@([^/?#]*)/.exec(written.text)?.[1];
  if (host !== undefined) refuseCredentials(host);
  if (scheme === "skills-sh" || scheme === "clawhub") refuseRegistry(written);
  const isDrive = scheme.length === 1;
  written.refuse(
    isDrive ? "looks like a path with a drive" : `begins with ${scheme}:, which is not known`,
    isDrive
      ? "Write a relative path such as ./skills."
      : "Known sources: github: gitlab: git: https: ssh: file: well-known: npm: oci: and folders such as ./skills.",
    "source-unsupported",
  );
}

function refuseRegistry(written: SourceText): never {
  written.refuse(
    "names a skill of a registry, and Skillet does not talk to such servers",
    "Name the repository it comes from: OWNER/REPOSITORY@SKILL; a package of npm is written npm:@OWNER/NAME.",
    "source-unsupported",
  );
}

/** A trailing `@` and a name pick a skill; a trailing slash makes everything before it the name of a folder. */
function parseLocalSource(text: string, { workspace, userHome }: ParseSourceOptions): Source {
  const at = text.lastIndexOf("@");
  const name = text.slice(at + 1);
  // `tools@1.zip` is the name of an archive, so it picks no skill.
  const hasPick = at > 0 && isPick(name);
  const written = hasPick ? text.slice(0, at) : text;
  const pick = hasPick ? { pick: name } : {};
  const isHome = written === "~" || written.startsWith("~/");
  const path = isHome ? resolve(userHome, `.${written.slice(1)}`) : resolve(workspace, written);
  if (written.endsWith("/")) return { kind: "local", path, ...pick };
  if (isArchiveName(path)) return { kind: "archive", location: path, ...pick };
  const last = basename(path);
  if (/^skill\.md$/i.test(last)) return { kind: "local", path: dirname(path), ...pick };
  // A name that git could misinterpret remains a folder.
  const isRepository = last.endsWith(".git") && last !== ".git" && !/[\\\p{C}]|\/-/u.test(path);
  if (isRepository) return { kind: "git", url: pathToFileURL(path).href, ...pick };
  return { kind: "local", path, ...pick };
}

/** Parses an http(s) URL of an archive, a SKILL.md, a repository, or otherwise a site with an index of skills. */
function parseWebUrl(written: SourceText): Source {
  const url = written.url();
  if (url.hostname === "") written.refuse("names no host", "Write https://HOST/PATH.");
  const forge = parseForgeUrl(url, written);
  if (forge !== undefined) return forge;
  const name = written.decode(url.pathname.slice(url.pathname.lastIndexOf("/") + 1));
  if (isArchiveName(name)) {
    refuseKeys(url);
    return { kind: "archive", location: url.href, ...written.pick() };
  }
  if (/^skill\.md$/i.test(name)) {
    refuseKeys(url);
    if (written.fragment !== undefined) written.refuse("has a # after a single skill", "Leave it out.");
    return { kind: "skill-file", url: url.href };
  }
  if (/\.git(?:\/\/|\/?$)/.test(url.pathname)) return parseGit(written);
  if (isForge(url))
    written.refuse(
      "is not the page of a repository",
      "Write https://HOST/OWNER/REPOSITORY, or a folder's page.",
    );
  return { kind: "well-known", base: baseOf(url, written), ...written.pick() };
}

/** Parses the part after `well-known:`: `BASE/NAME`, or `BASE/` for all of its skills. */
function parseWellKnown(written: SourceText): SourceOf<"well-known"> {
  const url = written.url();
  if (url.hostname === "") written.refuse("names no host", "Write well-known:https://HOST/NAME.");
  const { pick } = written.pick();
  if (pick !== undefined) return { kind: "well-known", base: baseOf(url, written), pick };
  const slash = url.pathname.lastIndexOf("/");
  const name = written.decode(url.pathname.slice(slash + 1));
  if (name === "") return { kind: "well-known", base: baseOf(url, written) };
  if (!isPick(name)) {
    const shown = JSON.stringify(name.slice(0, 80));
    written.refuse(`ends with ${shown}, which is not the name of a skill`, "End it with /.");
  }
  url.pathname = url.pathname.slice(0, slash);
  return { kind: "well-known", base: baseOf(url, written), pick: name };
}

function baseOf(url: URL, written: SourceText): string {
  refuseKeys(url);
  if (url.search !== "")
    written.refuse("has a query, which no index of skills takes", "Leave out ? and what follows it.");
  if (/\/{2}|%2f|%5c|%00/i.test(url.pathname)) written.refuse("has an odd path", "Use single slashes.");
  return `${url.origin}${url.pathname.replace(/\/$/, "")}`;
}

// Signed URLs are keys: anyone who reads the lock could use them.
function refuseKeys(url: URL): void {
  const isKey = /token|sig|key|secret|pass|credential|auth|jwt|session/i;
  if ([...url.searchParams.keys()].some((name) => isKey.test(name))) refuseCredentials(url.host);
}

/** Parses `file:///path`: an archive if its name says so, otherwise a repository. */
function parseFileUrl(written: SourceText): Source {
  const url = written.url();
  if (!isArchiveName(url.pathname)) return parseGit(written);
  const location = url.host === "" && url.search === "" ? pathOf(url) : undefined;
  if (location === undefined) written.refuse("is not a file of this machine", "Write file:///PATH.");
  return { kind: "archive", location, ...written.pick() };
}

function pathOf(url: URL): string | undefined {
  try {
    const path = resolve(fileURLToPath(url));
    return /\p{Cc}/u.test(path) ? undefined : path;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Parses the part after `npm:`: `NAME[@VERSION][#@PICK]`. */
function parseNpm(written: SourceText): SourceOf<"npm"> {
  const [, name = "", version] = /^(.[^@]*)(?:@(.*))?$/s.exec(written.place) ?? [];
  if (!isNpmName(name))
    written.refuse("names no package", "Write npm:NAME or npm:@SCOPE/NAME, in lower case.");
  if (version !== undefined && !/^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/.test(version))
    written.refuse("names neither an exact version nor a tag", "Write npm:NAME@1.2.3 or npm:NAME@latest.");
  return { kind: "npm", name, ...(version !== undefined && { version }), ...written.pick() };
}

/** Parses the part after `oci://`: `HOST[:PORT]/REPOSITORY[:TAG][@DIGEST][#@PICK]`. */
function parseOci(written: SourceText): SourceOf<"oci"> {
  const [, host = "", repository = "", tag, digest] =
    /^([^/]*)\/([^:@]*)(?::([^@]*))?(?:@(.*))?$/s.exec(written.place) ?? [];
  if (host.includes("@")) refuseCredentials(host.slice(host.lastIndexOf("@") + 1));
  if (!isOci.registry(host)) {
    const example = "oci://registry.example.org/team/skill:1.0";
    written.refuse("names no registry", `Write oci://HOST/REPOSITORY:TAG, such as ${example}.`);
  }
  if (!isOci.repository(repository))
    written.refuse("names no repository of a registry", "Use lower-case letters, digits, . _ and -.");
  if (tag !== undefined && !isOci.tag(tag))
    written.refuse("has an odd tag", "Use letters, digits, . _ and -.");
  if (digest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(digest))
    written.refuse("has an odd digest", "Write @sha256: and 64 hexadecimal digits.");
  return {
    kind: "oci",
    registry: host.toLowerCase(),
    repository,
    ...(tag !== undefined && { tag }),
    ...(digest !== undefined && { digest }),
    ...written.pick(),
  };
}
