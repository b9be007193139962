import type { Source, WellKnownSource } from "../source/source.ts";
import { resolveArchive } from "./archive/archive-source.ts";
import type { FetchContext } from "./fetch-context.ts";
import { resolveGit } from "./git/resolve-git.ts";
import { resolveNpm } from "./npm/resolve-npm.ts";
import { resolveOci } from "./oci/resolve-oci.ts";
import type { Resolved } from "./resolved.ts";
import { resolveSkillFile } from "./skill-file/resolve-skill-file.ts";
import { resolveWellKnown } from "./well-known/resolve-well-known.ts";

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
