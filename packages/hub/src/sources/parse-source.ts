import { basename, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseGitPrefix, parseScp, parseShorthand, parseSshUrl, splitFragment } from "./parse-git-source.ts";
import { parseFileUrl, parseWebUrl, parseWellKnown } from "./parse-web-source.ts";
import type { OciSource, Source, SourceOf } from "./source.ts";
import {
  isArchiveName,
  isPick,
  parsePickTail,
  refuseCredentials,
  refuseKind,
  refuseSource,
} from "./source-tail.ts";

const MAX_SOURCE_CHARACTERS = 2_048;

export interface ParseSourceOptions {
  readonly workspace: string;
  readonly userHome: string;
}

/**
 * Reads what a person wrote where skills are to come from; nothing is looked up or fetched.
 *
 * @example
 * parseSource("anthropics/skills#main@pdf", { workspace: "/desk", userHome: "/home/me" });
 * // { kind: "git", url: "https://github.com/anthropics/skills", ref: "main", pick: "pdf" }
 */
export function parseSource(text: string, options: ParseSourceOptions): Source {
  checkText(text);
  if (/^(?:\.{1,2}$|\.{1,2}\/|\/|~$|~\/)/.test(text)) return parseLocalSource(text, options);
  checkVisible(text);
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined) return parseScheme(scheme, text);
  if (text.startsWith("@")) refuseRegistry(text);
  const scp = parseScp(text);
  return scp ?? parseShorthand(text, text, "github.com");
}

function checkText(text: string): void {
  if (text === "")
    refuseSource(text, "is empty", "Write OWNER/REPOSITORY, a URL, or a folder such as ./skills.");
  if (text.length > MAX_SOURCE_CHARACTERS)
    refuseSource(text, `has more than ${MAX_SOURCE_CHARACTERS} characters`, "Write a shorter one.");
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)) refuseHidden(text);
  if (text !== text.trim()) refuseSource(text, "begins or ends with a space", "Leave it out.");
  if (text.startsWith("-"))
    refuseSource(
      text,
      "begins with -, which programs read as an option",
      "A folder of that name is written ./-NAME.",
    );
}

// Folders of this machine may have such names; what comes from elsewhere is read by people first.
function checkVisible(text: string): void {
  if (/[\p{Cf}\p{Co}]|\p{Default_Ignorable_Code_Point}/u.test(text)) refuseHidden(text);
}

function refuseHidden(text: string): never {
  refuseSource(
    text,
    "has a control character or one that nobody sees",
    "Type it anew instead of pasting it.",
  );
}

function parseScheme(scheme: string, text: string): Source {
  const rest = text.slice(scheme.length + 1);
  if (rest.startsWith(":")) {
    refuseKind(
      text,
      `asks git for the helper ${scheme}, which can run any command`,
      "Write an https or ssh URL.",
    );
  }
  switch (scheme) {
    case "github":
    case "gitlab":
      return parseShorthand(rest, text, `${scheme}.com`);
    case "http":
    case "https":
      return parseWebUrl(text, text);
    case "file":
      return parseFileUrl(text, text);
    case "ssh":
      return parseSshUrl(text, text);
    case "git+https":
    case "git+http":
    case "git+ssh":
    case "git+file":
      return parseGitPrefix(text.slice("git+".length), text);
    case "git":
      return parseGitPrefix(rest, text);
    case "well-known":
      return parseWellKnown(rest, text);
    case "npm":
      return parseNpmSource(rest, text);
    case "oci":
      return parseOciSource(rest, text);
    default:
      return refuseScheme(scheme, text);
  }
}

function refuseScheme(scheme: string, text: string): never {
  // Before anything of it is repeated: an unknown scheme may carry a password all the same.
  const credentials = /^[^/?#]*\/\/[^/?#]*@([^/?#]*)/.exec(text)?.[1];
  if (credentials !== undefined) refuseCredentials(credentials);
  if (scheme === "skills-sh" || scheme === "clawhub") refuseRegistry(text);
  if (scheme.length === 1)
    refuseKind(text, "looks like a path with a drive", "Write a relative path such as ./skills.");
  refuseKind(
    text,
    `begins with ${scheme}:, which is not known`,
    "Known are github: gitlab: git: https: ssh: file: well-known: npm: oci: and folders such as ./skills.",
  );
}

function refuseRegistry(text: string): never {
  refuseKind(
    text,
    "names a skill of a registry, and Skillet speaks to no such server",
    "Name the repository it comes from: OWNER/REPOSITORY@SKILL; a package of npm is written npm:@OWNER/NAME.",
  );
}

/**
 * Reads a path of this machine: a folder, an archive, a bare repository (`NAME.git`) or a SKILL.md.
 *
 * `@` and a name at the end pick a skill; a slash at the end says that the whole is the name of a folder.
 */
function parseLocalSource(text: string, options: ParseSourceOptions): Source {
  const { written, pick } = splitPick(text);
  const picked = pick === undefined ? {} : { pick };
  const path = absolutePath(written, options);
  if (written.endsWith("/")) return { kind: "local", path, ...picked };
  if (isArchiveName(path)) return { kind: "archive", location: path, ...picked };
  const name = basename(path);
  if (/^skill\.md$/i.test(name)) return { kind: "local", path: dirname(path), ...picked };
  // What git could take for something else stays a folder.
  const isRepository = name.endsWith(".git") && name !== ".git" && !/[\\\p{C}]|\/-/u.test(path);
  if (isRepository) return { kind: "git", url: pathToFileURL(path).href, ...picked };
  return { kind: "local", path, ...picked };
}

function splitPick(text: string): { readonly written: string; readonly pick?: string } {
  const at = text.lastIndexOf("@");
  const pick = text.slice(at + 1);
  // `tools@1.zip` is the name of an archive, not of a skill.
  if (at <= 0 || !isPick(pick)) return { written: text };
  return { written: text.slice(0, at), pick };
}

function absolutePath(written: string, { workspace, userHome }: ParseSourceOptions): string {
  if (written === "~" || written.startsWith("~/")) return resolve(userHome, `.${written.slice(1)}`);
  return resolve(workspace, written);
}

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/;
const MAX_NAME_CHARACTERS = 214;

/** Reads what follows `npm:`: `NAME[@VERSION][#@PICK]`. */
function parseNpmSource(location: string, text: string): SourceOf<"npm"> {
  const { place, fragment } = splitFragment(location);
  const at = place.indexOf("@", 1);
  const name = at === -1 ? place : place.slice(0, at);
  const version = at === -1 ? undefined : place.slice(at + 1);
  if (!NAME.test(name) || name.startsWith("-") || name.length > MAX_NAME_CHARACTERS)
    refuseSource(text, "names no package", "Write npm:NAME or npm:@SCOPE/NAME, in lower case.");
  if (version !== undefined && !VERSION.test(version))
    refuseSource(
      text,
      "names neither an exact version nor a tag",
      "Write npm:NAME@1.2.3 or npm:NAME@latest.",
    );
  return { kind: "npm", name, ...(version !== undefined && { version }), ...parsePickTail(text, fragment) };
}

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[1-9][0-9]{0,4})?$/;
// As the distribution specification has it, which keeps `..` and upper case out.
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const MAX_REPOSITORY_CHARACTERS = 255;

/** Reads what follows `oci:`: `[//]HOST[:PORT]/REPOSITORY[:TAG][@DIGEST][#@PICK]`. */
function parseOciSource(location: string, text: string): OciSource {
  const { place, fragment } = splitFragment(location.replace(/^\/\//, ""));
  const slash = place.indexOf("/");
  const registry = place.slice(0, Math.max(slash, 0));
  if (registry.includes("@")) refuseCredentials(registry.slice(registry.lastIndexOf("@") + 1));
  if (!HOST.test(registry.toLowerCase()))
    refuseSource(
      text,
      "names no registry",
      "Write oci://HOST/REPOSITORY:TAG, such as oci://registry.example.org/team/skill:1.0.",
    );
  const rest = place.slice(slash + 1);
  const at = rest.indexOf("@");
  const named = at === -1 ? rest : rest.slice(0, at);
  const digest = at === -1 ? undefined : rest.slice(at + 1);
  const colon = named.indexOf(":");
  const repository = colon === -1 ? named : named.slice(0, colon);
  const tag = colon === -1 ? undefined : named.slice(colon + 1);
  if (!REPOSITORY.test(repository) || repository.length > MAX_REPOSITORY_CHARACTERS)
    refuseSource(
      text,
      "names no repository of a registry",
      "Its parts are lower-case letters, digits, . _ and -.",
    );
  if (tag !== undefined && !TAG.test(tag))
    refuseSource(text, "has an odd tag", "Use letters, digits, . _ and -.");
  if (digest !== undefined && !DIGEST.test(digest))
    refuseSource(text, "has an odd digest", "Write @sha256: and 64 hexadecimal digits.");
  return {
    kind: "oci",
    registry: registry.toLowerCase(),
    repository,
    ...(tag !== undefined && { tag }),
    ...(digest !== undefined && { digest }),
    ...parsePickTail(text, fragment),
  };
}
