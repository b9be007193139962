import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { fetchObjects } from "./fetch-objects.ts";
import { createGitRepository, type GitRepository } from "./git-repository.ts";
import { listRemoteRefs } from "./list-remote-refs.ts";
import { runGit } from "./run-git.ts";

/**
 * Whether a commit lies on a branch or tag of its repository.
 *
 * A server that keeps all forks in one store gives out a stranger's commit under the name of the repository that was
 * forked; only what its owner put on a branch or tag is the owner's.
 */
export async function isOwnCommit(
  repository: GitRepository,
  commit: string,
  options: { readonly directory: string },
): Promise<boolean> {
  const { commits } = await listRemoteRefs(repository, "branches-and-tags");
  if ([...commits.values()].includes(commit)) return true;
  const history = await createGitRepository(join(options.directory, "history.git"), {
    url: repository.url,
    format: commit.length === 64 ? "sha256" : "sha1",
    context: repository.context,
  });
  try {
    await fetchObjects(history, {
      wanted: ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"],
      filter: "tree:0",
      depth: "all",
    });
    let found = "";
    await runGit(history, ["for-each-ref", "--count=1", "--format=yes", `--contains=${commit}`], {
      onOutput: (chunk) => {
        found += Buffer.from(chunk).toString("latin1");
      },
    });
    return found.startsWith("yes");
  } catch (error) {
    // A history beyond the limits, or a commit that is not in it.
    if (SkilletError.isInstance(error)) return false;
    throw error;
  }
}
