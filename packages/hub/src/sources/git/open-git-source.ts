import { join } from "node:path";
import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { closedSource, type FetchContext, type OpenedSource } from "../fetch-context.ts";
import { createQuarantine, type Quarantine } from "../quarantine.ts";
import { type GitSource, type ResolvedOf, sourceIdentity } from "../source.ts";
import { checkRef, isCommitId } from "../source-text.ts";
import { BlobStore, listTree, reportLfsPointer, reportSubmodules } from "./blob-store.ts";
import { fetchCommit, isOwnCommit } from "./fetch-objects.ts";
import { type ResolvedRemote, resolveRemote } from "./resolve-remote.ts";
import { createGitRepository, type GitRepository } from "./run-git.ts";

/** Names are there at once, bytes when they are read; with `expected`, exactly that commit. */
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
  const create = (name: string, commit = ""): Promise<GitRepository> =>
    createGitRepository(
      join(quarantine.directory, name),
      url,
      commit.length === 64 ? "sha256" : "sha1",
      context,
    );
  const first = await create("repository.git");
  const remote = await resolveOrExpect(first, source, expected);
  const { resolved } = remote;
  const repository = resolved.commit.length === 64 ? await create("sha256.git", resolved.commit) : first;
  context.onStep?.({ step: "fetch", what: url });
  const { hasBlobs } = await fetchCommit(repository, resolved, { blobs: "later" });
  const entries = await listTree(repository, resolved.commit);
  const provenance = await identify(repository, resolved, {
    // What a lock says about a branch is a report: anyone may have written it.
    isListed: expected === undefined && /^refs\/(?:heads|tags)\//.test(resolved.ref ?? ""),
    directory: quarantine.directory,
  });
  const diagnostics: Diagnostic[] = [
    ...remote.diagnostics,
    ...provenance.diagnostics,
    ...reportSubmodules(entries),
  ];
  const store = new BlobStore({
    repository,
    entries,
    hasBlobs,
    fetchAll: async (signal) => {
      const whole = await create("whole.git", resolved.commit);
      await fetchCommit(whole, resolved, { blobs: "now", signal });
      return whole;
    },
  });
  let isOpen = true;
  return {
    resolved,
    ...(provenance.identity !== undefined && { identity: provenance.identity }),
    ...(remote.folder !== undefined && { folder: remote.folder }),
    diagnostics,
    entries: entries.map(({ path, mode }) => ({ path, mode })),
    async read(paths, { signal } = {}) {
      if (!isOpen) throw closedSource();
      context.onStep?.({ step: "read", what: url });
      const files = await store.read(paths, signal);
      diagnostics.push(...newPointers(files, diagnostics));
      return files;
    },
    async close() {
      isOpen = false;
      await quarantine.remove();
    },
  };
}

/** The pin of a lock stands; only where the folder of a tree URL begins must be asked again. */
async function resolveOrExpect(
  repository: GitRepository,
  source: GitSource,
  expected: ResolvedOf<"git"> | undefined,
): Promise<ResolvedRemote> {
  if (expected === undefined) return resolveRemote(repository, source);
  // A ref of a lock is asked for as it stands there, where it could be a pattern, or two of them.
  const isRef = expected.ref === undefined || checkRef(expected.ref) === undefined;
  if (expected.url !== source.url || !isCommitId(expected.commit) || !isRef) {
    const message = `The pin ${JSON.stringify(isRef ? expected.commit : expected.ref)} of ${JSON.stringify(expected.url)} is none of ${source.url}; repair the lock.`;
    throw new SkilletError("git-pin-invalid", message, {
      data: { url: source.url, pinned: expected.url, commit: expected.commit },
    });
  }
  const folder = expectedFolder(source, expected);
  return { resolved: expected, ...(folder !== undefined && { folder }), diagnostics: [] };
}

// The pin knows the ref, so what is left of both is the folder.
function expectedFolder({ refAndFolder }: GitSource, { ref, commit }: ResolvedOf<"git">): string | undefined {
  const name = ref?.replace(/^refs\/(?:heads|tags)\//, "") ?? commit;
  const known = [ref, name].find((one) => one !== undefined && refAndFolder?.startsWith(`${one}/`));
  return known === undefined ? undefined : refAndFolder?.slice(known.length + 1);
}

/** Whose commit it is; anyone can put one below `refs/pull/`, and by its id even a fork's is given out. */
async function identify(
  repository: GitRepository,
  resolved: ResolvedOf<"git">,
  options: { readonly isListed: boolean; readonly directory: string },
): Promise<{ readonly identity?: string; readonly diagnostics: readonly Diagnostic[] }> {
  const identity = sourceIdentity(repository.url);
  if (identity === undefined) return { diagnostics: [] };
  const isOwn = options.isListed || (await isOwnCommit(repository, resolved.commit, options));
  if (isOwn) return { identity, diagnostics: [] };
  return {
    diagnostics: [
      {
        code: "git-commit-unproven",
        severity: "warning",
        message: `The commit ${resolved.commit} is on no branch or tag of ${repository.url}, so it may be a stranger's.`,
        file: "",
        hint: "Name a branch or tag; until then it counts as from the community.",
      },
    ],
  };
}

function newPointers(files: readonly TreeFile[], known: readonly Diagnostic[]): readonly Diagnostic[] {
  return files
    .map(reportLfsPointer)
    .filter((found) => found !== undefined)
    .filter((found) => !known.some(({ code, file }) => code === found.code && file === found.file));
}
