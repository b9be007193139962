import { SkilletError } from "@skillet/kit/errors";
import { openArchiveSource } from "./archive.ts";
import type { FetchContext, OpenedSource } from "./fetch-context.ts";
import { openGitSource } from "./git/open-git-source.ts";
import { resolveGit } from "./git/resolve-remote.ts";
import { isOwnMachine } from "./http/address.ts";
import { openLocalSource } from "./local.ts";
import { openNpmSource, resolveNpm } from "./npm.ts";
import { openOciSource, resolveOci } from "./oci/open-oci-source.ts";
import { openSkillFileSource } from "./skill-file.ts";
import type { Resolved, ResolvedOf, Source, SourceOf } from "./source.ts";
import { openWellKnownSource, resolveWellKnown } from "./well-known.ts";

interface SourceDriver<Kind extends Source["kind"]> {
  /** Resolves the newest pin without the bytes; `installed` identifies the skill. Default: opens the source. */
  resolve?(
    source: SourceOf<Kind>,
    context: FetchContext,
    installed: ResolvedOf<Kind> | undefined,
  ): Promise<ResolvedOf<Kind>>;
  /** Resolves the source to exact bytes and opens it; with `expected` from a lock, exactly those bytes or an error. */
  open(source: SourceOf<Kind>, context: FetchContext, expected?: ResolvedOf<Kind>): Promise<OpenedSource>;
}

const DRIVERS: { readonly [Kind in Source["kind"]]: SourceDriver<Kind> } = {
  git: { resolve: resolveGit, open: openGitSource },
  local: { resolve: async ({ path }) => ({ kind: "local", path }), open: openLocalSource },
  archive: { open: openArchiveSource },
  "skill-file": { open: openSkillFileSource },
  "well-known": { resolve: resolveWellKnown, open: openWellKnownSource },
  npm: { resolve: resolveNpm, open: openNpmSource },
  oci: { resolve: resolveOci, open: openOciSource },
};

export async function openSource(
  source: Source,
  context: FetchContext,
  expected?: Resolved,
): Promise<OpenedSource> {
  if (expected !== undefined && expected.kind !== source.kind) {
    const message = `A pin of kind ${expected.kind} cannot be fetched as ${source.kind}; repair the lock.`;
    throw new SkilletError("lock-invalid", message, { data: { expected: expected.kind, kind: source.kind } });
  }
  return driverOf(source).open(source, asNamed(source, context), expected);
}

/** Opens a source, with `expected` exactly as a lock pins it, and always closes it again. */
export async function withOpened<Result>(
  source: Source,
  fetching: FetchContext,
  use: (opened: OpenedSource) => Promise<Result>,
  expected?: Resolved,
): Promise<Result> {
  const opened = await openSource(source, fetching, expected);
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

export async function resolveSource(
  source: Source,
  context: FetchContext,
  installed: Resolved,
): Promise<Resolved> {
  const { resolve } = driverOf(source);
  if (resolve === undefined) return withOpened(source, context, async ({ resolved }) => resolved);
  return resolve(source, asNamed(source, context), installed.kind === source.kind ? installed : undefined);
}

/** Allows a server on this machine that the user named, as with git, but not one that a file names. */
function asNamed(source: Source, context: FetchContext): FetchContext {
  const place =
    source.kind === "archive"
      ? source.location
      : source.kind === "skill-file"
        ? source.url
        : source.kind === "well-known" && source.base;
  const url = place && /^https?:/.test(place) ? new URL(place) : undefined;
  if (context.askedBy !== "person" || url === undefined || !isOwnMachine(url)) return context;
  return { ...context, allowedPrivateHosts: [...context.allowedPrivateHosts, url.host] };
}

function driverOf({ kind }: Source): SourceDriver<Source["kind"]> {
  return DRIVERS[kind] as SourceDriver<Source["kind"]>;
}
