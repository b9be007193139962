import { parseGitPrefix, parseScp, parseSshUrl } from "./parse-git-source.ts";
import { parseLocalSource } from "./parse-local-source.ts";
import { parseNpmSource } from "./parse-npm-source.ts";
import { parseOciSource } from "./parse-oci-source.ts";
import { parseShorthand } from "./parse-shorthand.ts";
import { parseFileUrl, parseWebUrl, parseWellKnown } from "./parse-web-source.ts";
import { refuseCredentials, refuseKind, refuseSource } from "./refuse-source.ts";
import type { Source } from "./source.ts";

const MAX_SOURCE_CHARACTERS = 2_048;

/** What relative sources are relative to. */
export interface ParseSourceOptions {
  /** Absolute. */
  readonly workspace: string;
  /** What `~` means; absolute. */
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
  return scp ?? parseShorthand(text, { text, host: "github.com" });
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
      return parseShorthand(rest, { text, host: `${scheme}.com` });
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
