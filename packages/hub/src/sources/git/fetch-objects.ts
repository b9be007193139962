import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { tooLarge } from "../fetch-context.ts";
import type { ResolvedOf } from "../source.ts";
import { listRemoteRefs } from "./resolve-remote.ts";
import { createGitRepository, type GitRepository, runGit } from "./run-git.ts";

// git has no bound of its own for what it fetches.
const LOOK_MS = 50;

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

/** Fetches objects into a repository, within the limit for downloads; says whether the server left blobs out. */
export async function fetchObjects(
  repository: GitRepository,
  request: ObjectRequest,
): Promise<{ readonly isFiltered: boolean }> {
  const { limits, onStep } = repository.context;
  const { maxDownloadBytes } = limits;
  const guard = new AbortController();
  const exceeded = tooLarge(
    `${repository.url} sends more than ${maxDownloadBytes} bytes.`,
    "maxDownloadBytes",
  );
  const before = objectBytes(repository.directory);
  const look = (): void => {
    const bytes = objectBytes(repository.directory);
    if (bytes > maxDownloadBytes) guard.abort(exceeded);
    try {
      // git says only to a terminal how far it is; what it has written so far tells as well.
      if (bytes > before) onStep?.({ step: "fetch", what: repository.url, doneBytes: bytes - before });
    } catch (error) {
      // From a timer it would end the process; so it ends the fetch.
      guard.abort(error);
    }
  };
  const timer = setInterval(look, LOOK_MS);
  try {
    const signals = [guard.signal, request.signal].filter((signal) => signal !== undefined);
    const said = await runGit(repository, argumentsOf(request), {
      stdin: `${request.wanted.join("\n")}\n`,
      signal: AbortSignal.any(signals),
      onOutput: () => undefined,
    });
    look();
    guard.signal.throwIfAborted();
    return { isFiltered: request.filter !== "none" && !/filtering not recognized/.test(said) };
  } finally {
    clearInterval(timer);
  }
}

function argumentsOf({ filter, depth }: ObjectRequest): readonly string[] {
  return [
    "fetch",
    ...PLAIN,
    ...(depth === "one" ? ["--depth=1"] : []),
    filter === "none" ? "--no-filter" : `--filter=${filter}`,
    "--stdin",
    "--",
    "origin",
  ];
}

/** What lies in a repository's store: packs, and the single objects that a plain file server is asked for. */
function objectBytes(directory: string): number {
  const folder = join(directory, "objects");
  let sum = 0;
  for (const name of namesIn(folder)) {
    const isPacks = name === "pack";
    for (const file of namesIn(join(folder, name)))
      sum += Math.max(sizeOf(join(folder, name, file)), isPacks ? 0 : MIN_OBJECT_BYTES);
  }
  return sum;
}

// A block of the disk, however small the object is.
const MIN_OBJECT_BYTES = 4096;

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // Removed since, or a file.
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    // Renamed while the folder was read.
    if (errorCode(error) === "ENOENT") return 0;
    throw error;
  }
}

export function isRefusedById(error: unknown): boolean {
  return SkilletError.isInstance(error) && ["git-ref-missing", "git-failed"].includes(error.code);
}

/**
 * Fetches one commit with its trees, and blobs only when the server knows no filter or `blobs` asks for them.
 *
 * Servers that give out no commit by its id are asked for its ref, or, for an old commit, for all branches and tags.
 */
export async function fetchCommit(
  repository: GitRepository,
  resolved: ResolvedOf<"git">,
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
  const message = `The repository ${repository.url} has no commit ${resolved.commit}, or does not give it out; it may have been removed or replaced.`;
  throw new SkilletError("git-ref-missing", message, {
    data: { url: repository.url, ref: resolved.commit },
    cause: failure,
  });
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

/**
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
  const history = await createGitRepository(
    join(options.directory, "history.git"),
    repository.url,
    commit.length === 64 ? "sha256" : "sha1",
    repository.context,
  );
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
