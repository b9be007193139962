import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode, onRefusal, SkilletError } from "@skillet/kit/errors";
import { tooLarge } from "../fetch-context.ts";
import type { ResolvedOf } from "../source.ts";
import { listRemoteRefs } from "./resolve-remote.ts";
import { createGitRepository, type GitRepository, readGit, runGit } from "./run-git.ts";

// git cannot limit what it fetches, so the size of its store is checked at this interval.
const CHECK_MS = 50;

const PLAIN: readonly string[] = (
  "--quiet --no-tags --no-write-fetch-head --no-recurse-submodules --no-auto-maintenance " +
  "--no-show-forced-updates"
).split(" ");

interface ObjectRequest {
  readonly wanted: readonly string[];
  readonly filter: "none" | "blob:none" | "tree:0";
  readonly depth: "one" | "all";
  readonly signal?: AbortSignal | undefined;
}

/** Fetches objects into a repository, within the download limit; returns whether the server omitted blobs. */
export async function fetchObjects(
  repository: GitRepository,
  { wanted, filter, depth, signal }: ObjectRequest,
): Promise<{ readonly isFiltered: boolean }> {
  const { url, directory, context } = repository;
  const { maxDownloadBytes } = context.limits;
  const guard = new AbortController();
  const before = objectBytes(directory);
  const check = (): void => {
    try {
      const bytes = objectBytes(directory);
      if (bytes > maxDownloadBytes)
        guard.abort(tooLarge(`${url} sends more than ${maxDownloadBytes} bytes.`, "maxDownloadBytes"));
      // git shows its progress on terminals only, so progress is derived from the bytes written.
      if (bytes > before) context.onStep?.({ step: "fetch", what: url, doneBytes: bytes - before });
    } catch (error) {
      // An exception in a timer would end the process, so it aborts the fetch instead.
      guard.abort(error);
    }
  };
  const depths = depth === "one" ? ["--depth=1"] : [];
  const filters = filter === "none" ? "--no-filter" : `--filter=${filter}`;
  const timer = setInterval(check, CHECK_MS);
  try {
    const messages = await runGit(
      repository,
      ["fetch", ...PLAIN, ...depths, filters, "--stdin", "--", "origin"],
      {
        stdin: `${wanted.join("\n")}\n`,
        signal: signal === undefined ? guard.signal : AbortSignal.any([guard.signal, signal]),
      },
    );
    check();
    guard.signal.throwIfAborted();
    return { isFiltered: filter !== "none" && !/filtering not recognized/.test(messages) };
  } finally {
    clearInterval(timer);
  }
}

// An object takes at least one disk block.
const MIN_OBJECT_BYTES = 4096;

/** The size of a repository's store: packs, and the loose objects that plain file servers provide. */
function objectBytes(directory: string): number {
  const folder = join(directory, "objects");
  let sum = 0;
  for (const name of namesIn(folder)) {
    const minimum = name === "pack" ? 0 : MIN_OBJECT_BYTES;
    for (const file of namesIn(join(folder, name))) {
      // A file that was renamed while the folder was read has no size.
      const size = statSync(join(folder, name, file), { throwIfNoEntry: false })?.size ?? 0;
      sum += Math.max(size, minimum);
    }
  }
  return sum;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // Removed meanwhile, or a file.
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}

export function isRefusedById(error: unknown): boolean {
  return SkilletError.isInstance(error) && ["git-ref-missing", "git-failed"].includes(error.code);
}

/**
 * Fetches one commit with its trees, and blobs only if the server supports no filter or `blobs` asks for them.
 *
 * If a server does not serve commits by id, its ref is fetched or, for an old commit, all branches and tags.
 */
export async function fetchCommit(
  repository: GitRepository,
  { commit, ref }: ResolvedOf<"git">,
  { blobs, signal }: { readonly blobs: "later" | "now"; readonly signal?: AbortSignal | undefined },
): Promise<{ readonly hasBlobs: boolean }> {
  const filter = blobs === "later" ? "blob:none" : "none";
  let failure: unknown;
  for (const wanted of [
    [commit],
    ...(ref === undefined ? [] : [[ref]]),
    ["+refs/heads/*:refs/fetched/heads/*", "+refs/tags/*:refs/fetched/tags/*"],
  ]) {
    const depth = wanted.length === 1 ? "one" : "all";
    try {
      const { isFiltered } = await fetchObjects(repository, { wanted, filter, depth, signal });
      // A commit that was requested by id is there, since the fetch succeeded.
      if (wanted[0] === commit || (await hasCommit(repository, commit))) return { hasBlobs: !isFiltered };
    } catch (error) {
      if (!isRefusedById(error)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined && !(SkilletError.isInstance(failure) && failure.code === "git-ref-missing"))
    throw failure;
  const { url } = repository;
  const message = `The repository ${url} has no commit ${commit}, or does not give it out; it may have been removed or replaced.`;
  throw new SkilletError("git-ref-missing", message, { data: { url, ref: commit }, cause: failure });
}

async function hasCommit(repository: GitRepository, commit: string): Promise<boolean> {
  const looking = runGit(repository, ["cat-file", "-e", `${commit}^{commit}`]);
  return (await onRefusal(looking, () => undefined)) !== undefined;
}

/**
 * A server that stores all forks together serves a stranger's commit under the name of the forked repository;
 * only a commit on one of its own branches or tags is the owner's.
 */
export async function isOwnCommit(
  repository: GitRepository,
  commit: string,
  directory: string,
): Promise<boolean> {
  const { url, context } = repository;
  const { commits } = await listRemoteRefs(repository, "branches-and-tags");
  if ([...commits.values()].includes(commit)) return true;
  const history = await createGitRepository(join(directory, "history.git"), url, context, commit);
  try {
    const wanted = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
    await fetchObjects(history, { wanted, filter: "tree:0", depth: "all" });
    const args = ["for-each-ref", "--count=1", "--format=yes", `--contains=${commit}`];
    const found = await readGit(history, args);
    return found.toString("latin1").startsWith("yes");
  } catch (error) {
    // The history exceeds the limits, or the commit is not in it.
    if (SkilletError.isInstance(error)) return false;
    throw error;
  }
}
