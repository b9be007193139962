import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { type FetchContext, type OpenedSource, openedSource } from "../fetch-context.ts";
import { createQuarantine, type Quarantine } from "../quarantine.ts";
import { type GitSource, type ResolvedOf, sourceIdentity } from "../source.ts";
import { checkRef, isCommitId } from "../source-text.ts";
import { blobReader, listTree, reportLfsPointer, reportSubmodules } from "./blob-store.ts";
import { fetchCommit, isOwnCommit } from "./fetch-objects.ts";
import { type ResolvedRemote, resolveRemote } from "./resolve-remote.ts";
import { createGitRepository, type GitRepository } from "./run-git.ts";

/** Lists names immediately and fetches bytes when they are read; with `expected`, exactly that commit. */
export async function openGitSource(
  source: GitSource,
  context: FetchContext,
  expected?: ResolvedOf<"git">,
): Promise<OpenedSource> {
  const quarantine = await createQuarantine(context.home);
  try {
    return await openIn(quarantine, source, context, expected);
  } catch (error) {
    await quarantine.remove();
    throw error;
  }
}

async function openIn(
  quarantine: Quarantine,
  source: GitSource,
  context: FetchContext,
  expected: ResolvedOf<"git"> | undefined,
): Promise<OpenedSource> {
  const { url } = source;
  context.onStep?.({ step: "resolve", what: url });
  const create = (name: string, commit?: string): Promise<GitRepository> =>
    createGitRepository(join(quarantine.directory, name), url, context, commit);
  const first = await create("repository.git");
  const remote =
    expected === undefined ? await resolveRemote(first, source) : checkExpected(source, expected);
  const { resolved, folder } = remote;
  const { commit } = resolved;
  const repository = commit.length === 64 ? await create("sha256.git", commit) : first;
  context.onStep?.({ step: "fetch", what: url });
  const { hasBlobs } = await fetchCommit(repository, resolved, { blobs: "later" });
  const entries = await listTree(repository, commit);
  // A lock's claim about a branch proves nothing: anyone may have written it.
  const isListed = expected === undefined && /^refs\/(?:heads|tags)\//.test(resolved.ref ?? "");
  const identity = sourceIdentity(url);
  // Anyone can put a commit below `refs/pull/`, and even a fork's commit is served by its id.
  const isOwn =
    identity === undefined || isListed || (await isOwnCommit(repository, commit, quarantine.directory));
  const diagnostics: Diagnostic[] = [
    ...remote.diagnostics,
    ...(isOwn ? [] : [unproven(commit, url)]),
    ...reportSubmodules(entries),
  ];
  const readBlobs = blobReader({
    repository,
    entries,
    hasBlobs,
    fetchAll: async (signal) => {
      const whole = await create("whole.git", commit);
      await fetchCommit(whole, resolved, { blobs: "now", signal });
      return whole;
    },
  });
  return openedSource({
    resolved,
    identity: isOwn ? identity : undefined,
    folder,
    diagnostics,
    entries: entries.map(({ path, mode }) => ({ path, mode })),
    async read(paths, { signal } = {}) {
      context.onStep?.({ step: "read", what: url });
      const files = await readBlobs(paths, signal);
      for (const pointer of files.map(reportLfsPointer))
        if (
          pointer !== undefined &&
          !diagnostics.some(({ code, file }) => code === pointer.code && file === pointer.file)
        )
          diagnostics.push(pointer);
      return files;
    },
    close: () => quarantine.remove(),
  });
}

/** Uses the lock's pin; only the folder of a tree URL has to be determined again. */
function checkExpected(source: GitSource, expected: ResolvedOf<"git">): ResolvedRemote {
  const { url, ref, commit } = expected;
  // A lock's ref is passed to git verbatim, where it could be a pattern, or two of them.
  const isRef = ref === undefined || checkRef(ref) === undefined;
  if (url !== source.url || !isCommitId(commit) || !isRef) {
    const message = `The pin ${JSON.stringify(isRef ? commit : ref)} of ${JSON.stringify(url)} does not belong to ${source.url}; repair the lock.`;
    throw new SkilletError("git-pin-invalid", message, { data: { url: source.url, pinned: url, commit } });
  }
  // The pin knows the ref, so the rest of `refAndFolder` is the folder.
  const { refAndFolder = "" } = source;
  const name = ref?.replace(/^refs\/(?:heads|tags)\//, "") ?? commit;
  const known = [ref, name].find((one) => one !== undefined && refAndFolder.startsWith(`${one}/`));
  const folder = known === undefined ? undefined : refAndFolder.slice(known.length + 1);
  return { resolved: expected, folder, diagnostics: [] };
}

function unproven(commit: string, url: string): Diagnostic {
  const message = `The commit ${commit} is on no branch or tag of ${url}, so it may be a stranger's.`;
  const hint = "Name a branch or tag; until then it counts as from the community.";
  return { code: "git-commit-unproven", severity: "warning", message, file: "", hint };
}
