import { join } from "node:path";
import { suggestNames } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { type FetchContext, tooLarge } from "../fetch-context.ts";
import { createQuarantine } from "../quarantine.ts";
import type { GitSource, ResolvedOf } from "../source.ts";
import { checkRef, isCommitId } from "../source-text.ts";
import { createGitRepository, type GitRepository, runGit } from "./run-git.ts";

export interface ResolvedRemote {
  readonly resolved: ResolvedOf<"git">;
  readonly folder?: string;
  readonly diagnostics: readonly Diagnostic[];
}

// A ref of more parts is none that anyone made.
const MAX_REF_PARTS = 32;
const MAX_SHOWN_REFS = 10;

export async function resolveRemote(repository: GitRepository, source: GitSource): Promise<ResolvedRemote> {
  const { url } = repository;
  const written = source.refAndFolder ?? source.ref;
  if (written === undefined) return resolveHead(repository);
  const choices = source.refAndFolder === undefined ? [{ ref: written }] : prefixesOf(written);
  const commit = choices.find(({ ref }) => isCommitId(ref));
  if (commit !== undefined) {
    return { resolved: { kind: "git", url, commit: commit.ref }, ...folderOf(commit), diagnostics: [] };
  }
  const possible = choices.filter(({ ref }) => checkRef(ref) === undefined);
  if (possible.length === 0) throw await refMissing(repository, written);
  const refs = await listRemoteRefs(
    repository,
    possible.flatMap(({ ref }) => fullNames(ref)),
  );
  for (const choice of possible) {
    const found = fullNames(choice.ref).filter((name) => refs.commits.has(name));
    const [name] = found;
    const id = name === undefined ? undefined : refs.commits.get(name);
    if (name === undefined || id === undefined) continue;
    const resolved: ResolvedOf<"git"> = { kind: "git", url, ref: name, commit: id };
    return { resolved, ...folderOf(choice), diagnostics: ambiguous(found, refs) };
  }
  throw await refMissing(repository, written);
}

async function resolveHead(repository: GitRepository): Promise<ResolvedRemote> {
  const { url } = repository;
  const { commits, head } = await listRemoteRefs(repository, ["HEAD"]);
  const commit = commits.get("HEAD");
  if (commit === undefined) {
    const message = `${url} is not a repository, has no commits, or its HEAD names a branch that it does not have; check the address, or name a branch with #BRANCH.`;
    throw new SkilletError("git-empty", message, { data: { url } });
  }
  return {
    resolved: { kind: "git", url, ...(head !== undefined && { ref: head }), commit },
    diagnostics: [],
  };
}

interface Choice {
  readonly ref: string;
  readonly folder?: string;
}

/** Every way to split a ref from the folder after it, the longest ref first, as git forbids `a` beside `a/b`. */
function prefixesOf(refAndFolder: string): readonly Choice[] {
  const parts = refAndFolder.split("/");
  return Array.from({ length: Math.min(parts.length, MAX_REF_PARTS) }, (_, index) => ({
    ref: parts.slice(0, index + 1).join("/"),
    ...(index + 1 < parts.length && { folder: parts.slice(index + 1).join("/") }),
  })).reverse();
}

function folderOf({ folder }: Choice): { readonly folder?: string } {
  return folder === undefined ? {} : { folder };
}

// A branch before a tag, as `git clone --branch` has it.
function fullNames(ref: string): readonly string[] {
  return ref.startsWith("refs/") ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
}

function ambiguous(found: readonly string[], refs: RemoteRefs): readonly Diagnostic[] {
  const [first = "", second] = found;
  if (second === undefined || refs.commits.get(first) === refs.commits.get(second)) return [];
  return [
    {
      code: "git-ref-ambiguous",
      severity: "warning",
      message: `The repository has ${first} and ${second}, which differ; the branch was taken.`,
      file: "",
      hint: `Write #${second} for the tag.`,
    },
  ];
}

async function refMissing(repository: GitRepository, written: string): Promise<SkilletError> {
  const { url } = repository;
  const { commits } = await listRemoteRefs(repository, "branches-and-tags");
  const known = [...commits.keys()].map((name) => name.replace(/^refs\/(?:heads|tags)\//, ""));
  const near = suggestNames(written, known);
  const shown = near.length > 0 ? near : known.slice(0, MAX_SHOWN_REFS);
  const hint =
    shown.length === 0
      ? "It has none at all."
      : `Near it are: ${shown.map((name) => JSON.stringify(name)).join(", ")}.`;
  const message = `The repository ${url} has no branch or tag ${JSON.stringify(written)}. ${hint}`;
  return new SkilletError("git-ref-missing", message, { data: { url, ref: written, suggestions: shown } });
}

export async function resolveGit(source: GitSource, context: FetchContext): Promise<ResolvedOf<"git">> {
  context.onStep?.({ step: "resolve", what: source.url });
  const quarantine = await createQuarantine(context.home);
  try {
    const repository = await createGitRepository(
      join(quarantine.directory, "repository.git"),
      source.url,
      "sha1",
      context,
    );
    return (await resolveRemote(repository, source)).resolved;
  } finally {
    await quarantine.remove();
  }
}

// Of the answer; a branch or tag takes about a hundred.
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

interface RemoteRefs {
  /** Commits by full name, tags with the commit that they stand for. */
  readonly commits: ReadonlyMap<string, string>;
  readonly head?: string;
}

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
        throw tooLarge(`${repository.url} has more refs than fit in ${MAX_ANSWER_BYTES} bytes.`, "refs");
    },
  });
  return parseRefs(Buffer.concat(chunks).toString());
}

function parseRefs(text: string): RemoteRefs {
  const commits = new Map<string, string>();
  let head: string | undefined;
  for (const line of text.split("\n")) {
    const [left = "", listed = ""] = line.split("\t");
    // The commit of a tag comes after the tag itself.
    const name = listed.replace(/\^\{\}$/, "");
    const target = /^ref: (refs\/\S+)$/.exec(left)?.[1];
    // They go into locks and onto terminals: a server may write anything, and only what git would take is kept.
    if ([name, target ?? name].some((ref) => checkRef(ref) !== undefined)) continue;
    if (target !== undefined && name === "HEAD") head = target;
    if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(left)) commits.set(name, left);
  }
  return { commits, ...(head !== undefined && { head }) };
}
