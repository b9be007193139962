import { suggestNames } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { checkRef, isCommitId } from "../../source/check-ref.ts";
import type { GitSource } from "../../source/source.ts";
import type { ResolvedGit } from "../resolved.ts";
import type { GitRepository } from "./git-repository.ts";
import { listRemoteRefs, type RemoteRefs } from "./list-remote-refs.ts";

/** A source whose ref was looked up. */
export interface ResolvedRemote {
  readonly resolved: ResolvedGit;
  /** Of a tree URL, what is left behind the ref. */
  readonly folder?: string;
  readonly diagnostics: readonly Diagnostic[];
}

// A ref of more parts is none that anybody made.
const MAX_REF_PARTS = 32;
const MAX_SHOWN_REFS = 10;

/** Asks the remote which commit a source means. */
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
    const resolved: ResolvedGit = { kind: "git", url, ref: name, commit: id };
    return { resolved, ...folderOf(choice), diagnostics: ambiguous(found, refs) };
  }
  throw await refMissing(repository, written);
}

async function resolveHead(repository: GitRepository): Promise<ResolvedRemote> {
  const { url } = repository;
  const { commits, head } = await listRemoteRefs(repository, ["HEAD"]);
  const commit = commits.get("HEAD");
  if (commit === undefined) {
    throw new SkilletError(
      "git-empty",
      `${url} is no repository, has no commits, or its HEAD names a branch that it has not; check the address, or name a branch with #BRANCH.`,
      { data: { url } },
    );
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

/** Every way to split a ref from the folder behind it, the longest ref first, as git forbids `a` beside `a/b`. */
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
  return new SkilletError(
    "git-ref-missing",
    `The repository ${url} has no branch or tag ${JSON.stringify(written)}. ${hint}`,
    { data: { url, ref: written, suggestions: shown } },
  );
}
