import { checkRef } from "../../source/check-ref.ts";
import { tooLarge } from "../read-budget.ts";
import type { GitRepository } from "./git-repository.ts";
import { runGit } from "./run-git.ts";

// Of the answer; a branch or tag takes about a hundred.
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** What a remote says about its refs. */
export interface RemoteRefs {
  /** Commits by full name, tags with the commit that they stand for. */
  readonly commits: ReadonlyMap<string, string>;
  /** The branch that HEAD stands for. */
  readonly head?: string;
}

/** Asks a remote for some refs by their full names, or for all branches and tags. */
export async function listRemoteRefs(
  repository: GitRepository,
  names: readonly string[] | "branches-and-tags",
): Promise<RemoteRefs> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const which =
    names === "branches-and-tags"
      ? ["--heads", "--tags", "--", "origin"]
      : // The second form asks for what a tag stands for.
        [
          "--symref",
          "--",
          "origin",
          ...names.flatMap((name) => (name === "HEAD" ? [name] : [name, `${name}^{}`])),
        ];
  await runGit(repository, ["ls-remote", "--quiet", ...which], {
    onOutput: (chunk) => {
      chunks.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES)
        throw tooLarge(`${repository.url} has more refs than fit in ${MAX_ANSWER_BYTES} bytes.`, {
          limit: "refs",
        });
    },
  });
  return parseRefs(Buffer.concat(chunks).toString());
}

function parseRefs(text: string): RemoteRefs {
  const commits = new Map<string, string>();
  let head: string | undefined;
  for (const line of text.split("\n")) {
    const [left = "", listed = ""] = line.split("\t");
    // The commit of a tag comes behind the tag itself.
    const name = listed.replace(/\^\{\}$/, "");
    const target = /^ref: (refs\/\S+)$/.exec(left)?.[1];
    // They go into locks and onto terminals: a server may write anything, and only what git would take is kept.
    if ([name, target ?? name].some((ref) => checkRef(ref) !== undefined)) continue;
    if (target !== undefined && name === "HEAD") head = target;
    if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(left)) commits.set(name, left);
  }
  return { commits, ...(head !== undefined && { head }) };
}
