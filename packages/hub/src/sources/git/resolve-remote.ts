import { join } from "node:path";
import { suggestNames } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { type FetchContext, tooLarge } from "../fetch-context.ts";
import { createQuarantine } from "../quarantine.ts";
import type { GitSource, ResolvedOf } from "../source.ts";
import { checkRef, isCommitId } from "../source-text.ts";
import { createGitRepository, type GitRepository, readGit } from "./run-git.ts";

export interface ResolvedRemote {
  readonly resolved: ResolvedOf<"git">;
  readonly folder?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export async function resolveGit(source: GitSource, context: FetchContext): Promise<ResolvedOf<"git">> {
  return askRemote(source, context, async (repository) => (await resolveRemote(repository, source)).resolved);
}

export async function listGitTags(source: GitSource, context: FetchContext): Promise<readonly string[]> {
  const { commits } = await askRemote(source, context, (one) => listRemoteRefs(one, "branches-and-tags"));
  return [...commits.keys()].flatMap((name) => /^refs\/tags\/(.+)/.exec(name)?.[1] ?? []);
}

async function askRemote<Answer>(
  source: GitSource,
  context: FetchContext,
  ask: (repository: GitRepository) => Promise<Answer>,
): Promise<Answer> {
  context.onStep?.({ step: "resolve", what: source.url });
  const quarantine = await createQuarantine(context.home);
  try {
    const directory = join(quarantine.directory, "repository.git");
    return await ask(await createGitRepository(directory, source.url, context));
  } finally {
    await quarantine.remove();
  }
}

// No real ref has more parts.
const MAX_REF_PARTS = 32;
const MAX_SHOWN_REFS = 10;

export async function resolveRemote(repository: GitRepository, source: GitSource): Promise<ResolvedRemote> {
  const { url } = repository;
  const written = source.refAndFolder ?? source.ref;
  if (written === undefined) return resolveHead(repository);
  const choices = source.refAndFolder === undefined ? [{ ref: written }] : prefixesOf(written);
  const commit = choices.find(({ ref }) => isCommitId(ref));
  if (commit !== undefined)
    return { resolved: { kind: "git", url, commit: commit.ref }, folder: commit.folder, diagnostics: [] };
  const possible = choices.filter(({ ref }) => checkRef(ref) === undefined);
  const names = possible.flatMap(({ ref }) => fullNames(ref));
  const { commits } = names.length === 0 ? { commits: new Map() } : await listRemoteRefs(repository, names);
  for (const { ref, folder } of possible) {
    const [name, other] = fullNames(ref).filter((full) => commits.has(full));
    if (name === undefined) continue;
    const id = commits.get(name) ?? "";
    const isAmbiguous = other !== undefined && commits.get(other) !== id;
    const diagnostics = isAmbiguous ? [ambiguous(name, other)] : [];
    return { resolved: { kind: "git", url, ref: name, commit: id }, folder, diagnostics };
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
  const resolved: ResolvedOf<"git"> = { kind: "git", url, ...(head !== undefined && { ref: head }), commit };
  return { resolved, diagnostics: [] };
}

/** Every way to split a ref from the folder after it, the longest ref first; git forbids `a` beside `a/b`. */
function prefixesOf(refAndFolder: string): readonly { readonly ref: string; readonly folder?: string }[] {
  const parts = refAndFolder.split("/");
  return Array.from({ length: Math.min(parts.length, MAX_REF_PARTS) }, (_, index) => ({
    ref: parts.slice(0, index + 1).join("/"),
    ...(index + 1 < parts.length && { folder: parts.slice(index + 1).join("/") }),
  })).reverse();
}

// A branch wins over a tag, as with `git clone --branch`.
function fullNames(ref: string): readonly string[] {
  return ref.startsWith("refs/") ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
}

function ambiguous(branch: string, tag: string): Diagnostic {
  const message = `The repository has ${branch} and ${tag}, which differ; the branch was taken.`;
  const hint = `Write #${tag} for the tag.`;
  return { code: "git-ref-ambiguous", severity: "warning", message, file: "", hint };
}

async function refMissing(repository: GitRepository, ref: string): Promise<SkilletError> {
  const { url } = repository;
  const { commits } = await listRemoteRefs(repository, "branches-and-tags");
  const known = [...commits.keys()].map((name) => name.replace(/^refs\/(?:heads|tags)\//, ""));
  const near = suggestNames(ref, known);
  const suggestions = near.length > 0 ? near : known.slice(0, MAX_SHOWN_REFS);
  const shown = suggestions.map((name) => JSON.stringify(name)).join(", ");
  const hint = suggestions.length === 0 ? "It has none at all." : `Near it are: ${shown}.`;
  const message = `The repository ${url} has no branch or tag ${JSON.stringify(ref)}. ${hint}`;
  return new SkilletError("git-ref-missing", message, { data: { url, ref, suggestions } });
}

// Per answer; a branch or tag takes about a hundred bytes.
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

interface RemoteRefs {
  /** Commits by full name; for a tag, the commit that it points to. */
  readonly commits: ReadonlyMap<string, string>;
  readonly head?: string;
}

export async function listRemoteRefs(
  repository: GitRepository,
  names: readonly string[] | "branches-and-tags",
): Promise<RemoteRefs> {
  const which =
    names === "branches-and-tags"
      ? ["--heads", "--tags", "--", "origin"]
      : // `^{}` asks for the commit of a tag.
        [
          "--symref",
          "--",
          "origin",
          ...names.flatMap((name) => (name === "HEAD" ? [name] : [name, `${name}^{}`])),
        ];
  const output = await readGit(repository, ["ls-remote", "--quiet", ...which], {
    onOutput: (_, bytes) => {
      if (bytes > MAX_ANSWER_BYTES)
        throw tooLarge(`${repository.url} has more refs than fit in ${MAX_ANSWER_BYTES} bytes.`, "refs");
    },
  });
  const commits = new Map<string, string>();
  let head: string | undefined;
  for (const line of output.toString().split("\n")) {
    const [left = "", listed = ""] = line.split("\t");
    // The commit of a tag comes after the tag itself.
    const name = listed.replace(/\^\{\}$/, "");
    const target = /^ref: (refs\/\S+)$/.exec(left)?.[1];
    // Names end up in locks and on terminals. A server may send anything, so only names that git accepts are kept.
    if ([name, target ?? name].some((ref) => checkRef(ref) !== undefined)) continue;
    if (target !== undefined && name === "HEAD") head = target;
    if (isCommitId(left)) commits.set(name, left);
  }
  return { commits, ...(head !== undefined && { head }) };
}
