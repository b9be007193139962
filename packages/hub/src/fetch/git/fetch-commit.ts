import { SkilletError } from "@skillet/kit/errors";
import type { ResolvedGit } from "../resolved.ts";
import { fetchObjects, isRefusedById } from "./fetch-objects.ts";
import type { GitRepository } from "./git-repository.ts";
import { runGit } from "./run-git.ts";

/**
 * Fetches one commit with its trees, and blobs only when the server knows no filter or `blobs` asks for them.
 *
 * Servers that give out no commit by its id are asked for its ref, or, for an old commit, for all branches and tags.
 */
export async function fetchCommit(
  repository: GitRepository,
  resolved: ResolvedGit,
  options: { readonly blobs: "later" | "now"; readonly signal?: AbortSignal | undefined },
): Promise<{ readonly hasBlobs: boolean }> {
  const filter = options.blobs === "later" ? "blob:none" : "none";
  const common = { filter, signal: options.signal } as const;
  let failure: unknown;
  for (const attempt of [
    { wanted: [resolved.commit], depth: "one" },
    ...(resolved.ref === undefined ? [] : [{ wanted: [resolved.ref], depth: "one" } as const]),
    { wanted: ["+refs/heads/*:refs/fetched/heads/*", "+refs/tags/*:refs/fetched/tags/*"], depth: "all" },
  ] as const) {
    try {
      const { isFiltered } = await fetchObjects(repository, { ...attempt, ...common });
      // Asked for by its id it is there, or the fetch had failed.
      const isThere = attempt.wanted[0] === resolved.commit || (await hasCommit(repository, resolved.commit));
      if (isThere) return { hasBlobs: !isFiltered };
    } catch (error) {
      if (!isRefusedById(error)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined && !(SkilletError.isInstance(failure) && failure.code === "git-ref-missing"))
    throw failure;
  throw new SkilletError(
    "git-ref-missing",
    `The repository ${repository.url} has no commit ${resolved.commit}, or does not give it out; it may have been removed or replaced.`,
    { data: { url: repository.url, ref: resolved.commit }, cause: failure },
  );
}

async function hasCommit(repository: GitRepository, commit: string): Promise<boolean> {
  try {
    await runGit(repository, ["cat-file", "-e", `${commit}^{commit}`], { onOutput: () => undefined });
    return true;
  } catch (error) {
    if (SkilletError.isInstance(error)) return false;
    throw error;
  }
}
