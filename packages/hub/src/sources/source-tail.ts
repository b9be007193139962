import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { SkilletError } from "@skillet/kit/errors";
import type { GitSource, Source, SourceOf } from "./source.ts";

const MAX_PICK_CHARACTERS = 128;

/** What may follow a source: `#ref`, `@pick`, `#ref@pick`. */
export interface SourceTail {
  readonly ref?: string;
  readonly pick?: string;
}

/**
 * Splits what follows `#`: a ref, then `@` and a pick.
 *
 * A ref with an `@` of its own, such as `tool@1.0`, is written with `%40`.
 */
export function parseTail(text: string, fragment: string): SourceTail {
  const at = fragment.indexOf("@");
  const written = at === -1 ? fragment : fragment.slice(0, at);
  const pick = at === -1 ? undefined : fragment.slice(at + 1);
  if (pick !== undefined && !isPick(pick)) {
    refuseSource(
      text,
      `names ${JSON.stringify(pick.slice(0, 80))} after @, which is not the name of a skill`,
      "Write SOURCE#REF@SKILL; an @ that is part of a branch or tag is written %40.",
    );
  }
  if (written === "" && pick === undefined)
    refuseSource(text, "ends with #", "Name a branch, tag or commit after it.");
  const ref = decodeText(text, written);
  const problem = ref === "" ? undefined : checkRef(ref);
  if (problem !== undefined) {
    refuseSource(
      text,
      `names the ref ${JSON.stringify(ref.slice(0, 80))}, which ${problem}`,
      "Name a branch, tag or commit.",
    );
  }
  return { ...(ref !== "" && { ref: lowerCommit(ref) }), ...(pick !== undefined && { pick }) };
}

export function parsePickTail(text: string, fragment: string | undefined): { readonly pick?: string } {
  if (fragment === undefined) return {};
  const { ref, pick } = parseTail(text, fragment);
  if (ref !== undefined || pick === undefined)
    refuseSource(text, "has a ref after #, which only repositories have", "Write #@SKILL to pick a skill.");
  return { pick };
}

function showTail({ ref, pick }: SourceTail): string {
  if (ref === undefined) return pick === undefined ? "" : `#@${pick}`;
  return `#${encodeText(ref)}${pick === undefined ? "" : `@${pick}`}`;
}

export function isPick(text: string): boolean {
  return (
    text.length <= MAX_PICK_CHARACTERS &&
    /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._:-]*$/u.test(text) &&
    !isArchiveName(text)
  );
}

export function isArchiveName(name: string): boolean {
  return /\.(?:skill|zip|tar\.gz|tgz)$/i.test(name);
}

export function decodeText(text: string, part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return refuseSource(text, "has a % that begins no percent encoding", "Write %25 for a percent sign.");
  }
}

/** Encodes what would be read as the beginning of a tail, and spaces, which none ends with. */
function encodeText(part: string): string {
  return part.replace(/[%#@?\s]/g, (character) => encodeURIComponent(character));
}

function lowerCommit(ref: string): string {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(ref) ? ref.toLowerCase() : ref;
}

const MAX_REF_CHARACTERS = 255;

/**
 * What is wrong with the name of a branch or tag, as the end of a sentence: git's own rules (`git check-ref-format`), and
 * nothing that a command line could read as an option.
 */
export function checkRef(ref: string): string | undefined {
  if (ref === "") return "is empty";
  if (ref.length > MAX_REF_CHARACTERS) return `is longer than ${MAX_REF_CHARACTERS} characters`;
  if (ref.startsWith("-")) return "begins with -, which git would read as an option";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git's rule names them.
  if (/[\x00-\x20\x7f~^:?*[\\]/.test(ref)) return "has a space, a control character or one of ~ ^ : ? * [ \\";
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(ref)) return "has a character that nobody sees";
  if (ref.includes("..") || ref.includes("@{") || ref === "@") return "has .. or @{, or is a single @";
  if (ref.startsWith("/") || ref.endsWith("/") || ref.includes("//")) return "has an empty part";
  if (ref.endsWith(".")) return "ends with a dot";
  if (ref.split("/").some((part) => part.startsWith(".") || part.endsWith(".lock")))
    return "has a part that begins with a dot or ends with .lock";
  return undefined;
}

export function isCommitId(ref: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref);
}

const MAX_SHOWN_CHARACTERS = 200;

/** Throws that a source cannot be understood; never called with a text that may hold credentials. */
export function refuseSource(text: string, problem: string, hint: string): never {
  throw new SkilletError("source-invalid", `The source ${showText(text)} ${problem}. ${hint}`, {
    data: { source: text.slice(0, MAX_SHOWN_CHARACTERS) },
  });
}

export function refuseKind(text: string, problem: string, hint: string): never {
  throw new SkilletError("source-unsupported", `The source ${showText(text)} ${problem}. ${hint}`, {
    data: { source: text.slice(0, MAX_SHOWN_CHARACTERS) },
  });
}

/** Throws that a source holds credentials, which it then does not repeat. */
export function refuseCredentials(host: string): never {
  throw new SkilletError(
    "source-credentials",
    `The source at ${showText(host)} has a user name, password or token in it, which would end up in histories and locks. ` +
      "Leave it out; use a git credential helper, an ssh key, or a variable such as GITHUB_TOKEN or GITLAB_TOKEN.",
    { data: { host } },
  );
}

/** As JSON, because what a person pasted may hold anything. */
function showText(text: string): string {
  return JSON.stringify(
    text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text,
  );
}

/** What a skill in the root of a source is called unless it says so itself. */
export function rootName(source: Source): string {
  switch (source.kind) {
    case "git":
      return lastPart(source.folder ?? source.url).replace(/\.git$/, "");
    case "local":
      return lastPart(source.path);
    case "archive":
      return lastPart(new URL(source.location, "file:///").pathname).replace(
        /\.(?:skill|zip|tar|tgz|tar\.gz)$/i,
        "",
      );
    case "skill-file":
      return lastPart(new URL(source.url).pathname.replace(/\/[^/]*$/, ""));
    case "well-known":
      return new URL(source.base).hostname;
    case "npm":
      return lastPart(source.name);
    case "oci":
      return lastPart(source.repository);
  }
}

function lastPart(path: string): string {
  return (
    path
      .split(/[/\\:]/)
      .filter((part) => part !== "")
      .at(-1) ?? "skill"
  );
}

/** Writes a source in the one form that `parseSource` reads back as the same. */
export function showSource(source: Source): string {
  switch (source.kind) {
    case "git":
      return showGit(source);
    case "local":
      return `${showLocalPath(source.path)}${showPick(source.pick)}`;
    case "archive":
      return showArchive(source);
    case "skill-file":
      return source.url;
    case "well-known":
      return `well-known:${source.base}/${source.pick === undefined ? "" : encodeURIComponent(source.pick)}`;
    case "npm":
      return `npm:${source.name}${source.version === undefined ? "" : `@${source.version}`}${showTail(pickOf(source))}`;
    case "oci": {
      const tag = source.tag === undefined ? "" : `:${source.tag}`;
      const digest = source.digest === undefined ? "" : `@${source.digest}`;
      return `oci://${source.registry}/${source.repository}${tag}${digest}${showTail(pickOf(source))}`;
    }
  }
}

function showGit(source: GitSource): string {
  const { url, ref, folder, refAndFolder } = source;
  if (refAndFolder !== undefined) {
    const page = /^https:\/\/github\.com\/[^/]+\/[^/]+$/.test(url) ? "tree" : "-/tree";
    const path = refAndFolder.split("/").map(encodeURIComponent).join("/");
    return `${url}/${page}/${path}${showTail(pickOf(source))}`;
  }
  const tail = showTail({ ...(ref !== undefined && { ref }), ...pickOf(source) });
  const shorthand = /^https:\/\/github\.com\/([A-Za-z0-9_-]+\/[A-Za-z0-9._-]+)$/.exec(url)?.[1];
  if (shorthand !== undefined) {
    return `${shorthand}${folder === undefined ? "" : `/${encodeText(folder)}`}${tail}`;
  }
  return `git:${url}${folder === undefined ? "" : `//${encodeText(folder)}`}${tail}`;
}

function showArchive({ location, pick }: SourceOf<"archive">): string {
  const tail = showTail(pick === undefined ? {} : { pick });
  return location.startsWith("/") ? `${pathToFileURL(location).href}${tail}` : `${location}${tail}`;
}

function showPick(pick: string | undefined): string {
  return pick === undefined ? "" : `@${pick}`;
}

function pickOf({ pick }: { readonly pick?: string }): { readonly pick?: string } {
  return pick === undefined ? {} : { pick };
}

function showLocalPath(path: string): string {
  const name = basename(path);
  const isMistakable =
    /@|\s$/.test(name) || isArchiveName(name) || /^skill\.md$/i.test(name) || name.endsWith(".git");
  return isMistakable ? `${path}/` : path;
}
