import { join } from "node:path";
import { createQuarantine } from "../../quarantine/create-quarantine.ts";
import type { GitSource } from "../../source/source.ts";
import type { FetchContext } from "../fetch-context.ts";
import type { ResolvedGit } from "../resolved.ts";
import { createGitRepository } from "./git-repository.ts";
import { resolveRemote } from "./resolve-remote.ts";

/** Asks the remote which commit a source means, and fetches nothing. */
export async function resolveGit(source: GitSource, context: FetchContext): Promise<ResolvedGit> {
  context.onStep?.({ step: "resolve", what: source.url });
  const quarantine = await createQuarantine(context.home);
  try {
    const repository = await createGitRepository(join(quarantine.directory, "repository.git"), {
      url: source.url,
      format: "sha1",
      context,
    });
    return (await resolveRemote(repository, source)).resolved;
  } finally {
    await quarantine.remove();
  }
}
