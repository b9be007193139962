import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Digest } from "@skillet/kit/digest";
import { parseUrl } from "@skillet/kit/network";
import { isArchiveName, type SourceTail } from "./source-text.ts";

interface Picked {
  /** The skill or plugin named with `@name`. */
  readonly pick?: string;
}

export interface GitSource extends Picked {
  readonly kind: "git";
  readonly url: string;
  /** A branch, a tag or a full commit; if absent, the remote's HEAD. */
  readonly ref?: string;
  /** For a tree URL: a ref and a folder, which can only be separated with the remote's refs. */
  readonly refAndFolder?: string;
  readonly folder?: string;
}

export interface OciSource extends Picked {
  readonly kind: "oci";
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string;
  /** Wins over the tag. */
  readonly digest?: string;
}

/** Where to get skills from, as parsed by `parseSource`. */
export type Source =
  | GitSource
  | ({ readonly kind: "local"; readonly path: string } & Picked)
  | ({ readonly kind: "archive"; readonly location: string } & Picked)
  | { readonly kind: "skill-file"; readonly url: string }
  | ({ readonly kind: "well-known"; readonly base: string } & Picked)
  | ({ readonly kind: "npm"; readonly name: string; readonly version?: string } & Picked)
  | OciSource;

export type SourceOf<Kind extends Source["kind"]> = Extract<Source, { readonly kind: Kind }>;

/** A source pinned to exact bytes, as a lock stores it; never with credentials. */
export type Resolved =
  /** `ref` is as the remote lists it, for example `refs/heads/main`; absent for a commit that was requested by id. */
  | { readonly kind: "git"; readonly url: string; readonly ref?: string; readonly commit: string }
  | { readonly kind: "local"; readonly path: string }
  | { readonly kind: "archive"; readonly location: string; readonly digest: Digest }
  | { readonly kind: "skill-file"; readonly url: string; readonly digest: Digest }
  /** The digest of the artefact's bytes; absent for indexes of version 0.1. */
  | { readonly kind: "well-known"; readonly index: string; readonly name: string; readonly digest?: Digest }
  | { readonly kind: "npm"; readonly name: string; readonly version: string; readonly integrity: string }
  | (Pick<OciSource, "kind" | "registry" | "repository" | "tag"> & { readonly digest: Digest });

export type ResolvedOf<Kind extends Resolved["kind"]> = Extract<Resolved, { readonly kind: Kind }>;

/** The source for exactly this pin, for installs from a lock; `resolvePath` makes its local paths absolute. */
export function sourceOfResolved(resolved: Resolved, resolvePath: (path: string) => string): Source {
  switch (resolved.kind) {
    case "git":
      return { kind: "git", url: resolved.url, ref: resolved.commit };
    case "local":
      return { kind: "local", path: resolvePath(resolved.path) };
    case "archive":
      return { kind: "archive", location: resolved.location };
    case "skill-file":
      return { kind: "skill-file", url: resolved.url };
    case "well-known":
      return { kind: "well-known", base: resolved.index };
    case "npm":
      return { kind: "npm", name: resolved.name, version: resolved.version };
    case "oci": {
      const { registry, repository, digest } = resolved;
      return { kind: "oci", registry, repository, digest };
    }
  }
}

/** The local file or folder that a source or pin leads to; undefined for everything that is fetched. */
export function placeOnThisMachine(place: Source | Resolved): string | undefined {
  switch (place.kind) {
    case "local":
      return place.path;
    case "archive":
      return /^https?:/i.test(place.location) ? undefined : place.location;
    case "git":
      if (!/^file:/i.test(place.url)) return undefined;
      // Only git decodes escapes in such a URL; no project is there.
      return /^file:\/\/(\/[^%?#]*)$/i.exec(place.url)?.[1] ?? "/";
    case "skill-file":
    case "well-known":
    case "npm":
    case "oci":
      return undefined;
  }
}

/** The name of a skill in the root of a source, unless it declares one itself. */
export function rootName(source: Source): string {
  switch (source.kind) {
    case "git":
      return lastPart(source.folder ?? source.url).replace(/\.git$/, "");
    case "local":
      return lastPart(source.path);
    case "archive": {
      const name = lastPart(new URL(source.location, "file:///").pathname);
      return name.replace(/\.(?:skill|zip|tar|tgz|tar\.gz)$/i, "");
    }
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
  const parts = path.split(/[/\\:]/).filter((part) => part !== "");
  return parts.at(-1) ?? "skill";
}

/** Writes a source in the one form that `parseSource` parses back to the same source. */
export function showSource(source: Source): string {
  switch (source.kind) {
    case "git":
      return showGit(source);
    case "local":
      return `${showLocalPath(source.path)}${after("@", source.pick)}`;
    case "archive": {
      const { location, pick } = source;
      return `${location.startsWith("/") ? pathToFileURL(location).href : location}${showTail({ pick })}`;
    }
    case "skill-file":
      return source.url;
    case "well-known":
      return `well-known:${source.base}/${encodeURIComponent(source.pick ?? "")}`;
    case "npm":
      return `npm:${source.name}${after("@", source.version)}${showTail({ pick: source.pick })}`;
    case "oci": {
      const { registry, repository, tag, digest, pick } = source;
      return `oci://${registry}/${repository}${after(":", tag)}${after("@", digest)}${showTail({ pick })}`;
    }
  }
}

function showGit({ url, ref, folder, refAndFolder, pick }: GitSource): string {
  if (refAndFolder !== undefined) {
    const page = /^https:\/\/github\.com\/[^/]+\/[^/]+$/.test(url) ? "tree" : "-/tree";
    const path = refAndFolder.split("/").map(encodeURIComponent).join("/");
    return `${url}/${page}/${path}${showTail({ pick })}`;
  }
  const shorthand = /^https:\/\/github\.com\/([A-Za-z0-9_-]+\/[A-Za-z0-9._-]+)$/.exec(url)?.[1];
  const below = folder === undefined ? undefined : encodeText(folder);
  const place =
    shorthand === undefined ? `git:${url}${after("//", below)}` : `${shorthand}${after("/", below)}`;
  return `${place}${showTail({ ref, pick })}`;
}

function after(separator: string, part: string | undefined): string {
  return part === undefined ? "" : `${separator}${part}`;
}

function showTail({ ref, pick }: { readonly [Key in keyof SourceTail]?: string | undefined }): string {
  const picked = after("@", pick);
  return ref === undefined ? after("#", picked || undefined) : `#${encodeText(ref)}${picked}`;
}

/** Encodes characters that would begin a tail, and spaces, because no source may end with one. */
function encodeText(part: string): string {
  return part.replace(/[%#@?\s]/g, (character) => encodeURIComponent(character));
}

function showLocalPath(path: string): string {
  const name = basename(path);
  const isMistakable =
    /@|\s$/.test(name) || isArchiveName(name) || /^skill\.md$/i.test(name) || name.endsWith(".git");
  return isMistakable ? `${path}/` : path;
}

/**
 * The repository that can be trusted, as `owner/repository` in lower case; undefined for everything that does not
 * certainly come from github.com. GitHub ignores case in names, so lists of trusted sources are folded alike.
 */
export function sourceIdentity(url: string): string | undefined {
  const [, owner, repository] = FORMS.map((form) => form.exec(url)).find((match) => match !== null) ?? [];
  if (owner === undefined || repository === undefined || isOdd(owner) || isOdd(repository)) return undefined;
  return `${owner}/${repository}`.toLowerCase();
}

/** Like `sourceIdentity`, for a pin; only pins of repositories have one. */
export function identityOf(resolved: Resolved): string | undefined {
  return resolved.kind === "git" ? sourceIdentity(resolved.url) : undefined;
}

// Matched literally rather than parsed: a host that only a lenient parser takes for github.com belongs to a stranger.
const PATH = String.raw`([A-Za-z0-9._-]{1,100})\/([A-Za-z0-9._-]{1,100}?)(?:\.git)?$`;
const FORMS: readonly RegExp[] = [
  new RegExp(String.raw`^https:\/\/github\.com\/${PATH}`),
  new RegExp(String.raw`^ssh:\/\/git@github\.com(?::22)?\/${PATH}`),
  new RegExp(String.raw`^git@github\.com:${PATH}`),
];

// Dots, and prefixes that are stripped when origins are read: `skills-sh/openai/skills` would become someone else.
function isOdd(name: string): boolean {
  return /^(?:\.{1,2}|skill?s[-.]sh)$/i.test(name);
}

const NPM_NAME = /^(?!-)(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

export function isNpmName(name: string): boolean {
  return name.length <= 214 && NPM_NAME.test(name);
}

const OCI_HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:]{2,45}\])(?::[1-9][0-9]{0,4})?$/i;
// As in the distribution specification, which excludes `..` and upper case.
const OCI_REPOSITORY = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;

/** Whether the parts of an OCI reference are well-formed, so that none leads a URL elsewhere. */
export const isOci = {
  registry: (text: string): boolean => OCI_HOST.test(text) && parseUrl(`https://${text}`) !== undefined,
  repository: (text: string): boolean => text.length <= 255 && OCI_REPOSITORY.test(text),
  tag: (text: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/.test(text),
};
