import type { Digest } from "@skillet/kit/digest";

interface Picked {
  /** The skill or plugin that was named with `@name`; absent: whatever is there. */
  readonly pick?: string;
}

export interface GitSource extends Picked {
  readonly kind: "git";
  readonly url: string;
  /** A branch, a tag or a full commit; absent: what the remote's HEAD says. */
  readonly ref?: string;
  /** Of a tree URL: a ref and a folder, which only the remote's refs can tell apart. */
  readonly refAndFolder?: string;
  readonly folder?: string;
}

/** Where skills are asked for, as `parseSource` reads it from what a person wrote. */
export type Source =
  | GitSource
  | ({ readonly kind: "local"; readonly path: string } & Picked)
  | ({ readonly kind: "archive"; readonly location: string } & Picked)
  | { readonly kind: "skill-file"; readonly url: string }
  | ({ readonly kind: "well-known"; readonly base: string } & Picked)
  | ({ readonly kind: "npm"; readonly name: string; readonly version?: string } & Picked)
  | OciSource;

export interface OciSource extends Picked {
  readonly kind: "oci";
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string;
  /** Beats the tag. */
  readonly digest?: string;
}

export type SourceOf<Kind extends Source["kind"]> = Extract<Source, { readonly kind: Kind }>;

/** A source pinned to exact bytes, as a lock keeps it; never with credentials. */
export type Resolved =
  /** `ref` is as the remote lists it, such as `refs/heads/main`; absent for a commit that was asked for by its id. */
  | { readonly kind: "git"; readonly url: string; readonly ref?: string; readonly commit: string }
  | { readonly kind: "local"; readonly path: string }
  | { readonly kind: "archive"; readonly location: string; readonly digest: Digest }
  | { readonly kind: "skill-file"; readonly url: string; readonly digest: Digest }
  /** The digest is that of the artefact's bytes; absent in indexes of version 0.1. */
  | { readonly kind: "well-known"; readonly index: string; readonly name: string; readonly digest?: Digest }
  | { readonly kind: "npm"; readonly name: string; readonly version: string; readonly integrity: string }
  | {
      readonly kind: "oci";
      readonly registry: string;
      readonly repository: string;
      readonly tag?: string;
      readonly digest: Digest;
    };

export type ResolvedOf<Kind extends Resolved["kind"]> = Extract<Resolved, { readonly kind: Kind }>;

/**
 * The repository that trust can be given to, as `owner/repository` in lower case; undefined for everything that does not
 * certainly come from github.com.
 *
 * GitHub does not tell names apart by case, so neither may whoever compares; lists of trusted sources are to be folded
 * alike.
 */
export function sourceIdentity(url: string): string | undefined {
  const [, owner, repository] = FORMS.map((form) => form.exec(url)).find((match) => match !== null) ?? [];
  if (owner === undefined || repository === undefined || isOdd(owner) || isOdd(repository)) return undefined;
  return `${owner}/${repository}`.toLowerCase();
}

// Written out instead of parsed: a host that only a lenient parser takes for github.com is a stranger's.
const PATH = String.raw`([A-Za-z0-9._-]{1,100})\/([A-Za-z0-9._-]{1,100}?)(?:\.git)?$`;
const FORMS: readonly RegExp[] = [
  new RegExp(String.raw`^https:\/\/github\.com\/${PATH}`),
  new RegExp(String.raw`^ssh:\/\/git@github\.com(?::22)?\/${PATH}`),
  new RegExp(String.raw`^git@github\.com:${PATH}`),
];

// Prefixes that origins are read without: `skills-sh/openai/skills` would become someone else.
const PREFIXES: ReadonlySet<string> = new Set(["skills-sh", "skills.sh", "skils-sh", "skils.sh"]);

function isOdd(name: string): boolean {
  return /^\.{1,2}$/.test(name) || PREFIXES.has(name.toLowerCase());
}

/** The source that exactly a pin comes from, for installs from a lock; `resolvePath` makes its local paths absolute. */
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
