import { SkilletError } from "@skillet/kit/errors";
import { parseUrl } from "@skillet/kit/network";

const MAX_SHOWN_CHARACTERS = 200;
const MAX_PICK_CHARACTERS = 128;
const MAX_REF_CHARACTERS = 255;

/** The parts that may follow a source: `#ref`, `@pick`, `#ref@pick`. */
export interface SourceTail {
  readonly ref?: string;
  readonly pick?: string;
}

/** A source as written, split at its first `#`. Refusals quote all of it, so check for credentials first. */
export class SourceText {
  readonly text: string;
  readonly place: string;
  readonly fragment: string | undefined;

  constructor(text: string, location: string = text) {
    const hash = location.indexOf("#");
    this.text = text;
    this.place = hash === -1 ? location : location.slice(0, hash);
    this.fragment = hash === -1 ? undefined : location.slice(hash + 1);
  }

  refuse(problem: string, hint: string, code: string = "source-invalid"): never {
    throw new SkilletError(code, `The source ${showText(this.text)} ${problem}. ${hint}`, {
      data: { source: this.text.slice(0, MAX_SHOWN_CHARACTERS) },
    });
  }

  /** The URL before the `#`; one with credentials is refused before any of it is repeated. */
  url(): URL {
    const url = parseUrl(this.place);
    if (url === undefined) {
      if (this.place.includes("@")) refuseCredentials("an address that is not a URL either");
      this.refuse("is not a URL", "Check its host and port.");
    }
    const isSshUser = url.protocol === "ssh:" && /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(url.username);
    if (url.password !== "" || (url.username !== "" && !isSshUser)) refuseCredentials(url.host);
    if (url.hostname.startsWith("-")) this.refuse("names a host that begins with -", "Check its host.");
    return url;
  }

  /** The ref and pick after `#`. An `@` within a ref, for example `tool@1.0`, is written `%40`. */
  tail(fragment: string | undefined = this.fragment): SourceTail {
    if (fragment === undefined) return {};
    const at = fragment.indexOf("@");
    const written = at === -1 ? fragment : fragment.slice(0, at);
    const pick = at === -1 ? undefined : fragment.slice(at + 1);
    if (pick !== undefined)
      this.checkPick(pick, "Write SOURCE#REF@SKILL; an @ in a branch or tag is written %40.");
    if (fragment === "") this.refuse("ends with #", "Name a branch, tag or commit after it.");
    const ref = this.decode(written);
    const problem = ref === "" ? undefined : checkRef(ref);
    if (problem !== undefined)
      this.refuse(`names the ref ${quote(ref)}, which ${problem}`, "Name a branch, tag or commit.");
    const named = isCommitId(ref.toLowerCase()) ? ref.toLowerCase() : ref;
    return { ...(ref !== "" && { ref: named }), ...(pick !== undefined && { pick }) };
  }

  /** The pick after `#`, for a source without refs. */
  pick(): Pick<SourceTail, "pick"> {
    const { ref, pick } = this.tail();
    if (ref !== undefined)
      this.refuse("has a ref after #, which only repositories have", "Write #@SKILL to pick a skill.");
    return pick === undefined ? {} : { pick };
  }

  checkPick(pick: string, hint: string): void {
    if (!isPick(pick)) this.refuse(`names ${quote(pick)} after @, which is not the name of a skill`, hint);
  }

  /** A folder inside a repository, without leading and trailing slashes; undefined for the root. */
  folder(written: string): string | undefined {
    const folder = written.replace(/^\/+|\/+$/g, "");
    if (folder === "") return undefined;
    const isPlain = folder.split("/").every((part) => part !== "" && part !== "." && part !== "..");
    if (!isPlain || /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\]/u.test(folder))
      this.refuse(
        `names the folder ${quote(folder)}, which cannot be inside a repository`,
        "Write it from the repository's root, with single slashes and without . and ..",
      );
    return folder;
  }

  decode(part: string): string {
    const hint = "Write %25 for a percent sign.";
    return decodeUri(part) ?? this.refuse("has a % that begins no percent encoding", hint);
  }
}

/** Undefined if a percent sign encodes nothing. */
export function decodeUri(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Reports that a source contains credentials, without repeating them. */
export function refuseCredentials(host: string): never {
  const message =
    `The source at ${showText(host)} has a user name, password or token in it, which would end up in histories and locks. ` +
    "Leave it out; use a git credential helper, an ssh key, or a variable such as GITHUB_TOKEN or GITLAB_TOKEN.";
  throw new SkilletError("source-credentials", message, { data: { host } });
}

// As JSON, because pasted text may contain anything.
function showText(text: string): string {
  const isLong = text.length > MAX_SHOWN_CHARACTERS;
  return JSON.stringify(isLong ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text);
}

function quote(part: string): string {
  return JSON.stringify(part.slice(0, 80));
}

export function isPick(text: string): boolean {
  const isName = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._:-]*$/u.test(text);
  return text.length <= MAX_PICK_CHARACTERS && isName && !isArchiveName(text);
}

export function isArchiveName(name: string): boolean {
  return /\.(?:skill|zip|tar\.gz|tgz)$/i.test(name);
}

/** The end of a sentence: git's own rules (`git check-ref-format`), and nothing that could be read as an option. */
export function checkRef(ref: string): string | undefined {
  if (ref === "") return "is empty";
  if (ref.length > MAX_REF_CHARACTERS) return `is longer than ${MAX_REF_CHARACTERS} characters`;
  return REF_FAULTS.find(([pattern]) => pattern.test(ref))?.[1];
}

const REF_FAULTS: readonly (readonly [RegExp, string])[] = [
  [/^-/, "begins with -, which git would read as an option"],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git's rule names them.
  [/[\x00-\x20\x7f~^:?*[\\]/, "has a space, a control character or one of ~ ^ : ? * [ \\"],
  [/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u, "has an invisible character"],
  [/\.\.|@\{|^@$/, "has .. or @{, or is a single @"],
  [/^\/|\/$|\/\//, "has an empty part"],
  [/\.$/, "ends with a dot"],
  [/(?:^|\/)\.|\.lock(?:\/|$)/, "has a part that begins with a dot or ends with .lock"],
];

export function isCommitId(ref: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref);
}
