import { SkilletError } from "@skillet/kit/errors";
import { openArchiveSource, resolveArchive } from "./archive.ts";
import type { FetchContext } from "./fetch-context.ts";
import { openGitSource } from "./git/open-git-source.ts";
import { resolveGit } from "./git/resolve-remote.ts";
import { openLocalSource } from "./local.ts";
import { openNpmSource, resolveNpm } from "./npm.ts";
import { openOciSource, resolveOci } from "./oci/open-oci-source.ts";
import type { OpenedSource } from "./opened-source.ts";
import { openSkillFileSource, resolveSkillFile } from "./skill-file.ts";
import type { Resolved, Source, WellKnownSource } from "./source.ts";
import { openWellKnownSource, resolveWellKnown } from "./well-known.ts";

/**
 * Resolves a source to exact bytes and opens it.
 *
 * With `expected`, as an install from a lock has it, exactly that is opened or nothing.
 */
export function openSource(
  source: Source,
  context: FetchContext,
  expected?: Resolved,
): Promise<OpenedSource> {
  switch (source.kind) {
    case "git":
      return openGitSource(source, context, ofKind(expected, "git"));
    case "local":
      return openLocalSource(source, context);
    case "archive":
      return openArchiveSource(source, context, ofKind(expected, "archive"));
    case "skill-file":
      return openSkillFileSource(source, context, ofKind(expected, "skill-file"));
    case "well-known":
      return openWellKnownSource(source, context, ofKind(expected, "well-known"));
    case "npm":
      return openNpmSource(source, context, ofKind(expected, "npm"));
    case "oci":
      return openOciSource(source, context, ofKind(expected, "oci"));
  }
}

function ofKind<Kind extends Resolved["kind"]>(
  expected: Resolved | undefined,
  kind: Kind,
): Extract<Resolved, { readonly kind: Kind }> | undefined {
  if (expected === undefined) return undefined;
  if (expected.kind !== kind) {
    const message = `A pin of kind ${expected.kind} cannot be fetched as ${kind}; repair the lock.`;
    throw new SkilletError("lock-invalid", message, { data: { expected: expected.kind, kind } });
  }
  return expected as Extract<Resolved, { readonly kind: Kind }>;
}

/** Asks a source for its newest pin, as cheaply as its kind allows; `installed` says which of its skills is meant. */
export async function resolveSource(
  source: Source,
  context: FetchContext,
  installed: Resolved,
): Promise<Resolved> {
  switch (source.kind) {
    case "git":
      return resolveGit(source, context);
    case "local":
      return { kind: "local", path: source.path };
    case "archive":
      return resolveArchive(source, context);
    case "skill-file":
      return resolveSkillFile(source, context);
    case "well-known":
      return resolveWellKnown(source, context, nameIn(installed, source));
    case "npm":
      return resolveNpm(source, context);
    case "oci":
      return resolveOci(source, context);
  }
}

function nameIn(installed: Resolved, { pick }: WellKnownSource): { readonly name: string } {
  return installed.kind === "well-known" ? installed : { name: pick ?? "" };
}
